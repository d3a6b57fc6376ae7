"""Checks of what the run is allowed: money, time and rates. `low` beyond a limit cannot be met, likely beyond it may not."""

from __future__ import annotations

from plans.core.compile.draft import Draft
from plans.core.estimate import Work, rate_seconds
from plans.core.jsontypes import JsonObject


def check(draft: Draft, work: Work, estimate: JsonObject) -> None:
    """Add findings about limits that are known and that the estimate does not keep."""
    known = draft.circumstances
    seconds, usd = known.deadline_seconds, known.budget_usd
    if seconds is not None:
        held_up = {skill: took for skill, took in rate_seconds(work).items() if took > seconds}
        for skill, took in held_up.items():
            rate = draft.catalogue[skill].calls_per_minute
            draft.say("rate_too_low", skill=skill, rate=rate, seconds=took, limit=seconds)
        if not held_up:
            _check_one(draft, "deadline", estimate["low"]["seconds"], estimate["seconds"], seconds)
    if usd is not None:
        _check_one(draft, "budget", estimate["low"]["usd"], estimate["usd"], usd)


def _check_one(draft: Draft, word: str, low: float | None, likely: float | None, limit: float) -> None:
    if low is not None and low > limit:
        draft.say(f"{word}_too_small", least=low, likely=likely, limit=limit)
    elif likely is not None and likely > limit:
        draft.say(f"{word}_tight", likely=likely, limit=limit)
