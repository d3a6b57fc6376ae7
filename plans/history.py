"""What skills usually take, from attempts that have ended: the basis of estimates. Nothing here writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from django.core.cache import cache

from plans.core.circumstances import Usual
from plans.core.model import Purpose
from plans.core.states import AttemptState
from plans.models import Attempt, ModelCall

LOOKED_AT = 2_000
"""The newest attempts of all skills; older ones say little about today."""
LEAST = 5
"""Attempts of a skill below which its history says nothing."""
CACHE_SECONDS = 60
_KEY = "plans.history.usual"


def usual() -> dict[str, Usual]:
    """Return skill -> what its succeeded attempts took; what was read a minute ago is good enough."""
    found: dict[str, Usual] | None = cache.get(_KEY)
    if found is None:
        found = read_usual()
        cache.set(_KEY, found, CACHE_SECONDS)
    return found


def read_usual() -> dict[str, Usual]:
    """Return the same, read now: two queries, whatever the number of skills."""
    seconds = _seconds()
    costs = _costs()
    return {
        skill: Usual(
            seconds=_quantile(took, 0.5),
            seconds_low=_quantile(took, 0.1),
            seconds_high=_quantile(took, 0.9),
            usd=_quantile(costs[skill], 0.5) if len(costs[skill]) >= LEAST else None,
            usd_high=_quantile(costs[skill], 0.9) if len(costs[skill]) >= LEAST else None,
        )
        for skill, took in seconds.items()
        if len(took) >= LEAST
    }


def _seconds() -> dict[str, list[float]]:
    rows = Attempt.objects.filter(state=AttemptState.SUCCEEDED, ended_at__isnull=False).exclude(task__skill="")
    newest = rows.order_by("-id").values_list("task__skill", "started_at", "ended_at")[:LOOKED_AT]
    found: dict[str, list[float]] = defaultdict(list)
    for skill, started, ended in newest:
        if ended is not None:
            found[skill].append(max(0.0, (ended - started).total_seconds()))
    return found


def _costs() -> dict[str, list[float]]:
    """Return skill -> the cost of each attempt that called a model, over all its calls."""
    rows = ModelCall.objects.filter(purpose=Purpose.SKILL, usd__isnull=False, task__isnull=False)
    newest = rows.order_by("-id").values_list("task__skill", "task_id", "attempt", "usd")[:LOOKED_AT]
    attempts: dict[tuple[str, int, int | None], float] = defaultdict(float)
    for skill, task, attempt, usd in newest:
        attempts[skill, task or 0, attempt] += float(usd or 0)
    found: dict[str, list[float]] = defaultdict(list)
    for (skill, _, _), cost in attempts.items():
        found[skill].append(cost)
    return found


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of all stay at or below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
