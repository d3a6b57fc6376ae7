"""Rows of run lists: state, progress in segments, length of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils.functional import Promise

from plans.core.states import RequestState, RunState, TaskKind, TaskState
from plans.items import SEEN_STATE
from plans.models import Request, Run, Task
from plans.web.shown.states import STATES, Shown, run_state
from plans.web.shown.values import duration

ORDER = (
    TaskState.SUCCEEDED,
    TaskState.FAILED,
    TaskState.RUNNING,
    TaskState.RETRYING,
    TaskState.WAITING,
    TaskState.READY,
    TaskState.PENDING,
    TaskState.SKIPPED,
    TaskState.CANCELLED,
)
GAP = 0.6
PATTERNS = {"s-failed": "p-failed", "s-approval": "p-approval", "s-retrying": "p-retrying"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part of the progress bar; `x` and `width` place it, in percent."""

    word: str | Promise
    css: str
    n: int
    x: str
    width: str

    @property
    def pattern(self) -> str:
        """Return what is laid over the colour: the bar is read without colours as well."""
        return PATTERNS.get(self.css, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    run: Run
    state: Shown
    page: str
    done: int
    total: int
    failed: int
    seconds: str
    segments: list[Segment]

    @property
    def moves(self) -> bool:
        """True while this row may change without this person doing anything."""
        return self.run.state in {RunState.PLANNING, RunState.RUNNING}


def rows_shown(runs: Iterable[Run], now: datetime) -> list[RunRow]:
    """Return rows for `runs` with two queries, however many they are."""
    listed = list(runs)
    counts: dict[int, Counter[str]] = {run.pk: Counter() for run in listed}
    steps = Task.objects.filter(run__in=counts, kind=TaskKind.STEP, group="").order_by()
    for pk, state, n in steps.values_list("run_id", SEEN_STATE).annotate(n=Count("id")):
        counts[pk][state] = n
    asked = Request.objects.filter(run__in=counts, state=RequestState.OPEN).order_by("-id")
    kinds = dict(asked.values_list("run_id", "kind"))
    return [_row(run, counts[run.pk], kinds.get(run.pk), now) for run in listed]


def _row(run: Run, counted: Counter[str], kind: str | None, now: datetime) -> RunRow:
    return RunRow(
        run=run,
        state=run_state(run, kind),
        page="plan" if run.state in {RunState.PLANNING, RunState.REVIEW} else "run",
        done=counted[TaskState.SUCCEEDED] + counted[TaskState.SKIPPED],
        total=counted.total(),
        failed=counted[TaskState.FAILED],
        seconds=duration(((run.ended_at or now) - run.started_at).total_seconds()) if run.started_at else "",
        segments=segments(counted),
    )


def segments(counted: Mapping[str, int]) -> list[Segment]:
    """Return the bar of how many steps are in each state."""
    total, before, parts = sum(counted.values()), 0, []
    for state in ORDER:
        if n := counted.get(state, 0):
            x, width = 100 * before / total, max(100 * n / total - GAP, 0.4)
            shown = STATES[state]
            parts.append(Segment(word=shown.word, css=shown.css, n=n, x=f"{x:.2f}%", width=f"{width:.2f}%"))
            before += n
    return parts
