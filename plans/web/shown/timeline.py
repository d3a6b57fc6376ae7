"""The timeline of a run: a bar per attempt, waits between them, now, and the critical path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from plans.core.errors import GraphError
from plans.core.graph import critical_path
from plans.core.states import AttemptState, RequestState, TaskKind, TaskState
from plans.models import Attempt, Dependency, Request, Run
from plans.web.shown.run import Group, RunShown, TaskShown, said
from plans.web.shown.states import NEEDS, attempt_state
from plans.web.shown.timeaxis import Axis
from plans.web.shown.values import duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One attempt or one wait; `until` None: it goes on now."""

    start: datetime
    until: datetime | None
    css: str
    word: str | Promise
    tip: str
    is_wait: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    task: TaskShown
    bars: list[Bar]
    is_critical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    axis: Axis
    now: datetime | None
    groups: list[tuple[TaskShown | None, list[Lane]]] = field(default_factory=list)


def timeline_shown(shown: RunShown, now: datetime) -> Timeline | None:
    """Return the timeline of a run that has started, with three queries."""
    run = shown.run
    bars = _bars(run, shown.groups)
    starts = [bar.start for row in bars.values() for bar in row]
    if not starts:
        return None
    end = run.ended_at or now
    start = min([*starts, run.started_at or starts[0]])
    ran = [(bar.start, bar.until or end) for row in bars.values() for bar in row if not bar.is_wait]
    axis = Axis(start, end, [*ran, (end - timedelta(milliseconds=1), end)])
    path = _critical(run, shown.groups, now)
    groups = [
        (group.head, [_lane(task, bars, path) for task in group.tasks if task.task.pk in bars or not run.is_terminal])
        for group in shown.groups
    ]
    return Timeline(axis=axis, now=None if run.is_terminal else now, groups=[group for group in groups if group[1]])


def _lane(task: TaskShown, bars: Mapping[int, list[Bar]], path: frozenset[str]) -> Lane:
    row = sorted(bars.get(task.task.pk, []), key=lambda bar: bar.start)
    return Lane(task=task, bars=row, is_critical=task.key in path)


def _bars(run: Run, groups: Sequence[Group]) -> dict[int, list[Bar]]:
    found: dict[int, list[Bar]] = defaultdict(list)
    attempts = Attempt.objects.filter(task__run=run, task__kind=TaskKind.STEP, task__group="").defer("log", "params")
    for attempt in attempts.order_by("task_id", "number"):
        found[attempt.task_id].append(_attempt_bar(attempt))
    asked = Request.objects.filter(run=run, task__isnull=False).only(
        "task_id", "kind", "state", "created_at", "decided_at"
    )
    for request in asked.order_by("id"):
        if request.task_id is not None and (request.decided_at or request.state == RequestState.OPEN):
            found[request.task_id].append(_wait(request.created_at, request.decided_at, NEEDS[request.kind]))
    for task in (task for group in groups for task in group.tasks):
        if task.task.item_count and task.task.started_at:
            # Its one attempt only made the items; the bar is theirs.
            found[task.task.pk] = [_items_bar(task)]
        if (bar := _pause(task, found.get(task.task.pk, []))) is not None:
            found[task.task.pk].append(bar)
    return found


def _attempt_bar(attempt: Attempt) -> Bar:
    shown = attempt_state(attempt)
    took = duration((attempt.ended_at - attempt.started_at).total_seconds()) if attempt.ended_at else ""
    parts = [_("Attempt %(n)s: %(state)s") % {"n": attempt.number, "state": shown.word}, took]
    parts += [_("worker %(name)s") % {"name": attempt.worker}] if attempt.worker else []
    tip = ", ".join(filter(None, parts))
    error = said(attempt.error)
    is_running = attempt.state == AttemptState.RUNNING
    return Bar(
        start=attempt.started_at,
        until=attempt.ended_at if not is_running else None,
        css=shown.css,
        word=shown.word,
        tip=f"{tip}. {error}" if error else tip,
    )


def _items_bar(task: TaskShown) -> Bar:
    row = task.task
    tip = ", ".join(filter(None, [str(task.state.word), task.note, task.seconds]))
    start = row.started_at or row.ended_at
    assert start is not None  # noqa: S101 -- the caller has looked
    return Bar(start=start, until=row.ended_at, css=task.state.css, word=task.state.word, tip=tip)


def _wait(start: datetime, until: datetime | None, word: str | Promise) -> Bar:
    took = duration((until - start).total_seconds()) if until else ""
    tip = ", ".join(filter(None, [str(word), took]))
    return Bar(start=start, until=until, css="s-approval", word=word, tip=tip, is_wait=True)


def _pause(task: TaskShown, bars: Sequence[Bar]) -> Bar | None:
    """Return the wait for a moment that a task is in."""
    row = task.task
    ended = [bar.until for bar in bars if bar.until]
    if row.state not in {TaskState.RETRYING, TaskState.WAITING} or not row.ready_at or not ended:
        return None
    return _wait(max(ended), row.ready_at, task.state.word)


def _critical(run: Run, groups: Sequence[Group], now: datetime) -> frozenset[str]:
    """Return the steps of the longest chain, by how long steps took or have taken, estimates for the rest."""
    tasks = [task.task for group in groups for task in group.tasks]
    heads = [group.head.task for group in groups if group.head]
    upstream: dict[str, set[str]] = {task.key: set() for task in [*tasks, *heads]}
    pairs = Dependency.objects.filter(downstream__run=run).order_by().values_list("upstream__key", "downstream__key")
    for up, down in pairs:
        if up in upstream and down in upstream:
            upstream[down].add(up)
    estimates = _estimates(run)
    seconds = {head.key: 0.0 for head in heads}
    for task in tasks:
        took = ((task.ended_at or now) - task.started_at).total_seconds() if task.started_at else 0.0
        seconds[task.key] = took if task.ended_at else max(took, estimates.get(task.key, 1.0))
        if task.state == TaskState.SKIPPED:
            seconds[task.key] = 0.0
    try:
        return frozenset(critical_path(upstream, seconds))
    except GraphError:
        return frozenset()


def _estimates(run: Run) -> dict[str, float]:
    plan = run.revision.plan if run.revision else {}
    return {
        str(step["id"]): float((step.get("estimate") or {}).get("seconds") or 1.0) for step in plan.get("tasks", [])
    }
