"""A run as its page shows it: tasks with states and lengths of time, progress, what it waits for, the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from plans import queries
from plans.core.states import RunState, TaskKind, TaskState
from plans.models import Attempt, Request, Run, Task
from plans.queries import TaskLine
from plans.web.shown.events import EventShown, events_shown
from plans.web.shown.previews import OutputShown, output_shown, outputs_shown
from plans.web.shown.states import STATES, Shown, attempt_state, needs, run_state, task_state
from plans.web.shown.values import Named, duration, named_all
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
LAST_EVENTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShown:
    key: str
    name: str
    state: Shown
    attempt: int
    seconds: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Steps of one milestone; `head` is None for those without one."""

    head: TaskShown | None
    tasks: list[TaskShown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many steps are in a state; `x` and `width` place it in the bar, in percent."""

    word: str | Promise
    css: str
    n: int
    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptShown:
    number: int
    state: Shown
    worker: str
    started_at: datetime
    seconds: str
    error: str
    params: list[Named]
    has_log: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPanel:
    """Everything about one task."""

    task: Task
    state: Shown
    description: str
    expected: str
    skill: str
    error: str
    upstream: list[Task]
    downstream: list[Task]
    attempts: list[AttemptShown]
    outputs: list[OutputShown]
    decided: list[Request]
    run_if: str


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
    events: list[EventShown]
    older_events: int | None

    @property
    def moves(self) -> bool:
        """True while the page may change without this person doing anything."""
        return self.run.state in {RunState.PLANNING, RunState.RUNNING}


def run_shown(run: Run, now: datetime) -> RunShown:
    """Return `run` for display with a fixed number of queries, whatever its size."""
    requests = queries.run_requests(run)
    lines = queries.task_lines(run, requests)
    page = queries.events_page(run, limit=LAST_EVENTS)
    counted = queries.progress(lines)
    results = queries.result_items(run) if run.state == RunState.SUCCEEDED else []
    return RunShown(
        run=run,
        state=run_state(run, requests[0].kind if requests else None),
        seconds=_length(run.started_at, run.ended_at, now),
        error=sentence(run.error["code"], run.error.get("params")) if run.error else "",
        groups=_groups(lines, now),
        counts=_counts(lines),
        done=counted[TaskState.SUCCEEDED] + counted[TaskState.SKIPPED],
        total=sum(counted.values()),
        requests=requests,
        gaps=[task_shown(TaskLine(task=task, open_kind=None), now) for task in queries.gaps(lines)],
        results=[
            ResultShown(task=item.task, output=output_shown(item.name, item.artifact, item.value)) for item in results
        ],
        events=events_shown(page.rows, queries.task_names(run)),
        older_events=page.older,
    )


def task_shown(line: TaskLine, now: datetime) -> TaskShown:
    task = line.task
    return TaskShown(
        key=task.key,
        name=str(task),
        state=task_state(task, line.open_kind),
        attempt=task.attempt,
        seconds=_length(task.started_at, task.ended_at, now) if task.state != TaskState.SKIPPED else "",
        error=_error(task.error),
    )


def task_panel(task: Task, requests: Sequence[Request], now: datetime) -> TaskPanel:
    detail = queries.task_detail(task)
    kind = next((request.kind for request in requests if request.task_id == task.pk), None)
    return TaskPanel(
        task=task,
        state=task_state(task, kind),
        description=task.spec.get("description", ""),
        expected=task.spec.get("expected_output", ""),
        skill=task.skill,
        error=_error(task.error),
        upstream=detail.upstream,
        downstream=detail.downstream,
        attempts=[attempt_shown(attempt, now) for attempt in detail.attempts],
        outputs=outputs_shown(task.outputs, detail.artifacts),
        decided=detail.decided,
        run_if=task.spec.get("run_if") or "",
    )


def attempt_shown(attempt: Attempt, now: datetime) -> AttemptShown:
    return AttemptShown(
        number=attempt.number,
        state=attempt_state(attempt),
        worker=attempt.worker,
        started_at=attempt.started_at,
        seconds=_length(attempt.started_at, attempt.ended_at, now),
        error=_error(attempt.error),
        params=named_all(attempt.params),
        has_log=bool(attempt.log),
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


def _counts(lines: Sequence[TaskLine]) -> list[Count]:
    """Return how many steps are in each state; waiting ones count by what they need."""
    steps = [line for line in lines if line.task.kind == TaskKind.STEP]
    counted = Counter(
        (line.task.state, line.open_kind if line.task.state == TaskState.WAITING else None) for line in steps
    )
    counts: list[Count] = []
    before = 0
    for (state, kind), n in sorted(
        counted.items(), key=lambda entry: (ORDER.index(TaskState(entry[0][0])), str(entry[0][1]))
    ):
        shown = needs(kind) if kind else STATES[state]
        x, width = f"{100 * before / len(steps):.3f}%", f"{100 * n / len(steps):.3f}%"
        counts.append(Count(word=shown.word, css=shown.css, n=n, x=x, width=width))
        before += n
    return counts


def _error(error: Mapping[str, object] | None) -> str:
    if not error:
        return ""
    params = error.get("params")
    return sentence(str(error["code"]), params if isinstance(params, dict) else {})


def _length(start: datetime | None, end: datetime | None, now: datetime) -> str:
    return duration(((end or now) - start).total_seconds()) if start else ""
