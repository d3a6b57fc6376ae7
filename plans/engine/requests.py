"""Decide requests: exactly once, by someone who may at that moment, on exactly what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from plans.core.errors import InputError, StaleDecision, StateError
from plans.core.jsontypes import JsonObject
from plans.core.states import RequestKind, RequestState, SkipReason, TaskState
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.plans import decide, decided_error
from plans.engine.settle import Changes, locked
from plans.engine.sql import committing, patient
from plans.models import Request, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class NotAllowed(StateError):
    """The person may not decide this request (any more)."""

    default_code = "not_allowed"


def may_decide(request: Request, user: User | AnonymousUser) -> bool:
    """Tell whether `user` may decide `request` now: the run's owner, an assignee, or an operator."""
    if not user.is_authenticated or not user.is_active:
        return False
    if request.run.owner_id == user.pk or user.has_perm("plans.operate"):
        return True
    return request.assignees.filter(pk=user.pk).exists()


@patient
def decide_approval(*, request: Request, approve: bool, digest: str, by: User, comment: str = "") -> None:
    """Approve or reject a task. Raises AlreadyDecided, StaleDecision (the digest is not what would happen), NotAllowed."""
    with committing(Boundary.REQUEST):
        changes, request, task = open_for(request, RequestKind.TASK_APPROVAL, by)
        if digest != request.digest:
            raise StaleDecision("effect_changed", task=task.key)
        decide(changes, request, "approve" if approve else "reject", by, comment)
        if approve:
            to_ready(changes, task)
        else:
            changes.skip(task, SkipReason.PERSON, actor_id=by.pk, comment=comment)
        changes.flush()


@patient
def answer_question(*, request: Request, answer: JsonObject, by: User, digest: str | None = None) -> None:
    """Store an answer that fits the question's schema; the task goes on once no question of it is open.

    `digest` is that of the question as it was shown. Raises InputError `answer_invalid` (field, message),
    AlreadyDecided, StaleDecision, NotAllowed.
    """
    check_answer(request, answer)
    with committing(Boundary.REQUEST):
        changes, request, task = open_for(request, RequestKind.QUESTION, by)
        if digest not in (None, request.digest):
            raise StaleDecision("effect_changed", task=task.key)
        decide(changes, request, "answer", by, answer=answer)
        others = Request.objects.filter(task=task, kind=RequestKind.QUESTION, state=RequestState.OPEN)
        if not others.exists():
            to_ready(changes, task)
        changes.flush()


def check_answer(request: Request, answer: JsonObject) -> None:
    """Raise InputError naming the first field that does not fit."""
    errors = sorted(
        Draft202012Validator(request.schema or {}).iter_errors(answer), key=lambda e: list(map(str, e.path))
    )
    if errors:
        first = errors[0]
        field = str(first.path[0]) if first.path else _missing(first)
        raise InputError("answer_invalid", field=field, message=first.message)


def _missing(error: Any) -> str:
    if error.validator == "required":
        return next((name for name in error.validator_value if name not in error.instance), "")
    return ""


def open_for(request: Request, kind: RequestKind, by: User) -> tuple[Changes, Request, Task]:
    """Lock the task, then read the request as it is now; refuse what is decided or not this person's to decide."""
    if request.task_id is None:
        raise InputError("request_without_task")
    task = locked([request.task_id])[0]
    now = Request.objects.select_related("run", "task", "decided_by").get(pk=request.pk)
    if now.kind != kind:
        raise InputError("request_of_other_kind", kind=now.kind)
    if not may_decide(now, by):
        raise NotAllowed
    if now.state != RequestState.OPEN or task.state != TaskState.WAITING:
        raise decided_error(now)
    return Changes(now.run_id), now, task


def to_ready(changes: Changes, task: Task, **columns: Any) -> None:
    """Let a waiting task go on, and ring for it."""
    if changes.move(task, TaskState.READY, ready_at=None, **columns):
        changes.readied.append(task.key)
        doorbell.ring(task.run_id)
