"""What a plan is judged against beside the catalogue: pools, budget, time, slots, and what skills usually take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What the ended attempts of a skill took: the middle one, and the one that nine in ten stay below."""

    seconds: float
    seconds_high: float
    usd: float | None = None
    usd_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD for a million tokens of the model that the `llm` skill would call."""

    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Whatever is None is not known, and what depends on it is not judged. Values, read by the caller.

    `pools` gives the slots of each pool by name; an empty mapping means that there are none. `deadline_seconds` is the
    time left from now, the tighter of the run's deadline and its time budget. `slots` is how many tasks run at once.
    """

    pools: Mapping[str, int] | None = None
    budget_usd: float | None = None
    deadline_seconds: float | None = None
    slots: int | None = None
    unattended: bool = False
    usual: Mapping[str, Usual] = field(default_factory=dict)
    price: Price | None = None


NOTHING_KNOWN = Circumstances()
