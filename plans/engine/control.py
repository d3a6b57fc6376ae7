"""Steer a run: cancel. (Pause, resume, re-run and fork come with the controls.)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models.functions import Now

from plans.core.errors import StateError
from plans.core.kinds import EventKind
from plans.core.states import TASK_TERMINAL, CancelReason, Ending, TaskState
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes, locked, void_requests
from plans.engine.sql import committing, patient
from plans.models import Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@patient
def cancel_run(*, run: Run, by: User | None) -> int:
    """Cancel every unfinished task of `run` that does not run; running ones are stopped by their workers.

    Return how many were cancelled at once. Asking twice is harmless. Raises StateError `run_ended`.
    """
    with committing(Boundary.CANCEL):
        fresh = Run.objects.get(pk=run.pk)
        if fresh.is_terminal:
            raise StateError("run_ended", state=fresh.state)
        changes = Changes(run.pk)
        count = cancel_rest(changes, fresh, by)
        changes.flush()
        # Workers look at the flag every half second; a bell wakes one in case nobody drains.
        doorbell.ring(run.pk)
    return count


def cancel_rest(changes: Changes, run: Run, by: User | None, *, ending: Ending | None = None, because: str = "") -> int:
    """Cancel what does not run yet and flag the rest, within the caller's transaction.

    With an `ending`, steps that always run are left to run; `because` is the step whose failure ends the run.
    """
    idle = Task.objects.filter(run=run).exclude(state__in=[*TASK_TERMINAL, TaskState.RUNNING])
    tasks = [task for task in locked(idle.values_list("pk", flat=True)) if not (ending and task.spec.get("always_run"))]
    _flag(changes, run, by, ending, because)
    reason = CancelReason.FAILURE if ending == Ending.FAILED else CancelReason.RUN
    count = 0
    for task in tasks:
        if changes.end(task, TaskState.CANCELLED, reason=reason, ready_at=None):
            changes.say(EventKind.TASK_CANCELLED, task, because=because)
            count += 1
    changes.lines += void_requests(run.pk, [task.pk for task in tasks] if ending else None)
    if not ending:
        # Everything downstream of a cancelled task is cancelled too, so there is nothing left to settle.
        changes.ended.clear()
    return count


def _flag(changes: Changes, run: Run, by: User | None, ending: Ending | None, because: str) -> None:
    """Ask the workers to stop. Cancelling all of a run that was only stopped counts as asking again."""
    asked = Run.objects.filter(pk=run.pk, cancel_requested_at__isnull=True).update(
        cancel_requested_at=Now(), ending=ending or ""
    )
    if not asked and not ending:
        asked = Run.objects.filter(pk=run.pk).exclude(ending="").update(ending="")
    if asked:
        data = {"ending": ending.value, "because": because} if ending else {}
        changes.say(EventKind.RUN_CANCEL_REQUESTED, actor_id=by.pk if by else None, **data)
