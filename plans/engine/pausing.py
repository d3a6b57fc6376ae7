"""Pause and resume: what runs goes on to its end, what waits for a slot stays where it is.

A paused run's rows carry `held`, so that neither the claim nor the look that decides about opening a transaction sees
them; the hot path pays one column. Decisions, waits and checks go on meanwhile and take effect with Resume.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db.models.functions import Now

from plans.core.errors import StateError
from plans.core.kinds import EventKind
from plans.core.states import TASK_TERMINAL, RunState, TaskState
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes, locked
from plans.engine.sql import committing, patient, transact
from plans.models import Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@patient
def pause_run(*, run: Run, by: User | None) -> None:
    """Start nothing more of `run`; it is paused once what runs now has ended. Asking twice is harmless.

    Raises StateError `run_ended`, `run_not_running` (still planned or reviewed), `run_cancelling`.
    """
    with committing(Boundary.PAUSE):
        _hold(run.pk, held=True)
        fresh = Run.objects.get(pk=run.pk)
        if fresh.is_terminal:
            raise StateError("run_ended", state=fresh.state)
        if fresh.cancel_requested_at:
            raise StateError("run_cancelling")
        if fresh.state not in (RunState.RUNNING, RunState.PAUSED):
            raise StateError("run_not_running", state=fresh.state)
        changes = Changes(run.pk)
        if Run.objects.filter(pk=run.pk, pause_requested_at__isnull=True).update(pause_requested_at=Now()):
            changes.say(EventKind.RUN_PAUSE_REQUESTED, actor_id=by.pk if by else None)
        _settle(changes, run.pk)
        changes.flush()


@patient
def resume_run(*, run: Run, by: User | None) -> None:
    """Let a pausing or paused run go on. Raises StateError `run_ended`, `run_not_paused`."""
    with committing(Boundary.RESUME):
        _hold(run.pk, held=False)
        fresh = Run.objects.get(pk=run.pk)
        if fresh.is_terminal:
            raise StateError("run_ended", state=fresh.state)
        if fresh.pause_requested_at is None and fresh.state != RunState.PAUSED:
            raise StateError("run_not_paused")
        Run.objects.filter(pk=run.pk, state__in=[RunState.RUNNING, RunState.PAUSED]).update(
            state=RunState.RUNNING, pause_requested_at=None
        )
        changes = Changes(run.pk)
        changes.say(EventKind.RUN_RESUMED, actor_id=by.pk if by else None)
        # Everything may have been decided meanwhile: then this ends the run.
        changes.flush()
        doorbell.ring(run.pk, doorbell.workers())


def settle_pauses() -> int:
    """Mark runs paused whose last running step has ended, and hold rows made since the pause; return how many moved."""
    pausing = Run.objects.filter(state__in=[RunState.RUNNING, RunState.PAUSED], pause_requested_at__isnull=False)
    return sum(transact(partial(_settle_one, pk), Boundary.PAUSED) for pk in pausing.values_list("pk", flat=True))


def _settle_one(run_id: int) -> bool:
    if not Run.objects.filter(pk=run_id, pause_requested_at__isnull=False).exists():
        return False
    _hold(run_id, held=True)
    changes = Changes(run_id)
    moved = _settle(changes, run_id)
    changes.flush()
    return moved


def _settle(changes: Changes, run_id: int) -> bool:
    if Task.objects.filter(run=run_id, state=TaskState.RUNNING).exists():
        return False
    rows = Run.objects.filter(
        pk=run_id,
        state=RunState.RUNNING,
        pause_requested_at__isnull=False,
        cancel_requested_at__isnull=True,
        left__gt=0,
    )
    moved = bool(rows.update(state=RunState.PAUSED))
    if moved:
        changes.say(EventKind.RUN_PAUSED)
    return moved


def _hold(run_id: int, *, held: bool) -> None:
    rows = Task.objects.filter(run=run_id, held=not held).exclude(state__in=TASK_TERMINAL)
    tasks = locked(rows.values_list("pk", flat=True))
    Task.objects.filter(pk__in=[task.pk for task in tasks]).update(held=held)
