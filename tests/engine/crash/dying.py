"""A process that is killed (-9) at one commit of its work, and what must hold of a run afterwards."""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from collections.abc import Callable

from django.db import connections

from plans.core.states import TASK_TERMINAL
from plans.engine import boundaries
from plans.engine.boundaries import Boundary, Side
from plans.models import Event, Run
from tests.engine.plant import check_history

ENDS = {"task.succeeded", "task.failed", "task.skipped", "task.cancelled"}
RUN_ENDS = {"run.succeeded", "run.failed", "run.cancelled"}


def dies_at(boundary: Boundary, number: int, side: Side, work: Callable[[], object]) -> bool:
    """Do `work` in a forked process that is killed at its `number`-th commit of that kind, on that side of it.

    Return False when the work came to its end before. The program is loaded already, so a death costs milliseconds and
    every commit can have its own.
    """
    # A connection must not be shared by two processes.
    connections.close_all()
    with warnings.catch_warnings():
        # The other threads of this process serve sockets; the child leaves without them.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        os._exit(_work_until(boundary, number, side, work))
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the work failed in the child: its traceback is on stderr"
    return False


def _work_until(boundary: Boundary, number: int, side: Side, work: Callable[[], object]) -> int:
    passed = 0

    def hook(reached: Boundary, where: Side) -> None:
        nonlocal passed
        passed += (reached, where) == (boundary, side)
        if passed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        boundaries.watch(hook)
        work()
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def check_legal(run: Run) -> None:
    """Assert that history has no gap, that no attempt ran beside another and nothing moved after its end."""
    check_history(run)
    assert run.left == 0
    assert not run.tasks.exclude(state__in=TASK_TERMINAL).exists()
    assert not run.request_rows.filter(state="open").exists()
    running: set[str] = set()
    ended: set[str] = set()
    for event in Event.objects.filter(run=run).order_by("seq"):
        key = event.task_key
        if event.kind == "task.running":
            assert key not in running | ended, (key, event.seq)
            running.add(key)
        elif event.kind in ENDS:
            assert key not in ended, (key, event.seq)
            ended.add(key)
            running.discard(key)
        elif event.kind == "task.reopened":
            ended.discard(key)
        elif event.kind in {"task.lost", "task.retrying", "task.waiting", "task.interrupted", "task.expanded"}:
            running.discard(key)
    assert not running
    ends = [event.kind for event in Event.objects.filter(run=run, kind__in=RUN_ENDS)]
    assert len(ends) == 1
    for task in run.tasks.all():
        numbers = list(task.attempts.order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, task.attempt + 1))
        assert not task.attempts.filter(state="running").exists()
