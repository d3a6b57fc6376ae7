"""What a plan will take: seconds and USD for each task and for the whole, from history, the plan itself and defaults.

Of several sources the best is taken: what the skill's ended attempts took, what the plan says, what the skill says, what
skills of its kind take. The whole is a list schedule: ready tasks in order of their longest remaining path, as many at
once as there are slots, never faster than pools and rates allow. Asking and waiting for people is not counted.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plans.core import graph, tokens
from plans.core.catalogue import Catalogue, SkillInfo, find
from plans.core.circumstances import Circumstances, Price, Usual
from plans.core.jsontypes import JsonObject
from plans.core.kinds import RunsIn
from plans.core.spec import TaskSpec

UNKNOWN_ITEMS = 5
"""Items of a fan-out whose list only the run knows."""
_UNKNOWN_ITEMS_HIGH = 20
_SECONDS = {RunsIn.ENGINE: 0.0, RunsIn.THREAD: 5.0, RunsIn.PROCESS: 2.0}
_MODEL_SECONDS = 20.0
_DEFAULT_QUALITY = "small"
_LONGEST_COUNTED = 20_000
_ANSWER_TOKENS = 1_000
_MATERIAL_TOKENS = 2_000
"""What a call of a model reads besides its prompt, where nothing is known of it."""
# A guess may be this much off, down and up; the plan's own figure is better than the skill's, and that than none.
_PLAN_SPREAD = (0.5, 2.0)
_GUESS_SPREAD = (0.3, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Seconds and USD: what is likely, and between what it may lie. `usd` is None where no price is known."""

    seconds: float
    seconds_low: float
    seconds_high: float
    usd: float | None = None
    usd_low: float | None = None
    usd_high: float | None = None

    def times(self, items: int, items_high: int) -> Figure:
        """Return the figure of that many calls, one after the other."""
        return Figure(
            seconds=self.seconds * items,
            seconds_low=self.seconds_low * min(items, 1 if items_high > items else items),
            seconds_high=self.seconds_high * items_high,
            usd=_times(self.usd, items),
            usd_low=_times(self.usd_low, min(items, 1 if items_high > items else items)),
            usd_high=_times(self.usd_high, items_high),
        )


@dataclass(slots=True, kw_only=True)
class Work:
    """What is to be estimated. `ordered` are the tasks upstream first; `items` the lengths of lists that are known.

    `figures` and `widths` are filled by `estimate`.
    """

    tasks: Mapping[str, TaskSpec]
    upstream: graph.Upstream
    ordered: Sequence[str]
    catalogue: Catalogue
    circumstances: Circumstances
    items: Mapping[str, int] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)
    widths: dict[str, int] = field(default_factory=dict)


def figures(work: Work) -> dict[str, Figure]:
    """Return task -> what it will take, all items of a fan-out together."""
    found = {}
    for task in work.tasks.values():
        figure = _figure(task, work)
        if task.for_each is not None:
            known = work.items.get(task.id)
            items, high = (known, known) if known is not None else (UNKNOWN_ITEMS, _UNKNOWN_ITEMS_HIGH)
            figure = figure.times(items, high)
        found[task.id] = figure
    return found


def _figure(task: TaskSpec, work: Work) -> Figure:
    info = find(work.catalogue, task.skill)
    usual = work.circumstances.usual.get(task.skill)
    seconds = _seconds(task, info, usual)
    usd = _usd(task, info, usual, work.circumstances.prices)
    return Figure(
        seconds=seconds[1], seconds_low=seconds[0], seconds_high=seconds[2], usd=usd[1], usd_low=usd[0], usd_high=usd[2]
    )


def _seconds(task: TaskSpec, info: SkillInfo | None, usual: Usual | None) -> tuple[float, float, float]:
    """Return low, likely and high."""
    if usual is not None:
        return min(usual.seconds, usual.seconds_low), usual.seconds, max(usual.seconds, usual.seconds_high)
    if task.estimate.seconds is not None:
        return _spread(task.estimate.seconds, _PLAN_SPREAD)
    if info is None or info.free_params:
        return _spread(graph.UNKNOWN_SECONDS, _GUESS_SPREAD)
    if info.seconds is not None:
        return _spread(info.seconds, _PLAN_SPREAD)
    waits = _waits(task, info)
    if waits is not None:
        return waits, waits, waits
    if info.instant:
        return 0.0, 0.0, 0.0
    return _spread(_MODEL_SECONDS if info.asks_model else _SECONDS[info.runs_in], _GUESS_SPREAD)


def _waits(task: TaskSpec, info: SkillInfo) -> float | None:
    """Return the seconds that a param says (marked `x-seconds`), None when no param does."""
    known = info.params_schema.get("properties", {})
    given = (value for name, value in task.params.items() if known.get(name, {}).get("x-seconds"))
    return next(
        (float(value) for value in given if isinstance(value, int | float) and not isinstance(value, bool)), None
    )


def _usd(
    task: TaskSpec, info: SkillInfo | None, usual: Usual | None, prices: Mapping[str, Price]
) -> tuple[float | None, float | None, float | None]:
    if usual is not None and usual.usd is not None:
        return usual.usd, usual.usd, usual.usd_high if usual.usd_high is not None else usual.usd
    if task.estimate.usd is not None:
        return _spread(task.estimate.usd, _PLAN_SPREAD)
    if info is None or info.free_params:
        return None, None, None
    if not info.asks_model:
        return 0.0, 0.0, 0.0
    price = prices.get(str(task.params.get("quality", _DEFAULT_QUALITY)))
    return (None, None, None) if price is None else _spread(_call_usd(task, price), _GUESS_SPREAD)


