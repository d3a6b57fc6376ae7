"""Entry point of `manage.py bench`."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from plans.supervise.bench import run


class Command(BaseCommand):
    help = "Measure, beside a floor of the same run; nothing of your data is touched."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=sorted([*run.KINDS, run.PLANNER]))
        parser.add_argument("--goals", default="", metavar="FILE", help="planner: goals with gold graphs, as JSON")
        parser.add_argument("--limit", type=int, metavar="N", help="planner: only the first N goals")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run.run(options["kind"], options["json"], options["goals"], options["limit"]))
