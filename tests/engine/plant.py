"""Plants runs for engine tests: real rows from a real plan, and skills that are plain functions."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User

from plans.core.catalogue import SkillInfo
from plans.core.kinds import RunsIn, ValueKind
from plans.core.model import Connect
from plans.core.skill import Outputs, Result, Runner
from plans.core.spec import PlanSpec
from plans.core.states import RunState
from plans.engine import rows
from plans.engine.drain import Drain
from plans.engine.load import RunCache
from plans.engine.settle import Changes
from plans.engine.slots import Slots
from plans.engine.sql import host_id, is_gone, process_started
from plans.models import Event, Run, Task

Skill = Callable[[dict[str, Any], Any], Result]


def noop(params: dict[str, Any], context: Any) -> Result:
    return Outputs(values={"value": params.get("value")})


@dataclass
class Plant:
    """A small world: skills by name, their catalogue entries, and drains that use them."""

    skills: dict[str, Skill] = field(default_factory=lambda: {"noop": noop})
    infos: dict[str, SkillInfo] = field(
        default_factory=lambda: {"noop": SkillInfo(name="noop", instant=True, outputs={"value": ValueKind.JSON})}
    )

    # what binds a model to an attempt's ledger
    connect: Connect | None = None

    def skill(self, name: str, function: Skill, **info: Any) -> None:
        self.skills[name] = function
        self.infos[name] = SkillInfo(name=name, runs_in=info.pop("runs_in", RunsIn.THREAD), **info)

    def runner(self) -> Runner:
        return Runner(
            execute=lambda work, context: self.skills[work.skill](work.params, context),
            load_rows=lambda ref, limit: [],
            literal=lambda skill: self.infos[skill].literal,
            catalogue=lambda: self.infos,
            model=lambda: self.connect,
        )

    def run(self, *tasks: dict[str, Any], autonomy: str = "risky_steps", inputs: Any = None, **plan: Any) -> Run:
        """Make a running run of these tasks."""
        owner, _ = User.objects.get_or_create(username="owner")
        run = Run.objects.create(
            goal="test", owner=owner, state=RunState.RUNNING, autonomy=autonomy, inputs=inputs or {}
        )
        return self.fill(run, *tasks, **plan)

    def fill(self, run: Run, *tasks: dict[str, Any], **plan: Any) -> Run:
        """Give a running run these tasks."""
        spec = PlanSpec.model_validate({"tasks": [{"skill": "noop", **task} for task in tasks], **plan})
        ready = rows.create(run, spec, self.infos)
        Run.objects.filter(pk=run.pk).update(left=run.tasks.count())
        changes = Changes(run.pk)
        changes.readied += ready
        changes.flush()
        run.refresh_from_db()
        return run

    def drain(self, slots: int = 4) -> None:
        Drain(runner=self.runner(), slots=Slots(count=slots, runner=self.runner()), cache=RunCache()).run()


def states(run: Run) -> dict[str, str]:
    return dict(run.tasks.order_by("key").values_list("key", "state"))


def task(run: Run, key: str) -> Task:
    return Task.objects.get(run=run, key=key)


def history(run: Run) -> list[tuple[str, str]]:
    return list(Event.objects.filter(run=run).order_by("seq").values_list("kind", "task_key"))


def check_history(run: Run) -> None:
    """Assert what holds for every run: numbers without gaps, one start per attempt, upstream ends before downstream starts."""
    run.refresh_from_db()
    events = list(Event.objects.filter(run=run).order_by("seq"))
    assert [event.seq for event in events] == list(range(1, run.seq + 1))
    started = [(e.task_key, e.attempt) for e in events if e.kind == "task.running"]
    assert len(started) == len(set(started))
    attempts = {(a.task.key, a.number) for t in run.tasks.all() for a in t.attempts.select_related("task")}
    assert set(started) == attempts


def gone_worker() -> str:
    """Return the name of a worker process that has really lived on this machine and ended."""
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    name = f"{host_id()}:{child.pid}:{process_started(child.pid)}"
    assert not is_gone(name)
    child.communicate(b"\n")
    return name


class Gate:
    """Two-sided gate for a skill: the test waits until the skill is inside, and lets it go on."""

    def __init__(self) -> None:
        self.inside = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, params: dict[str, Any], context: Any) -> Result:
        self.inside.set()
        assert self.go_on.wait(30)
        return Outputs(values={"value": 1})
