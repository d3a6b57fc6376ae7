"""Decide what becomes of a step that has failed: while it waits for a person, or after it has failed for good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plans.core.catalogue import SkillInfo
from plans.core.errors import InputError, StaleDecision
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import EventKind
from plans.core.states import CorrectionKind, Ending, RequestKind, SkipReason, TaskState
from plans.core.values import ArtifactRef
from plans.engine import control, corrections, edits, given, reopening, replanning, rungs
from plans.engine.boundaries import Boundary
from plans.engine.fallbacks import as_at_first
from plans.engine.plans import decide
from plans.engine.requests import NotAllowed, open_for, to_ready
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Request, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

HINT_LIMIT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A failed step that somebody decides about: it waits with a `request`, or has failed for good and is opened again."""

    changes: Changes
    task: Task
    by: User
    request: Request | None = None

    def settle(self, choice: str, comment: str, **columns: Any) -> None:
        """Close the request, where there is one."""
        if self.request is not None:
            decide(self.changes, self.request, choice, self.by, comment, **columns)

    def again(self, **columns: Any) -> None:
        if self.request is not None:
            to_ready(self.changes, self.task, **columns)
        else:
            reopening.reopen(self.changes, self.task, TaskState.READY, self.by, **columns)

    def skip(self, comment: str) -> None:
        if self.request is not None:
            self.changes.skip(self.task, SkipReason.PERSON, actor_id=self.by.pk, comment=comment)
        else:
            reopening.reopen(self.changes, self.task, TaskState.SKIPPED, self.by, reason=SkipReason.PERSON)
            self.changes.say(EventKind.TASK_SKIPPED, self.task, actor_id=self.by.pk, reason=SkipReason.PERSON.value)

    def done(self, values: JsonObject) -> None:
        if self.request is not None:
            given.take(self.changes, self.task, values, self.by)
        else:
            reopening.reopen(self.changes, self.task, TaskState.SUCCEEDED, self.by, outputs=values or None)
            given.say(self.changes, self.task, values, self.by)


Of = Request | Task
"""What a decision is about: the open request of a failed step, or a step that has failed for good."""


@patient
def decide_failure(*, of: Of, choice: str, by: User, comment: str = "", digest: str | None = None) -> None:
    """Retry (again from the first try), skip, or stop the run. `digest` is that of the request as it was shown.

    Raises InputError `decision_unknown`, AlreadyDecided, StaleDecision, NotAllowed, StateError `task_not_failed`,
    `run_ended`.
    """
    if choice not in {"retry", "skip", "stop"}:
        raise InputError("decision_unknown", choice=choice)
    with committing(Boundary.FAILURE):
        case = _case(of, choice, by, digest)
        changes, task = case.changes, case.task
        case.settle(choice, comment)
        if choice == "retry":
            corrections.note(changes, task, CorrectionKind.RETRY, task.error, by=by)
            case.again(**as_at_first(task))
        elif choice == "skip":
            corrections.note(changes, task, CorrectionKind.SKIP, task.error, by=by)
            case.skip(comment)
        else:
            if changes.end(task, TaskState.FAILED):
                changes.say(EventKind.TASK_FAILED, task, actor_id=by.pk, error=task.error)
            control.cancel_rest(changes, task.run, by, ending=Ending.STOPPED)
        changes.flush()


@patient
def retry_with_changes(
    *,
    of: Of,
    params: JsonObject,
    by: User,
    catalogue: Mapping[str, SkillInfo],
    comment: str = "",
    digest: str | None = None,
) -> None:
    """Retry with other params, written as in the plan (placeholders included); the plan keeps them as a revision.

    Raises InputError `params_invalid`, `params_need_step`, `file_not_yours`, and what `decide_failure` does.
    """
    with committing(Boundary.FAILURE):
        case = _case(of, "retry_with_changes", by, digest)
        changes, task = case.changes, case.task
        edits.check_written(task, params, catalogue)
        before = task.spec.get("params", {})
        content = {**case.request.content, "before": before} if case.request else {}
        case.settle("retry_with_changes", comment, content=content)
        corrections.note(changes, task, CorrectionKind.CHANGES, task.error, by=by)
        edits.keep_written(changes, task, params, by, catalogue)
        case.again(checkpoint=None, **as_at_first(task))
        changes.flush()


@patient
def retry_with_hint(*, of: Of, hint: str, by: User, digest: str | None = None) -> None:
    """Retry, and tell the step what to mind. Raises InputError `hint_empty`, `hint_too_long`, and as `decide_failure`."""
    hint = hint.replace("\r\n", "\n").strip()
    if not hint:
        raise InputError("hint_empty")
    if len(hint) > HINT_LIMIT:
        raise InputError("hint_too_long", length=len(hint), limit=HINT_LIMIT)
    with committing(Boundary.FAILURE):
        case = _case(of, "retry_with_hint", by, digest)
        case.settle("retry_with_hint", hint)
        corrections.note(case.changes, case.task, CorrectionKind.HINT, case.task.error, by=by, hint=hint)
        case.again(**as_at_first(case.task))
        case.changes.flush()


@patient
def replan(*, of: Of, by: User, comment: str = "", digest: str | None = None) -> None:
    """Have the failed step and what has not started planned anew. Raises InputError `planning_under_way`, and as above."""
    with committing(Boundary.FAILURE):
        case = _case(of, "replan", by, digest)
        if replanning.is_under_way(case.task.run):
            raise InputError("planning_under_way")
        case.settle("replan", comment)
        replanning.begin(case.changes, case.task, case.task.error or {}, by=by, comment=comment)
        case.changes.flush()


@patient
def mark_done(
    *,
    of: Of,
    outputs: Mapping[str, Json],
    by: User,
    files: Mapping[str, ArtifactRef] | None = None,
    comment: str = "",
    digest: str | None = None,
) -> None:
    """Take what a person gives for what the step should have made; `files` are what they hand in just now.

    Raises InputError `output_invalid`, `output_unknown`, `file_not_yours`, and as `decide_failure`.
    """
    with committing(Boundary.FAILURE):
        case = _case(of, "mark_done", by, digest)
        values = given.typed(case.task, outputs, by, files or {})
        case.settle("mark_done", comment)
        corrections.note(case.changes, case.task, CorrectionKind.MARK_DONE, case.task.error, by=by)
        case.done(values)
        case.changes.flush()


def _case(of: Of, choice: str, by: User, digest: str | None) -> Case:
    """Lock what the decision is about, and refuse one that is not there to be taken."""
    if isinstance(of, Request):
        changes, request, task = open_for(of, RequestKind.FAILURE, by)
        if choice not in request.content.get("choices", []):
            raise InputError("decision_unknown", choice=choice)
        if digest not in (None, request.digest):
            raise StaleDecision("effect_changed", task=task.key)
        return Case(changes=changes, task=task, by=by, request=request)
    if of.run.owner_id != by.pk and not by.has_perm("plans.operate"):
        raise NotAllowed
    if choice not in rungs.choices_of(of) or choice in {"stop", "replan"}:
        raise InputError("decision_unknown", choice=choice)
    return Case(changes=Changes(of.run_id), task=reopening.lock_failed(of), by=by)
