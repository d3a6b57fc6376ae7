"""Steps that must end before they return: cancelled, over their time, or in the way of a worker that stops."""

from __future__ import annotations

from django.conf import settings

from plans.engine import outcomes, planned, stopping
from plans.engine.slots import Active, Slots
from plans.engine.steps import Stopped
from plans.models import Run

# How long a step may take to notice its stop flag before its result is fenced off. Child processes are killed at once.
GRACE_SECONDS = 2.0


def flag_cancelled(slots: Slots, now: float) -> None:
    """Tell the steps of cancelled runs to stop."""
    run_ids = {active.job.claimed.run_id for active in slots.active.values()}
    rows = Run.objects.filter(pk__in=run_ids, cancel_requested_at__isnull=False)
    cancelled = dict(rows.values_list("pk", "ending"))
    for active in slots.active.values():
        claimed = active.job.claimed
        if claimed.run_id in cancelled and not (cancelled[claimed.run_id] and claimed.spec.get("always_run")):
            _tell(active, now, "cancelled")


def enforce(slots: Slots, now: float, catalogue: planned.ReadCatalogue) -> bool:
    """Stop over-long steps and, while stopping, all of them; fence off what does not come back. True if rows moved."""
    stop_at = stopping.requested_at()
    is_late = stop_at is not None and now - stop_at >= max(0.0, settings.PLANS_STOP_SECONDS - 2 * GRACE_SECONDS)
    moved = False
    for task_id, active in list(slots.active.items()):
        if is_late:
            _tell(active, now, "stopping")
        elif now >= active.ends_at + GRACE_SECONDS:
            # A compute child is killed at its deadline by the sandbox function; who is still here ignores its own.
            _tell(active, now, "timeout")
        if active.fenced_at is not None and now - active.fenced_at >= GRACE_SECONDS:
            _give_up(slots, task_id, active, catalogue)
            moved = True
    return moved


def _tell(active: Active, now: float, why: str) -> None:
    if active.fenced_at is None:
        active.fenced_at, active.why = now, why
        active.job.stop.set()


def _give_up(slots: Slots, task_id: int, active: Active, catalogue: planned.ReadCatalogue) -> None:
    claimed = slots.fence(task_id).claimed
    outcomes.commit(Stopped(claimed=claimed, why=active.why), stopping=active.why == "stopping", catalogue=catalogue)
