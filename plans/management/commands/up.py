"""Entry point of `manage.py up`."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from plans.supervise import up


class Command(BaseCommand):
    help = up.HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        up.add_arguments(parser)

    def handle(self, *_arguments: Any, **options: Any) -> None:
        sys.exit(up.run(options))