def _call_usd(task: TaskSpec, price: Price) -> float:
    """Return the price of one call: the prompt and some material in, at most what is asked for out."""
    prompt = sum(tokens.estimate(value[:_LONGEST_COUNTED]) for value in task.params.values() if isinstance(value, str))
    most = task.params.get("max_tokens")
    out = min(most, _ANSWER_TOKENS) if isinstance(most, int) and most > 0 else _ANSWER_TOKENS
    return ((prompt + _MATERIAL_TOKENS) * price.input_usd + out * price.output_usd) / 1_000_000


def _spread(value: float, spread: tuple[float, float]) -> tuple[float, float, float]:
    return value * spread[0], value, value * spread[1]


def _times(value: float | None, count: int) -> float | None:
    return None if value is None else value * count


def estimate(work: Work) -> JsonObject:
    """Return `{"seconds", "usd", "low", "high", "tasks"}`, low and high as `{"seconds", "usd"}`, tasks by id likewise.

    `usd` is None where no cost is known at all. Raises CycleError.
    """
    work.figures = figures(work)
    work.widths = {name: _width(work, name) for name in work.tasks}
    made = work.figures.values()
    whole = {
        "seconds": makespan(work, {name: each.seconds for name, each in work.figures.items()}),
        "usd": _total([each.usd for each in made]),
    }
    low = makespan(work, {name: each.seconds_low for name, each in work.figures.items()})
    high = makespan(work, {name: each.seconds_high for name, each in work.figures.items()})
    return {
        **whole,
        "low": {"seconds": low, "usd": _total([each.usd_low for each in made])},
        "high": {"seconds": high, "usd": _total([each.usd_high for each in made])},
        "tasks": {name: {"seconds": round(each.seconds, 3), "usd": each.usd} for name, each in work.figures.items()},
    }


def _total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if known else None


def makespan(work: Work, seconds: Mapping[str, float]) -> float:
    """Return the seconds from the first start to the last end. `seconds` are those of all calls of a task together."""
    slots = work.circumstances.slots
    whole = _unbounded(work, seconds) if slots is None else _scheduled(work, seconds, max(1, slots))
    return round(max([whole, *_held_up(work, seconds)]), 3)


def durations(work: Work) -> dict[str, float]:
    """Return task -> the likely seconds from its start to its end, items of a fan-out side by side."""
    return {name: each.seconds / max(1, work.widths[name]) for name, each in work.figures.items()}


def _unbounded(work: Work, seconds: Mapping[str, float]) -> float:
    """Return the longest chain, where as many tasks as are ready run at once."""
    ended: dict[str, float] = {}
    for name in work.ordered:
        ups = work.upstream[name]
        begun = max(map(ended.__getitem__, ups)) if ups else 0.0
        ended[name] = begun + seconds[name] / (work.widths[name] or 1)
    return max(ended.values(), default=0.0)


def _scheduled(work: Work, seconds: Mapping[str, float], slots: int) -> float:
    """Run the plan on paper: whenever a slot is free it takes the ready task with the longest remaining path."""
    left = graph.remaining(work.upstream, seconds, work.ordered)
    downstream = graph.downstream_of(work.upstream)
    waiting = {name: len(set(ups)) for name, ups in work.upstream.items()}
    ready = [(-left[name], name) for name, count in waiting.items() if not count]
    heapq.heapify(ready)
    running: list[tuple[float, str, int]] = []
    now, free = 0.0, slots
    while ready or running:
        while ready and free:
            _, name = heapq.heappop(ready)
            wide = min(work.widths[name], free)
            free -= wide
            heapq.heappush(running, (now + seconds[name] / max(1, wide), name, wide))
        now, name, wide = heapq.heappop(running)
        free += wide
        for down in downstream[name]:
            waiting[down] -= 1
            if not waiting[down]:
                heapq.heappush(ready, (-left[down], down))
    return now


def _width(work: Work, name: str) -> int:
    """Return how many slots a task takes: none where the engine runs it, one for each item of a fan-out at once."""
    task = work.tasks[name]
    info = find(work.catalogue, task.skill)
    if info is not None and info.runs_in == RunsIn.ENGINE:
        return 0
    if task.for_each is None:
        return 1
    items = work.items.get(name, UNKNOWN_ITEMS)
    return max(1, min(items, task.items_at_once or items))


def _held_up(work: Work, seconds: Mapping[str, float]) -> list[float]:
    """Return how long pools and rates keep the plan at least."""
    load: dict[str, float] = defaultdict(float)
    for name, task in work.tasks.items():
        pool = (work.circumstances.pools or {}).get(task.pool or "")
        if task.pool and pool:
            load[task.pool] += seconds[name] * min(task.weight, pool) / pool
    return [*load.values(), *rate_seconds(work).values()]


def rate_seconds(work: Work) -> dict[str, float]:
    """Return skill -> the seconds its calls take at the rate an operator allows, when that is more than a minute's worth."""
    calls: dict[str, int] = defaultdict(int)
    for task in work.tasks.values():
        calls[task.skill] += work.items.get(task.id, UNKNOWN_ITEMS) if task.for_each is not None else 1
    found = {}
    for skill, count in calls.items():
        info = find(work.catalogue, skill)
        rate = info.calls_per_minute if info else None
        if rate and count > rate:
            found[skill] = 60.0 * ((count - 1) // rate)
    return found
