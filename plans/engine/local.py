"""Drain in the caller's process: for `--local`, where no worker runs."""

from __future__ import annotations

import time

from plans.core.skill import Runner
from plans.core.states import TaskState
from plans.engine import drain, sweeper
from plans.models import Run, Task

PAUSE_SECONDS = 0.05


def drain_until_done(run: Run, runner: Runner, timeout_seconds: float, *, until: frozenset[str] = frozenset()) -> None:
    """Work until `run` has ended, is in one of the states `until`, waits for a person, or the time is over."""
    deadline = time.monotonic() + timeout_seconds
    memory = sweeper.Memory()
    while time.monotonic() < deadline:
        drain.drain(runner)
        sweeper.sweep_once(memory)
        run.refresh_from_db()
        if run.is_terminal or run.state in until:
            return
        if not _can_move(run):
            return
        time.sleep(PAUSE_SECONDS)


def _can_move(run: Run) -> bool:
    """Tell whether anything of `run` moves without a person."""
    rows = Task.objects.filter(run=run)
    if rows.filter(state=TaskState.RUNNING).exists():
        return True
    rows = rows.filter(held=False)
    if rows.filter(state__in=[TaskState.READY, TaskState.RETRYING]).exists():
        return True
    return rows.filter(state=TaskState.WAITING, ready_at__isnull=False).exists()
