"""A run as its page shows it: tasks with states and lengths of time, progress, what it waits for, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from plans import queries, results
from plans.core.states import RunState, TaskKind, TaskState
from plans.models import Request, Run, Task
from plans.queries import TaskLine
from plans.web.shown.counts import items_note
from plans.web.shown.previews import OutputShown, output_shown
from plans.web.shown.states import STATES, Shown, run_state, task_state
from plans.web.shown.values import duration
from plans.wording import sentence

ORDER = [
    TaskState.SUCCEEDED,
    TaskState.FAILED,
    TaskState.RETRYING,
    TaskState.RUNNING,
    TaskState.WAITING,
    TaskState.READY,
    TaskState.PENDING,
    TaskState.SKIPPED,
    TaskState.CANCELLED,
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShown:
    task: Task
    key: str
    name: str
    state: Shown
    attempt: int
    seconds: str
    error: str
    note: str = ""
    """Of a fan-out: how far its items are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Steps of one milestone; `head` is None for those without one."""

    head: TaskShown | None
    tasks: list[TaskShown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many steps are in a state; `x` and `width` place it in the bar, in percent."""

    state: str
    word: str | Promise
    css: str
    n: int
    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultShown:
    task: Task
    output: OutputShown


@dataclass(frozen=True, slots=True, kw_only=True)
class RunShown:
    run: Run
    state: Shown
    seconds: str
    error: str
    groups: list[Group]
    counts: list[Count]
    done: int
    total: int
    requests: list[Request]
    gaps: list[TaskShown]
    results: list[ResultShown]

    @property
    def moves(self) -> bool:
        """True while the page may change without this person doing anything."""
        return self.run.state in {RunState.PLANNING, RunState.RUNNING}

    @property
    def pausable(self) -> bool:
        return is_pausable(self.run)

    @property
    def resumable(self) -> bool:
        return is_resumable(self.run)


def is_pausable(run: Run) -> bool:
    return run.state == RunState.RUNNING and not run.pause_requested_at and not run.cancel_requested_at


def is_resumable(run: Run) -> bool:
    return not run.is_terminal and run.pause_requested_at is not None and not run.cancel_requested_at


def run_shown(run: Run, now: datetime) -> RunShown:
    """Return `run` for display with a fixed number of queries, whatever its size."""
    requests = queries.run_requests(run)
    lines = queries.task_lines(run, requests)
    counted = queries.progress(lines)
    found = results.result_items(run) if run.state == RunState.SUCCEEDED else []
    return RunShown(
        run=run,
        state=run_state(run, requests[0].kind if requests else None),
        seconds=length(run.started_at, run.ended_at, now),
        error=said(run.error),
        groups=_groups(lines, now),
        counts=_counts(counted),
        done=counted[TaskState.SUCCEEDED] + counted[TaskState.SKIPPED],
        total=sum(counted.values()),
        requests=requests,
        gaps=[task_shown(line, now) for line in queries.gaps(lines)],
        results=[
            ResultShown(task=item.task, output=output_shown(item.name, item.artifact, item.value)) for item in found
        ],
    )


def task_shown(line: TaskLine, now: datetime) -> TaskShown:
    task = line.task
    return TaskShown(
        task=task,
        key=task.key,
        name=str(task),
        state=task_state(task, line.open_kind),
        attempt=task.attempt,
        seconds=length(task.started_at, task.ended_at, now) if task.state != TaskState.SKIPPED else "",
        error=said(task.error) if task.state != TaskState.SUCCEEDED else "",
        note=items_note(line.items),
    )


def _groups(lines: Sequence[TaskLine], now: datetime) -> list[Group]:
    """Return steps under their milestones, each milestone where its first step stands."""
    heads = {line.task.key: line for line in lines if line.task.kind == TaskKind.MILESTONE}
    steps: dict[str, list[TaskShown]] = {}
    for line in lines:
        if line.task.kind == TaskKind.STEP:
            steps.setdefault(line.task.milestone_key, []).append(task_shown(line, now))
    order = [*steps, *(key for key in heads if key not in steps)]
    return [
        Group(head=task_shown(heads[key], now) if key in heads else None, tasks=steps.get(key, [])) for key in order
    ]


def _counts(counted: Mapping[str, int]) -> list[Count]:
    """Return how many steps are in each state, those nobody is in too: the page goes on counting."""
    total = sum(counted.values())
    counts: list[Count] = []
    before = 0
    for state in ORDER if total else []:
        shown, n = STATES[state], counted.get(state, 0)
        x, width = f"{100 * before / total:.3f}%", f"{100 * n / total:.3f}%"
        counts.append(Count(state=state, word=shown.word, css=shown.css, n=n, x=x, width=width))
        before += n
    return counts


def said(error: Mapping[str, object] | None) -> str:
    """Return the sentence of a stored error."""
    if not error:
        return ""
    params = error.get("params")
    return sentence(str(error["code"]), params if isinstance(params, dict) else {})


def length(start: datetime | None, end: datetime | None, now: datetime) -> str:
    """Return how long something took, or has taken until `now`."""
    return duration(((end or now) - start).total_seconds()) if start else ""
