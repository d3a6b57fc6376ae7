"""`bench page`: the run page at 14, 300 and 1,000 tasks beside an empty page of the same server, its size and its queries."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from plans.core.compile import compile_plan
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Run
from plans.supervise.bench import shapes
from plans.supervise.bench.figures import Figure, figure
from plans.tasks import catalogue

SIZES = (14, 300, 1000)
STEPS_PER_MILESTONE = 10
REPETITIONS = 5
WARM = 2


@dataclass
class Bench:
    """Requests through the whole stack of middleware in this process: the server's own time, without a network."""

    owner: User
    client: Client = field(default_factory=lambda: Client(SERVER_NAME="127.0.0.1"))

    def run_of(self, tasks: int) -> Run:
        """Return an approved run of `tasks` no-ops in milestones of ten."""
        plan = grouped(tasks)
        run = create_run_from_plan(owner=self.owner, compiled=compile_plan(plan, catalogue()), inputs={})
        if run.revision is None:
            raise RuntimeError(f"the plan of {tasks} tasks was not accepted")
        approve_plan(run=run, graph_hash=run.revision.graph_hash, by=self.owner, catalogue=catalogue())
        return run

    def get(self, path: str) -> tuple[float, float, int]:
        """Return the milliseconds a page took, those of the processor, and its size in bytes."""
        started, cpu = time.perf_counter(), time.process_time()
        response = self.client.get(path)
        taken, worked = (time.perf_counter() - started) * 1000, (time.process_time() - cpu) * 1000
        if response.status_code != 200:
            raise RuntimeError(f"{path} answered {response.status_code}")
        return taken, worked, len(response.content)

    def page(self, name: str, path: str, floor_path: str) -> list[Figure]:
        """Measure one page beside the empty one, alternating, after both have been drawn before."""
        for _number in range(WARM):
            self.get(path)
            self.get(floor_path)
        taken, floors, cpus, floor_cpus, size = [], [], [], [], 0
        for _number in range(REPETITIONS):
            floor, floor_cpu, _size = self.get(floor_path)
            one, cpu, size = self.get(path)
            taken.append(one)
            floors.append(floor)
            cpus.append(cpu)
            floor_cpus.append(floor_cpu)
        with CaptureQueriesContext(connection) as captured:
            self.get(path)
        over = [max(one - floor, 0.0) for one, floor in zip(taken, floors, strict=True)]
        over_cpu = [max(one - floor, 0.0) for one, floor in zip(cpus, floor_cpus, strict=True)]
        return [
            figure(name, "ms", taken, floors, cpus),
            figure(f"{name}.over_empty", "ms", over, (), over_cpu),
            figure(f"{name}.size", "kB", [size / 1000]),
            figure(f"{name}.queries", "queries", [float(len(captured))]),
        ]


def grouped(tasks: int) -> shapes.Plan:
    """Return `tasks` no-ops in milestones of ten, each after the one that stands ten before it."""
    milestones = [{"id": f"m{n}", "name": f"Part {n + 1}"} for n in range(-(-tasks // STEPS_PER_MILESTONE))]
    steps = [
        {
            "id": f"s{n}",
            "name": f"Step {n + 1} of the measured plan",
            "skill": "noop",
            "milestone": f"m{n // STEPS_PER_MILESTONE}",
            "depends_on": [f"s{n - STEPS_PER_MILESTONE}"] if n >= STEPS_PER_MILESTONE else [],
        }
        for n in range(tasks)
    ]
    return {"schema": 1, "goal": f"{tasks} tasks", "milestones": milestones, "tasks": steps}


def measure() -> list[Figure]:
    """Measure on the settings' (empty, throw-away) database; no worker runs, so nothing else moves."""
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = User.objects.create_user("bench", is_active=True)
    bench = Bench(owner=owner)
    bench.client.force_login(owner)
    empty = reverse("inbox")
    figures: list[Figure] = []
    for size in SIZES:
        path = reverse("run", args=[bench.run_of(size).uuid])
        figures += bench.page(f"page.run{size}", path, empty)
        for tab in ("tasks", "timeline", "events"):
            figures += bench.page(f"page.run{size}.{tab}", f"{path}?tab={tab}", empty)[:2]
    return figures
