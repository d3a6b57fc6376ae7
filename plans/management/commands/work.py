"""`manage.py work`: run the workers of this host."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from plans.engine import cluster


class Command(BaseCommand):
    help = "Run the workers of this host until they are told to stop."

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(cluster.work())
