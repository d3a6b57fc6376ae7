"""What each rung of the failure ladder does, within the transaction that ends the failed attempt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model

from plans.core.errors import ErrorClass
from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.ladder import Rung
from plans.core.states import CorrectionKind, Ending, RequestKind, SkipReason, TaskKind, TaskState
from plans.core.storable import storable_json
from plans.engine import control, fallbacks
from plans.engine.settle import Changes
from plans.models import Request, Task

PLANNING_CHOICES = ["retry", "stop"]
MILESTONE_CHOICES = ["retry", "mark_done", "skip", "stop"]
STEP_CHOICES = ["retry", "retry_with_changes", "retry_with_hint", "mark_done", "skip", "replan", "stop"]


def error_json(code: str, params: JsonObject, error_class: ErrorClass) -> JsonObject:
    return {"code": code, "params": storable_json(params), "class": error_class.value}


def climb(changes: Changes, task: Task, error: JsonObject, rung: Rung) -> bool:
    """Do what `rung` says; False when the row has moved meanwhile."""
    if rung is Rung.SKIP:
        return _skip(changes, task, error)
    if rung is Rung.ASK:
        return ask(changes, task, error)
    if rung in (Rung.FALLBACK, Rung.OTHER_SKILL):
        return fallbacks.take_over(changes, task, error, CorrectionKind(rung.value))
    if not fail_for_good(changes, task, error):
        return False
    if rung is Rung.ABORT:
        control.cancel_rest(changes, task.run, None, ending=Ending.FAILED, because=task.key)
    return True


def choices_of(task: Task) -> list[str]:
    """Return what a person may choose from when `task` has failed."""
    if task.kind == TaskKind.PLANNING:
        return PLANNING_CHOICES
    return MILESTONE_CHOICES if task.kind == TaskKind.MILESTONE else STEP_CHOICES


def ask(changes: Changes, task: Task, error: JsonObject, choices: Sequence[str] | None = None) -> bool:
    """Let a person decide what becomes of the failed step."""
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=None, **_columns(task, error)):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=RequestKind.FAILURE.value, error=error)
    content = {
        "error": error,
        "choices": list(choices or choices_of(task)),
        "task": task.key,
        "attempt": task.attempt,
    }
    open_request(changes, task, RequestKind.FAILURE, content=content, digest=digest(content))
    return True


def ask_waiting(changes: Changes, task: Task) -> None:
    """Let a person decide about a failed step that waits already, because nothing came of what was tried for it."""
    error = task.error or error_json("skill_failed", {}, ErrorClass.PERMANENT)
    content = {"error": error, "choices": choices_of(task), "task": task.key, "attempt": task.attempt}
    open_request(changes, task, RequestKind.FAILURE, content=content, digest=digest(content))


def open_request(
    changes: Changes, task: Task, kind: RequestKind, *, assignees: Sequence[str] = (), **columns: Any
) -> Request:
    """Open a request for `task` with its event. `assignees` may decide it too; by default those the plan names."""
    request = Request.objects.create(run_id=task.run_id, task=task, kind=kind, **columns)
    if names := list(assignees or task.spec.get("assignees", ())):
        request.assignees.set(get_user_model().objects.filter(username__in=names, is_active=True))
    changes.say(EventKind.REQUEST_OPENED, task, request=str(request.uuid), kind=kind.value)
    return request


def fail_for_good(changes: Changes, task: Task, error: JsonObject) -> bool:
    if not changes.end(task, TaskState.FAILED, attempt=task.attempt, **_columns(task, error)):
        return False
    changes.say(EventKind.TASK_FAILED, task, error=error)
    return True


def _skip(changes: Changes, task: Task, error: JsonObject) -> bool:
    reason = SkipReason.ON_FAILURE
    if not changes.end(task, TaskState.SKIPPED, attempt=task.attempt, reason=reason, **_columns(task, error)):
        return False
    changes.say(EventKind.TASK_SKIPPED, task, reason=reason.value, error=error)
    return True


def _columns(task: Task, error: JsonObject) -> dict[str, Any]:
    return {"error": error, "tries_used": task.tries_used, "losses": task.losses}
