"""Pools, calls at once and a minute, tasks of a run and items at once: counted from live rows whenever something starts.

Only rows that some limit applies to (`Task.limited`) come through here; all others are claimed by `hot.claim` as before.
There is no counter that could leak: who runs now holds its share, who has ended or waits for a person holds nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q
from django.db.models.functions import Now

from plans.core.states import RunState, TaskState
from plans.engine import reserves
from plans.engine.reserves import micro
from plans.engine.sql import hot_cursor, is_sqlite
from plans.models import Attempt, Hold, Pool, Run, SkillRow, Task

MINUTE = timedelta(seconds=60)
LOOK = 64
# Any number of ours: on PostgreSQL one worker at a time counts and claims; SQLite has one writer anyway.
LOCK_NUMBER = 0x70_6C_61_6E
COLUMNS = ("pk", "run_id", "group", "skill", "pool", "weight", "needs_approval", "reserve_usd")

Key = tuple[str, Any]
"""A limit: ("pool" | "skill" | "rate", name), ("run" | "money", run id) or ("items", (run id, group))."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A ready row as the limits see it."""

    task_id: int
    run_id: int
    group: str
    skill: str
    pool: str
    weight: int
    needs_approval: bool = False
    reserve_usd: Decimal | None = None

    @classmethod
    def of(cls, task: Task) -> Waiting:
        return cls(
            task_id=task.pk,
            run_id=task.run_id,
            group=task.group,
            skill=task.skill,
            pool=task.pool,
            weight=task.weight,
            needs_approval=task.needs_approval,
            reserve_usd=task.reserve_usd,
        )

    def applying(self) -> list[Key]:
        """Return the limits that may apply to it."""
        keys: list[Key] = [("skill", self.skill), ("rate", self.skill), ("run", self.run_id)]
        if self.pool:
            keys.append(("pool", self.pool))
        if self.reserve_usd is not None:
            keys.append(("money", self.run_id))
        if self.group:
            keys.append(("items", (self.run_id, self.group)))
        return keys


@dataclass(slots=True, kw_only=True)
class Usage:
    """What each limit allows, and what is used of it now. A key that is not in `limits` holds nothing back."""

    limits: dict[Key, int]
    used: Counter[Key] = field(default_factory=Counter)
    closed: set[Key] = field(default_factory=set)
    """Limits whose next row in line does not fit: nobody overtakes it."""
    held_up: dict[Key, Waiting] = field(default_factory=dict)
    """The row that closed each of them."""
    active_runs: set[int] = field(default_factory=set)

    def take(self, row: Waiting) -> bool:
        """Count `row` in if every limit has room for it; close the limits that have not."""
        wanted = {key: self._share(key, row) for key in row.applying() if key in self.limits}
        full = {key for key, n in wanted.items() if key in self.closed or self.used[key] + n > self.limits[key]}
        if full:
            self.closed |= full
            self.held_up = {**dict.fromkeys(full, row), **self.held_up}
            return False
        self.active_runs.add(row.run_id)
        self.used.update(wanted)
        self.closed |= {key for key in wanted if self.used[key] >= self.limits[key]}
        return True

    def full(self, row: Waiting) -> list[Key]:
        """Return the limits that keep `row` from starting."""
        keys = [key for key in row.applying() if key in self.limits]
        return [key for key in keys if self.used[key] + self._share(key, row) > self.limits[key]]

    def _share(self, key: Key, row: Waiting) -> int:
        # A pool that was made smaller than a task's weight lets it run alone: waiting for ever helps nobody.
        if key[0] == "pool":
            return min(row.weight, self.limits[key])
        return micro(row.reserve_usd or Decimal(0)) if key[0] == "money" else 1

    def broke(self) -> list[int]:
        """Return the rows whose run cannot pay for them, with nothing of the run under way that might cost less."""
        held = ((key[1], row) for key, row in self.held_up.items() if key[0] == "money")
        return [row.task_id for run_id, row in held if run_id not in self.active_runs]

    def out(self) -> Q:
        """Return the condition that a row is held back by a closed limit."""
        held = Q()
        for kind, value in self.closed:
            if kind == "pool":
                held |= Q(pool=value)
            elif kind == "run":
                held |= Q(run_id=value)
            elif kind == "money":
                held |= Q(run_id=value, reserve_usd__isnull=False)
            elif kind == "items":
                run_id, group = value
                held |= Q(run_id=run_id, group=group)
            else:
                held |= Q(skill=value)
        return held


def lock() -> None:
    """Let nobody else count and claim until this transaction ends. Take it before any row."""
    if not is_sqlite():
        with hot_cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_NUMBER])


def usage(rows: Iterable[Waiting]) -> Usage:
    """Count what is used of every limit that applies to one of `rows`."""
    wanted = {key for row in rows for key in row.applying()}
    limits = _limits(wanted)
    found = Usage(limits=limits)
    running = Task.objects.filter(state=TaskState.RUNNING).values_list(*COLUMNS)
    for row in map(_waiting, running) if limits else ():
        found.active_runs.add(row.run_id)
        for key in row.applying():
            if key in limits and key[0] not in {"rate", "money"}:
                found.used[key] += row.weight if key[0] == "pool" else 1
    rated = [key[1] for key in limits if key[0] == "rate"]
    if rated:
        recent = Attempt.objects.filter(rated_skill__in=rated, started_at__gt=Now() - MINUTE)
        # what a clock that was set back says is yet to come would close the rate for as long as that
        recent = recent.filter(started_at__lte=Now()).order_by()
        for skill, n in recent.values_list("rated_skill").annotate(n=Count("pk")):
            found.used["rate", skill] = n
    for run_id, spent in reserves.used([key[1] for key in limits if key[0] == "money"]).items():
        found.used["money", run_id] = spent
    return found


