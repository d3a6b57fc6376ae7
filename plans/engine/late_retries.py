"""Retries wait by the database's clock; this watches them by one that does not jump, should the other be set back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models.functions import Now

from plans.core.retry import RetryPolicy
from plans.core.states import TaskState
from plans.models import Task

BATCH = 500
LONGEST_SECONDS = RetryPolicy(retries=0).cap_seconds
MARGIN_SECONDS = 2.0


@dataclass(slots=True)
class Seen:
    """For each retrying row its `ready_at` and when that is due, by the caller's monotonic clock."""

    due: dict[int, tuple[datetime, float]] = field(default_factory=dict)


def mark_due(seen: Seen, now: float) -> int:
    """Make due the rows that have waited as long as they were to when first seen; return how many.

    A wait that a step asked for is not touched: it is until a time, not for a time.
    """
    rows = Task.objects.filter(state=TaskState.RETRYING, ready_at__isnull=False).annotate(clock=Now()).order_by("pk")
    due: dict[int, tuple[datetime, float]] = {}
    late = 0
    for pk, ready_at, clock in rows.values_list("pk", "ready_at", "clock")[:BATCH]:
        if ready_at is None:
            continue
        seconds = min(max(0.0, (ready_at - clock).total_seconds()), LONGEST_SECONDS)
        before = seen.due.get(pk)
        due[pk] = before if before and before[0] == ready_at else (ready_at, now + seconds + MARGIN_SECONDS)
        if now >= due[pk][1]:
            late += Task.objects.filter(pk=pk, state=TaskState.RETRYING, ready_at=ready_at).update(ready_at=Now())
    seen.due = due
    return late
