"""`manage.py control RUN …`: steer a run through the same services as the pages, with audit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from plans import tasks
from plans.core.errors import InputError, PlannerError
from plans.core.jsontypes import JsonObject
from plans.core.states import RequestKind, RequestState, TaskState
from plans.engine import again, control, pausing
from plans.engine.failures import decide_failure, mark_done
from plans.management.headless import document, giving
from plans.management.headless.command import find_user
from plans.models import Request, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Command(BaseCommand):
    help = "Steer a run: pause, resume, cancel, retry T, skip T, mark-done T --output F, rerun [--from T]."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", metavar="RUN", help="the id of the run")
        parser.add_argument("action", choices=["pause", "resume", "cancel", "retry", "skip", "mark-done", "rerun"])
        parser.add_argument("task", nargs="?", default="", metavar="T", help="the step, for retry, skip and mark-done")
        parser.add_argument("--output", metavar="F", help="mark-done: JSON of the outputs by name, or the only output")
        parser.add_argument("--from", dest="from_key", metavar="T", help="rerun: only from this step on")
        parser.add_argument("--as", dest="user", default="", metavar="USER", help="default: the first superuser")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            by = find_user(options["user"])
            shown = act(find_run(options["run"], by), by, options)
        except PlannerError as error:
            shown = {"error": document.of_error(error)}
        text = json.dumps(shown, ensure_ascii=False) if options["as_json"] else document.for_people(shown)
        (self.stderr if "error" in shown and not options["as_json"] else self.stdout).write(text)
        if "error" in shown:
            raise SystemExit(1)


def find_run(text: str, by: User) -> Run:
    """Return the run with this id that `by` may see. Raises InputError `run_unknown`."""
    try:
        found = Run.objects.for_user(by).filter(uuid=UUID(text)).first()
    except ValueError:
        found = None
    if found is None:
        raise InputError("run_unknown", run=text)
    return found


def act(run: Run, by: User, options: dict[str, Any]) -> JsonObject:
    """Do what was asked; return what to print: the run that was steered, or the new one. Raises PlannerError."""
    action = options["action"]
    if action == "pause":
        pausing.pause_run(run=run, by=by)
    elif action == "resume":
        pausing.resume_run(run=run, by=by)
    elif action == "cancel":
        control.cancel_run(run=run, by=by)
    elif action == "rerun":
        run = again.rerun(run=run, by=by, catalogue=tasks.catalogue(), from_key=options["from_key"])
    elif action == "mark-done":
        task = failed(run, options["task"])
        outputs, files = giving.given(task, options["output"]) if options["output"] else ({}, {})
        mark_done(of=failure_of(task), outputs=outputs, files=files, by=by)
    else:
        decide_failure(of=failure_of(failed(run, options["task"])), choice=action, by=by)
    run.refresh_from_db()
    return {"run": str(run.uuid), "state": run.state, "action": action}


def failed(run: Run, key: str) -> Task:
    """Return the step. Raises InputError `task_unknown`."""
    found = run.tasks.select_related("run").filter(key=key).first()
    if found is None:
        raise InputError("task_unknown", task=key)
    return found


def failure_of(task: Task) -> Request | Task:
    """Return the open question what to do about a failed step, or the step when it has failed for good.

    Raises InputError `task_asks_nothing`.
    """
    rows = Request.objects.filter(task=task, kind=RequestKind.FAILURE, state=RequestState.OPEN)
    found = rows.select_related("task", "run").first()
    if found is None and task.state != TaskState.FAILED:
        raise InputError("task_asks_nothing", task=task.key)
    return found or task
