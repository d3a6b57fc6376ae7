"""Reads about the items of fan-outs, for pages: how many are in which state, and a page of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db.models import Case, CharField, Count, F, Value, When

from plans.core import fan_out
from plans.core.states import SkipReason, TaskState
from plans.models import Run, Task

# A step as counts see it: a fan-out whose items are not all done reads as running, not as pending.
SEEN_STATE = Case(
    When(state=TaskState.PENDING, item_count__gt=0, then=Value(TaskState.RUNNING.value)),
    default=F("state"),
    output_field=CharField(),
)
MISSING = frozenset({SkipReason.ON_FAILURE, SkipReason.PERSON})
Group = tuple[int, str]
"""Run id and key of the fan-out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCounts:
    """How many items are in each state; `missing` were skipped after a failure or by a person."""

    states: Counter[str] = field(default_factory=Counter)
    missing: int = 0

    @property
    def total(self) -> int:
        return self.states.total()

    @property
    def done(self) -> int:
        return self.states[TaskState.SUCCEEDED] + self.states[TaskState.SKIPPED]


def counts(groups: Collection[Group]) -> dict[Group, ItemCounts]:
    """Return the counts of these fan-outs, with one query."""
    if not groups:
        return {}
    rows = Task.objects.filter(run__in={run for run, _ in groups}, group__in={key for _, key in groups}).order_by()
    states: dict[Group, Counter[str]] = {group: Counter() for group in groups}
    missing: Counter[Group] = Counter()
    for run_id, group, state, reason, n in rows.values_list("run_id", "group", "state", "reason").annotate(
        n=Count("pk")
    ):
        if (run_id, group) in states:
            states[run_id, group][state] += n
            missing[run_id, group] += n if state == TaskState.SKIPPED and reason in MISSING else 0
    return {group: ItemCounts(states=found, missing=missing[group]) for group, found in states.items()}


def of_tasks(tasks: Sequence[Task]) -> dict[str, ItemCounts]:
    """Return the counts of the fan-outs among the tasks of one run, by key, and let each read as its items do.

    The rows are for display: a fan-out's `state` in them may differ from what is stored.
    """
    groups = [task for task in tasks if task.item_count]
    found = {key: each for (_, key), each in counts({(task.run_id, task.key) for task in groups}).items()}
    for task in groups:
        task.state = fan_out.seen_state(task.state, found[task.key].states)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """Some items in the order of their list. `before` and `after` are the places to ask for others with, None: no more."""

    rows: Sequence[Task]
    before: int | None
    after: int | None


def page(run: Run, group: str, *, state: str = "", start: int = 0, limit: int = 50) -> ItemPage:
    """Return the items from index `start` on, those in `state` alone where one is given."""
    items = Task.objects.filter(run=run, group=group)
    if state:
        items = items.filter(state=state)
    rows = list(items.filter(item_index__gte=start).order_by("item_index").defer("outputs", "checkpoint")[: limit + 1])
    before = items.filter(item_index__lt=start).order_by("-item_index").values_list("item_index", flat=True)[:limit]
    earlier = [index for index in before if index is not None]
    return ItemPage(
        rows=rows[:limit],
        before=min(earlier, default=None),
        after=rows[limit].item_index if len(rows) > limit else None,
    )
