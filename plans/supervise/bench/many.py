"""What shows only with many: real graphs, length, runs side by side, waiting steps, and the memory of workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from plans.core.compile import compile_plan
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Run
from plans.supervise.bench import shapes
from plans.supervise.bench.figures import Figure, figure
from plans.tasks import catalogue

if TYPE_CHECKING:
    from plans.supervise.bench.engine import Bench

DAGS = Path("../shared/corpora/dags")
REAL = ("debian_desktop_union_acyclic", "dbt_spellbook_dex")
RUNS, STEPS = 50, 40
KB = 1024


def real_graphs(bench: Bench) -> list[Figure]:
    """Measure the two largest real graphs, where they lie beside the working copy."""
    plans = {name: shapes.real(settings.BASE_DIR / DAGS / f"{name}.json") for name in REAL}
    return [bench.per_task(f"engine.{name}", plan) for name, plan in plans.items() if plan is not None]


def linear(bench: Bench, short: Figure) -> Figure:
    """Measure the layered shape at ten times the length beside `short`: the ratio tells what a task more costs."""
    found = bench.per_task("engine.layered100x30", shapes.layered(100, 30))
    return figure("engine.linear3000", "ms/task", [found.value], [short.value])


def waiting(bench: Bench, slots: int) -> Figure:
    """Measure 64 steps that wait for 200 ms outside, beside the bound that the slots set."""
    return bench.makespan("engine.waiting64", shapes.naps(1, 64, 0.2), 64 / slots * 0.2)


def fair(bench: Bench) -> Figure:
    """Measure 50 runs started at once: the slowest run's time beside the fastest's."""
    runs = []
    for _number in range(RUNS):
        compiled = compile_plan(shapes.chain(STEPS), catalogue())
        runs.append(create_run_from_plan(owner=bench.owner, compiled=compiled, inputs={}))
    for run in runs:
        assert run.revision is not None  # noqa: S101
        approve_plan(run=run, graph_hash=run.revision.graph_hash, by=bench.owner, catalogue=catalogue())
    keys = [run.pk for run in runs]
    bench.wait(lambda: not Run.objects.filter(pk__in=keys, ended_at=None).exists())
    ended = Run.objects.filter(pk__in=keys).values_list("started_at", "ended_at")
    first = min(start for start, _ in ended if start)
    took = [(end - first).total_seconds() for _, end in ended if end]
    return figure("engine.fair50", "s", [max(took)], [min(took)])


def memory(bench: Bench) -> Figure:
    """Measure the largest worker's memory after 10,000 tasks of one run beside what it was after 1,000."""
    bench.run_once(shapes.layered(34, 30))
    before = resident_mb(bench.session)
    bench.run_once(shapes.layered(334, 30))
    return figure("engine.memory10000", "MB", [resident_mb(bench.session)], [before])


def resident_mb(session: int) -> float:
    """Return the resident memory of the largest process of a session. Source: proc(5), statm."""
    sizes = [0.0]
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            pages = int((entry / "statm").read_text(encoding="ascii").split()[1])
        except OSError:
            continue
        if int(fields[3]) == session:
            sizes.append(pages * os.sysconf("SC_PAGE_SIZE") / KB / KB)
    return max(sizes)