def _limits(wanted: set[Key]) -> dict[Key, int]:
    limits: dict[Key, int] = {}
    by_kind: dict[str, list[Any]] = {}
    for kind, value in wanted:
        by_kind.setdefault(kind, []).append(value)
    for name, slots in Pool.objects.filter(name__in=by_kind.get("pool", [])).values_list("name", "slots"):
        limits["pool", name] = slots
    skills = SkillRow.objects.filter(name__in=by_kind.get("skill", []))
    for name, at_once, a_minute in skills.values_list("name", "concurrency", "calls_per_minute"):
        limits |= {("skill", name): at_once} if at_once else {}
        limits |= {("rate", name): a_minute} if a_minute else {}
    runs = Run.objects.filter(pk__in=by_kind.get("run", []), tasks_at_once__isnull=False)
    for pk, at_once in runs.values_list("pk", "tasks_at_once"):
        limits["run", pk] = at_once or 1
    paying = Run.objects.filter(pk__in=by_kind.get("money", []), budget_usd__isnull=False)
    for pk, budget in paying.values_list("pk", "budget_usd"):
        limits["money", pk] = micro(budget or Decimal(0))
    groups: list[tuple[int, str]] = by_kind.get("items", [])
    if groups:
        keys = Q(run_id__in={run_id for run_id, _ in groups}, key__in={key for _, key in groups})
        rows = Task.objects.filter(keys, items_at_once__isnull=False).values_list("run_id", "key", "items_at_once")
        limits |= {("items", (run_id, key)): at_once or 1 for run_id, key, at_once in rows}
    return limits


def _waiting(row: Sequence[object]) -> Waiting:
    names = ("task_id", *COLUMNS[1:])
    return Waiting(**dict(zip(names, row, strict=True)))  # type: ignore[arg-type]


def in_line() -> Q:
    """Return the condition of a limited row with nothing left to decide: only room is missing."""
    return Q(state=TaskState.READY, held=False, gated=True, limited=True, decided=True)


def next_ones(free: int) -> tuple[list[Waiting], list[int]]:
    """Return up to `free` rows that have room, in the claim's order, and the ids of those their run cannot pay for.

    Holds for the transaction that holds `lock`.
    """
    if Hold.objects.exists():
        return [], []
    line = Task.objects.filter(in_line())
    classes = line.order_by().values_list("run_id", "group", "skill", "pool", "reserve_usd").distinct()
    counted = usage(
        Waiting(task_id=0, run_id=run_id, group=group, skill=skill, pool=pool, weight=1, reserve_usd=reserve)
        for run_id, group, skill, pool, reserve in classes
    )
    picked: dict[int, Waiting] = {}
    while len(picked) < free:
        rows = line.exclude(pk__in=picked).exclude(counted.out()) if counted.closed else line.exclude(pk__in=picked)
        found = [_waiting(row) for row in rows.order_by("-priority", "-rank", "pk").values_list(*COLUMNS)[:LOOK]]
        before = len(picked), len(counted.closed)
        for row in found:
            if len(picked) < free and counted.take(row):
                picked[row.task_id] = row
        if not found or (len(picked), len(counted.closed)) == before:
            break
    return list(picked.values()), counted.broke()


def admits(task: Task) -> bool:
    """Tell whether a limited task may start now. Holds for the transaction that holds `lock`."""
    row = Waiting.of(task)
    return usage([row]).take(row)


def claimable() -> int:
    """Return how many ready rows workers may be expected to take now: not held, not paused, not waiting for room."""
    if Hold.objects.exists():
        return 0
    ready = Task.objects.filter(state=TaskState.READY, held=False)
    line = ready.filter(in_line()).count()
    return ready.count() - line + (min(line, 1) and has_room())


def has_room() -> bool:
    """Tell whether any row in line could start now: what the watchdog may expect workers to take."""
    rows, broke = next_ones(1)
    return bool(rows or broke)


def note_rate(attempts: Mapping[int, tuple[int, str]]) -> None:
    """Write down which of these attempts (task id → number, skill) count against a rate."""
    skills = {skill for _, skill in attempts.values()}
    rated = set(SkillRow.objects.filter(name__in=skills, calls_per_minute__isnull=False).values_list("name", flat=True))
    for task_id, (number, skill) in attempts.items():
        if skill in rated:
            Attempt.objects.filter(task_id=task_id, number=number).update(rated_skill=skill)


def limit_skill(name: str) -> None:
    """An operator has set a limit for a skill: it holds for what waits already, too."""
    waiting = Task.objects.filter(skill=name, run__state__in=[RunState.RUNNING, RunState.PAUSED]).exclude(
        state__in=[TaskState.SUCCEEDED, TaskState.FAILED, TaskState.SKIPPED, TaskState.CANCELLED]
    )
    waiting.filter(gated=False).update(gated=True, limited=True, decided=True)
    waiting.filter(limited=False).update(limited=True)
