"""`manage.py runplan FILE`: run a plan file and wait.

The first attachment is `inputs.file`; each is also there by the slug of its file name (`Sales Q4.csv`: `inputs.sales_q4_csv`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandParser

from plans import tasks
from plans.core.compile import compile_plan
from plans.core.errors import InputError
from plans.engine.runs import create_run_from_plan
from plans.management.headless.command import HeadlessCommand
from plans.management.headless.files import attached, plan_inputs
from plans.models import Run
from plans.wording import sentence

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Command(HeadlessCommand):
    help = (
        "Check a plan file and, with --approve, run it; without --approve it stops at review. "
        "The first attachment is inputs.file, each is also inputs.<slug of its file name>."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a PlanSpec, or a raw model reply that holds one")
        super().add_arguments(parser)

    def start(self, owner: User, options: dict[str, Any]) -> Run:
        try:
            raw = Path(options["file"]).read_bytes()
        except OSError as error:
            problem = error.strerror or ""
            raise InputError("file_not_readable", file=options["file"], problem=problem) from error
        compiled = compile_plan(raw, tasks.catalogue(), tasks.circumstances_of_site())
        if compiled.outcome == "rejected" or compiled.plan is None:
            wrong = [finding for finding in compiled.findings if finding.severity == "error"]
            said = [sentence(finding.code, {**finding.params, "task": finding.task}) for finding in wrong]
            raise InputError("plan_rejected", problems=said)
        with attached(options["attach"], owner) as files:
            return create_run_from_plan(owner=owner, compiled=compiled, inputs=plan_inputs(files))
