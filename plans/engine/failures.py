"""Decide what becomes of a step that has failed and waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db import transaction

from plans.core.catalogue import SkillInfo
from plans.core.errors import InputError, StaleDecision
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import EventKind
from plans.core.states import CorrectionKind, Ending, RequestKind, SkipReason, TaskState
from plans.engine import control, corrections, edits, given
from plans.engine.fallbacks import as_at_first
from plans.engine.plans import decide
from plans.engine.requests import open_for, to_ready
from plans.engine.settle import Changes
from plans.models import Request, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

HINT_LIMIT = 2000


def decide_failure(*, request: Request, choice: str, by: User, comment: str = "", digest: str | None = None) -> None:
    """Retry (again from the first try), skip, or stop the run. `digest` is that of the request as it was shown.

    Raises InputError `decision_unknown`, AlreadyDecided, StaleDecision, NotAllowed.
    """
    if choice not in {"retry", "skip", "stop"}:
        raise InputError("decision_unknown", choice=choice)
    with transaction.atomic():
        changes, request, task = _opened(request, choice, by, digest)
        decide(changes, request, choice, by, comment)
        if choice == "retry":
            corrections.note(changes, task, CorrectionKind.RETRY, task.error, by=by)
            to_ready(changes, task, **as_at_first(task))
        elif choice == "skip":
            corrections.note(changes, task, CorrectionKind.SKIP, task.error, by=by)
            changes.skip(task, SkipReason.PERSON, actor_id=by.pk, comment=comment)
        else:
            if changes.end(task, TaskState.FAILED):
                changes.say(EventKind.TASK_FAILED, task, actor_id=by.pk, error=task.error)
            control.cancel_rest(changes, request.run, by, ending=Ending.STOPPED)
        changes.flush()


def retry_with_changes(
    *,
    request: Request,
    params: JsonObject,
    by: User,
    catalogue: Mapping[str, SkillInfo],
    comment: str = "",
    digest: str | None = None,
) -> None:
    """Retry with other params, written as in the plan (placeholders included); the plan keeps them as a revision.

    Raises InputError `params_invalid`, `params_need_step`, and what `decide_failure` does.
    """
    with transaction.atomic():
        changes, request, task = _opened(request, "retry_with_changes", by, digest)
        edits.check_written(task, params, catalogue)
        before = task.spec.get("params", {})
        decide(changes, request, "retry_with_changes", by, comment, content={**request.content, "before": before})
        corrections.note(changes, task, CorrectionKind.CHANGES, task.error, by=by)
        edits.keep_written(changes, task, params, by, catalogue)
        to_ready(changes, task, checkpoint=None, **as_at_first(task))
        changes.flush()


def retry_with_hint(*, request: Request, hint: str, by: User, digest: str | None = None) -> None:
    """Retry, and tell the step what to mind. Raises InputError `hint_empty`, `hint_too_long`, and as `decide_failure`."""
    hint = hint.replace("\r\n", "\n").strip()
    if not hint:
        raise InputError("hint_empty")
    if len(hint) > HINT_LIMIT:
        raise InputError("hint_too_long", length=len(hint), limit=HINT_LIMIT)
    with transaction.atomic():
        changes, request, task = _opened(request, "retry_with_hint", by, digest)
        decide(changes, request, "retry_with_hint", by, hint)
        corrections.note(changes, task, CorrectionKind.HINT, task.error, by=by, hint=hint)
        to_ready(changes, task, **as_at_first(task))
        changes.flush()


def mark_done(
    *, request: Request, outputs: Mapping[str, Json], by: User, comment: str = "", digest: str | None = None
) -> None:
    """Take what a person gives for what the step should have made. Raises InputError `output_invalid`, `output_unknown`."""
    with transaction.atomic():
        changes, request, task = _opened(request, "mark_done", by, digest)
        values = given.typed(task, outputs, by)
        decide(changes, request, "mark_done", by, comment)
        corrections.note(changes, task, CorrectionKind.MARK_DONE, task.error, by=by)
        given.take(changes, task, values, by)
        changes.flush()


def _opened(request: Request, choice: str, by: User, digest: str | None) -> tuple[Changes, Request, Task]:
    changes, request, task = open_for(request, RequestKind.FAILURE, by)
    if choice not in request.content.get("choices", []):
        raise InputError("decision_unknown", choice=choice)
    if digest not in (None, request.digest):
        raise StaleDecision("effect_changed", task=task.key)
    return changes, request, task
