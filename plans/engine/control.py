"""Steer a run: cancel. (Pause, resume, re-run and fork come with the controls.)"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now

from plans.core.errors import StateError
from plans.core.kinds import EventKind
from plans.core.states import TASK_TERMINAL, CancelReason, TaskState
from plans.engine import doorbell
from plans.engine.settle import Changes, locked, void_requests
from plans.models import Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def cancel_run(*, run: Run, by: User | None) -> int:
    """Cancel every unfinished task of `run` that does not run; running ones are stopped by their workers.

    Return how many were cancelled at once. Asking twice is harmless. Raises StateError `run_ended`.
    """
    with transaction.atomic():
        fresh = Run.objects.get(pk=run.pk)
        if fresh.is_terminal:
            raise StateError("run_ended", state=fresh.state)
        changes = Changes(run.pk)
        count = cancel_rest(changes, fresh, by)
        changes.flush()
        # Workers look at the flag every half second; a bell wakes one in case nobody drains.
        doorbell.ring(run.pk)
    return count


def cancel_rest(changes: Changes, run: Run, by: User | None) -> int:
    """Cancel what does not run yet and flag the rest, within the caller's transaction."""
    idle = Task.objects.filter(run=run).exclude(state__in=[*TASK_TERMINAL, TaskState.RUNNING])
    tasks = locked(idle.values_list("pk", flat=True))
    asked = Run.objects.filter(pk=run.pk, cancel_requested_at__isnull=True).update(cancel_requested_at=Now())
    if asked:
        changes.say(EventKind.RUN_CANCEL_REQUESTED, actor_id=by.pk if by else None)
    count = 0
    for task in tasks:
        if changes.end(task, TaskState.CANCELLED, reason=CancelReason.RUN, ready_at=None):
            changes.say(EventKind.TASK_CANCELLED, task)
            count += 1
    changes.lines += void_requests(run.pk)
    # Everything downstream of a cancelled task is cancelled too, so there is nothing left to settle.
    changes.ended.clear()
    return count
