"""`manage.py explain RUN`: why a run does not move, in sentences."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from plans.core.errors import PlannerError
from plans.engine import overview
from plans.management.commands.control import find_run
from plans.management.headless import document
from plans.management.headless.command import find_user
from plans.wording import sentence


class Command(BaseCommand):
    help = "Say why a run does not move."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="the id of the run")
        parser.add_argument("--as", dest="user", default="", metavar="USER", help="default: the first superuser")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = find_run(options["run"], find_user(options["user"]))
        except PlannerError as error:
            problem = document.of_error(error)
            text = json.dumps({"error": problem}, ensure_ascii=False) if options["as_json"] else problem["message"]
            (self.stdout if options["as_json"] else self.stderr).write(text)
            raise SystemExit(1) from error
        reasons = overview.explain(run, timezone.now())
        said = [sentence(reason.code, reason.params) for reason in reasons]
        if options["as_json"]:
            listed = [
                {"code": reason.code, "task": reason.task_key or None, "text": text}
                for reason, text in zip(reasons, said, strict=True)
            ]
            self.stdout.write(
                json.dumps({"run": str(run.uuid), "state": run.state, "reasons": listed}, ensure_ascii=False)
            )
        else:
            self.stdout.write("\n".join(said))
