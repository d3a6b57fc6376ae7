"""What a plan is judged against beside the catalogue: pools, budget, time, slots, and what skills usually take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What the ended attempts of a skill took: the middle one, and what one and nine in ten stay below."""

    seconds: float
    seconds_low: float
    seconds_high: float
    usd: float | None = None
    usd_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD for a million tokens of a model."""

    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Whatever is None is not known, and what depends on it is not judged. Values, read by the caller.

    `pools` gives the slots of each pool by name; an empty mapping means that there are none. `deadline_seconds` is the
    time left from now, the tighter of the run's deadline and its time budget. `slots` is how many tasks run at once.
    `unattended` says that nobody is asked about risky steps. `inputs` names the attachments and parameters that come.
    `prices` holds a price by the quality that an `llm` step asks for (`small`, `normal`, `best`).
    """

    pools: Mapping[str, int] | None = None
    budget_usd: float | None = None
    deadline_seconds: float | None = None
    slots: int | None = None
    unattended: bool = False
    usual: Mapping[str, Usual] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    inputs: frozenset[str] | None = None


NOTHING_KNOWN = Circumstances()
