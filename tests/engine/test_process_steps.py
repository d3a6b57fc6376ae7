"""Steps that compute in a child process group: the time limit and a cancel really end the work."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from plans.core.errors import SkillCancelled, SkillTimeout
from plans.core.kinds import RunsIn
from plans.core.skill import Outputs
from plans.engine.control import cancel_run
from plans.models import Run
from plans.skills import sandbox
from tests.engine.plant import Plant, check_history, states, task
from tests.processes import is_alive, wait_for

pytestmark = pytest.mark.django_db(transaction=True)

DEAF = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
with open({pids!r}, "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}")
while True:
    pass
"""


def deaf_skill(pids: Path):
    def skill(params: dict[str, Any], context: Any) -> Outputs:
        limits = sandbox.Limits(wall_seconds=max(0.1, context.deadline - time.monotonic()))
        outcome = sandbox.run(sandbox.Job(code=DEAF.format(pids=str(pids)), limits=limits), cancelled=context.cancelled)
        if outcome.status == "cancelled":
            raise SkillCancelled
        raise SkillTimeout("timeout", seconds=1)

    return skill


def pids_in(path: Path) -> list[int]:
    wait_for(lambda: path.exists() and path.read_text().count(" ") == 1)
    return [int(pid) for pid in path.read_text().split()]


def test_a_step_over_its_time_leaves_no_process_behind(plant: Plant, tmp_path: Path):
    pids = tmp_path / "pids"
    plant.skill("deaf", deaf_skill(pids), runs_in=RunsIn.PROCESS)
    run = plant.run({"id": "a", "skill": "deaf", "timeout_seconds": 2, "retries": 0}, {"id": "b"})
    plant.drain()
    wait_for(lambda: not any(is_alive(pid) for pid in pids_in(pids)))
    assert states(run) == {"a": "waiting", "b": "succeeded"}
    assert task(run, "a").error["class"] == "timeout"
    check_history(run)


def test_cancel_ends_a_child_that_ignores_sigterm_and_its_grandchild(plant: Plant, tmp_path: Path):
    """C86."""
    pids = tmp_path / "pids"
    plant.skill("deaf", deaf_skill(pids), runs_in=RunsIn.PROCESS)
    run = plant.run({"id": "a", "skill": "deaf"}, {"id": "b", "depends_on": ["a"]})

    def body() -> None:
        try:
            plant.drain()
        finally:
            connection.close()

    thread = threading.Thread(target=body)
    thread.start()
    started = pids_in(pids)
    cancel_run(run=run, by=run.owner)
    thread.join(30)
    assert not thread.is_alive()
    wait_for(lambda: not any(is_alive(pid) for pid in started))
    assert states(run) == {"a": "cancelled", "b": "cancelled"}
    assert Run.objects.get(pk=run.pk).state == "cancelled"
    check_history(run)
