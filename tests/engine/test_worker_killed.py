"""A real worker process is killed (-9) in mid-step: the run finishes, and the history shows both attempts."""

from __future__ import annotations

import os
import signal

import pytest
from django.contrib.auth.models import User

from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan
from plans.core.kinds import ValueKind
from plans.engine import sweeper
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Event, Run, Task
from plans.tasks import catalogue
from tests.engine.plant import check_history
from tests.processes import Site, wait_for
from tests.skills.holding import write_hold_skill

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_killed_worker_loses_nothing(site: Site, owner: User, tmp_path, settings):
    go = tmp_path / "go"
    folder = tmp_path / "skills"
    write_hold_skill(folder, go)
    infos = {**catalogue(), "hold": SkillInfo(name="hold", outputs={"result": ValueKind.JSON})}
    plan = {
        "goal": "survive",
        "tasks": [
            {"id": "a", "skill": "hold", "outputs": {"n": "number"}},
            {"id": "b", "skill": "noop"},
            {"id": "c", "skill": "noop", "depends_on": ["a", "b"]},
        ],
    }
    site.worker(workers=2, PLANS_SKILLS_DIR=str(folder))
    run = create_run_from_plan(owner=owner, compiled=compile_plan(plan, infos), inputs={})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=infos)
    held = wait_for(lambda: Task.objects.filter(run=run, key="a", state="running").first())

    pid = int(held.claimed_by.split(":")[1])
    os.kill(pid, signal.SIGKILL)
    memory = sweeper.Memory()
    wait_for(lambda: sweeper.sweep_once(memory) and Task.objects.get(pk=held.pk).attempt == 2)
    go.touch()
    wait_for(lambda: sweeper.sweep_once(memory) and Run.objects.get(pk=run.pk).state == "succeeded", timeout=60)

    assert list(held.attempts.values_list("number", "state")) == [(1, "lost"), (2, "succeeded")]
    kinds = Event.objects.filter(run=run, task_key="a").order_by("seq").values_list("kind", "attempt")
    assert list(kinds) == [("task.running", 1), ("task.lost", 1), ("task.running", 2), ("task.succeeded", 2)]
    assert Task.objects.get(pk=held.pk).outputs == {"n": 2}
    check_history(run)
