"""`bench engine`: milliseconds and processor time per no-op task on real workers, beside the ORM's floor."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from plans.core.compile import compile_plan
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Event, Run
from plans.supervise.bench import many, shapes
from plans.supervise.bench.figures import Figure, cpu_seconds, figure
from plans.tasks import catalogue

REPETITIONS = 5
FLOOR_TURNS = 200
CORPUS = Path("../shared/corpora/dags/debian_desktop_union_acyclic.json")
RUN_SECONDS = 120
WAITING_SLOTS = 16


@dataclass
class Bench:
    """One set of measurements on one cluster."""

    owner: User
    session: int
    floors: list[float] = field(default_factory=list)

    def floor(self) -> None:
        """Sample the floor: one `atomic()` UPDATE + INSERT through the ORM on the same database, in milliseconds."""
        run = Run.objects.create(goal="floor", owner=self.owner, state="running")
        started = time.perf_counter()
        for number in range(1, FLOOR_TURNS + 1):
            with transaction.atomic():
                Run.objects.filter(pk=run.pk).update(seq=number)
                Event.objects.create(run=run, seq=number, at=timezone.now(), kind="run.created")
        self.floors.append((time.perf_counter() - started) / FLOOR_TURNS * 1000)
        run.delete()

    def run_once(self, plan: shapes.Plan) -> tuple[float, float]:
        """Run a plan; return (seconds from the approving commit to the end of the run, processor seconds of workers)."""
        run = create_run_from_plan(owner=self.owner, compiled=compile_plan(plan, catalogue()), inputs={})
        assert run.revision is not None  # noqa: S101
        cpu = cpu_seconds(self.session)
        approve_plan(run=run, graph_hash=run.revision.graph_hash, by=self.owner, catalogue=catalogue())
        approved = datetime.now(UTC)
        wait_until(lambda: Run.objects.get(pk=run.pk).is_terminal)
        run.refresh_from_db()
        if run.state != "succeeded" or run.ended_at is None:
            raise RuntimeError(f"the run of {plan['goal']} ended {run.state}")
        return (run.ended_at - approved).total_seconds(), cpu_seconds(self.session) - cpu

    def per_task(self, name: str, plan: shapes.Plan) -> Figure:
        """Measure a plan of no-ops: milliseconds per task beside the floor."""
        count = len(plan["tasks"])
        values, cpus = [], []
        self.run_once(plan)
        for _number in range(REPETITIONS):
            self.floor()
            seconds, cpu = self.run_once(plan)
            values.append(seconds / count * 1000)
            cpus.append(cpu / count * 1000)
        return figure(name, "ms/task", values, self.floors[-REPETITIONS:], cpus)

    def wait(self, condition: Callable[[], bool]) -> None:
        wait_until(condition)

    def makespan(self, name: str, plan: shapes.Plan, bound_seconds: float) -> Figure:
        values = [self.run_once(plan)[0] for _number in range(REPETITIONS)]
        return figure(name, "s", values, [bound_seconds])


def wait_until(condition: Callable[[], bool]) -> None:
    """Poll slowly (the clock of the figure is the database's) until `condition` holds. Raises TimeoutError."""
    deadline = time.monotonic() + RUN_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("a benchmark run did not end")
        time.sleep(0.05)


def compile_figure() -> Figure:
    """Measure the compile of the largest graph beside one of a tenth of its size: linear means a ratio of ten."""
    plan = shapes.largest(settings.BASE_DIR / CORPUS)
    tenth = shapes.layered(34, max(1, len(plan["tasks"]) // 340), parents=5)
    skills = catalogue()

    def once(subject: shapes.Plan) -> float:
        started = time.perf_counter()
        compile_plan(subject, skills)
        return (time.perf_counter() - started) * 1000

    edges = sum(len(task["depends_on"]) for task in plan["tasks"])
    small = sum(len(task["depends_on"]) for task in tenth["tasks"])
    floor = statistics.median(once(tenth) for _ in range(REPETITIONS)) * edges / small
    return figure("compile.largest", "ms", [once(plan) for _ in range(REPETITIONS)], [floor])


def measure() -> list[Figure]:
    """Start clusters of the settings' workers on the settings' (empty, throw-away) database and measure."""
    owner = User.objects.create_user("bench", is_active=True)
    workers = settings.PLANS_WORKERS
    with cluster() as session:
        bench = Bench(owner=owner, session=session)
        width = workers * settings.PLANS_SLOTS_PER_WORKER
        layered = bench.per_task("engine.layered10x30", shapes.layered(10, 30))
        figures = [
            bench.per_task("engine.chain300", shapes.chain(300)),
            bench.per_task("engine.fan300", shapes.fan(300)),
            layered,
            *many.real_graphs(bench),
            many.linear(bench, layered),
            bench.makespan(f"engine.makespan6x{width}", shapes.naps(6, width, 0.05), 6 * 0.05),
            many.fair(bench),
            many.memory(bench),
        ]
    with cluster(PLANS_SLOTS_PER_WORKER=str(WAITING_SLOTS)) as session:
        figures.append(many.waiting(Bench(owner=owner, session=session), workers * WAITING_SLOTS))
    return [*figures, compile_figure()]


@contextmanager
def cluster(**environment: str) -> Iterator[int]:
    """Run a worker cluster and give its session; `environment` is added to this process's."""
    ready = Path(tempfile.mkdtemp(dir=settings.PLANS_DATA_DIR)) / "ready"
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "work"]
    own = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    worker = subprocess.Popen(
        command, env={**own, **environment, "PLANS_WORKER_READY_FILE": str(ready)}, start_new_session=True
    )
    try:
        wait_until(ready.exists)
        yield worker.pid
    finally:
        worker.terminate()
        worker.wait(60)
