"""Ageing: what has been ready for long becomes more urgent, so that a steady stream of other work cannot starve it."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import F

from plans.core.states import TaskState
from plans.models import Task

STEP = 10
BATCH = 500


@dataclass(slots=True)
class Seen:
    """The rows that were ready at the last pass, with their attempt; by the caller's monotonic clock."""

    ready: set[tuple[int, int]] = field(default_factory=set)
    at: float | None = None


def age(seen: Seen, now: float) -> int:
    """Raise the priority of rows that stayed ready since the last pass; return how many. Cheap when called too early.

    The oldest BATCH of each kind are looked at: when they have risen far enough they run, and then others are the oldest.
    """
    if seen.at is not None and now - seen.at < settings.PLANS_AGE_SECONDS:
        return 0
    rows = Task.objects.filter(state=TaskState.READY, held=False).order_by("pk")
    # apart, so that a long line for one pool does not keep others from rising
    ready = {row for gated in (False, True) for row in rows.filter(gated=gated).values_list("pk", "attempt")[:BATCH]}
    still = [pk for pk, attempt in ready if (pk, attempt) in seen.ready]
    seen.ready, seen.at = ready, now
    return Task.objects.filter(pk__in=still, state=TaskState.READY).update(priority=F("priority") + STEP)
