"""`manage.py doctor`: one line per part, exit 1 when one is bad."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from plans.supervise.checkup import examine
from plans.wording import sentence


class Command(BaseCommand):
    help = "Look at every part of the site; exit 1 when one is bad."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        parts = examine()
        said = [(part, sentence(part.code, part.params)) for part in parts]
        if options["as_json"]:
            listed = [{"part": part.name, "good": part.is_good, "code": part.code, "text": text} for part, text in said]
            self.stdout.write(json.dumps({"parts": listed}, ensure_ascii=False))
        else:
            width = max(len(part.name) for part in parts)
            self.stdout.write(
                "\n".join(f"{'ok ' if p.is_good else 'BAD'} {p.name:<{width}}  {text}" for p, text in said)
            )
        if not all(part.is_good for part in parts):
            raise SystemExit(1)
