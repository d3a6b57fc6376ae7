"""Rows of run lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from plans.core.states import RunState
from plans.models import Run
from plans.web.shown.states import Shown, run_state
from plans.web.shown.values import duration


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    run: Run
    state: Shown
    page: str
    done: int
    total: int
    failed: int
    seconds: str


def rows_shown(runs: Iterable[Any]) -> list[RunRow]:
    """Return rows for runs that carry `total`, `done`, `failed` and `open_kind` (see `queries.runs_page`)."""
    return [
        RunRow(
            run=run,
            state=run_state(run, run.open_kind),
            page="plan" if run.state in {RunState.PLANNING, RunState.REVIEW} else "run",
            done=run.done,
            total=run.total,
            failed=run.failed,
            seconds=duration((run.ended_at - run.started_at).total_seconds())
            if run.started_at and run.ended_at
            else "",
        )
        for run in runs
    ]
