"""Entry point of `manage.py bench`."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from plans.supervise.bench import run


class Command(BaseCommand):
    help = "Measure, beside a floor of the same run; nothing of your data is touched."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=sorted(run.KINDS))
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run.run(options["kind"], options["json"]))
