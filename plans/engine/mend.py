"""Level-triggered repair: counters recomputed from the rows, runs that cannot move named, unreferenced blobs removed."""

from __future__ import annotations

import time

import structlog
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from plans import storage
from plans.core import joins
from plans.core.kinds import EventKind
from plans.core.states import (
    TASK_TERMINAL,
    RequestKind,
    RequestState,
    RunState,
    SkipReason,
    TaskKind,
    TaskState,
)
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes, decide, end_run, locked
from plans.engine.sql import transact
from plans.models import Blob, Dependency, Request, Run, Task

log = structlog.get_logger("plans.engine")

ORPHAN_SECONDS = 86_400
MOVING = [TaskState.READY, TaskState.RUNNING, TaskState.RETRYING, TaskState.WAITING]


def advance(run_id: int) -> bool:
    """Recompute a run's counters from its rows and do what follows. Any number of calls gives the same result.

    Return True when something had to be changed.
    """

    def work() -> bool:
        run = Run.objects.get(pk=run_id)
        if run.state not in (RunState.RUNNING, RunState.PAUSED):
            return False
        changes = Changes(run_id)
        changed = recount(changes, run)
        if changed:
            log.warning("run_recounted", run=str(run.uuid))
        changes.flush()
        end_run(run_id)
        if changes.readied:
            doorbell.ring(run_id)
        return changed

    return transact(work, Boundary.MEND)


def recount(changes: Changes, run: Run) -> bool:
    """Recompute every counter of `run` within the caller's transaction and decide what has nothing left to wait for."""
    # The rows tell all of it: what is noted of them already must not be counted a second time.
    changes.left_delta = changes.failed_delta = 0
    changes.ended.clear()
    tasks = {task.pk: task for task in locked(run.tasks.values_list("pk", flat=True))}
    unmet: dict[int, int] = dict.fromkeys(tasks, 0)
    bad: dict[int, int] = dict.fromkeys(tasks, 0)
    edges = Dependency.objects.filter(downstream__run=run).values_list("upstream_id", "downstream_id")
    for upstream_id, downstream_id in edges:
        up = tasks[upstream_id]
        unmet[downstream_id] += up.state not in TASK_TERMINAL
        bad[downstream_id] += joins.is_bad(up.state, up.reason)
    changed = _recount_run(run, list(tasks.values()))
    for pk, task in tasks.items():
        # Those of a task that has ended count too: what it waited for may have been opened again and ends once more.
        if (task.unmet, task.bad_upstream) != (unmet[pk], bad[pk]):
            Task.objects.filter(pk=pk).update(unmet=unmet[pk], bad_upstream=bad[pk])
            task.unmet, task.bad_upstream, changed = unmet[pk], bad[pk], True
        if task.is_terminal:
            continue
        before = task.state
        decide(changes, task)
        changed |= task.state != before
    return changed


def _recount_run(run: Run, tasks: list[Task]) -> bool:
    left = sum(task.state not in TASK_TERMINAL for task in tasks)
    failed = sum(task.state == TaskState.FAILED and task.kind != TaskKind.PLANNING for task in tasks)
    has_gaps = any(task.state == TaskState.SKIPPED and task.reason != SkipReason.CONDITION for task in tasks)
    if (run.left, run.failed_count, run.has_gaps) == (left, failed, has_gaps):
        return False
    Run.objects.filter(pk=run.pk).update(left=left, failed_count=failed, has_gaps=has_gaps)
    return True


def mend_runs(limit: int) -> int:
    """Advance running runs whose counters disagree with their rows or that have nothing under way."""
    still = (
        Task.objects.filter(run=OuterRef("pk"))
        .exclude(state__in=TASK_TERMINAL)
        .order_by()
        .values("run")
        .annotate(n=Count("pk"))
        .values("n")
    )
    running = Run.objects.filter(state=RunState.RUNNING).annotate(
        still=Coalesce(Subquery(still), 0), moving=Count("tasks", filter=Q(tasks__state__in=MOVING))
    )
    count = 0
    for pk, left, there, moving in running.order_by("pk").values_list("pk", "left", "still", "moving")[:limit]:
        if there == left and moving:
            continue
        try:
            count += advance(pk)
            _say_stuck(pk)
        except Exception:
            log.exception("mend_failed", run=pk)
    return count


def _say_stuck(run_id: int) -> None:
    """A run that still cannot move asks a person, naming the tasks in the way."""

    def work() -> None:
        run = Run.objects.get(pk=run_id)
        rows = run.tasks.exclude(state__in=TASK_TERMINAL)
        if run.state != RunState.RUNNING or rows.filter(state__in=MOVING).exists():
            return
        if Request.objects.filter(run=run, kind=RequestKind.STUCK, state=RequestState.OPEN).exists():
            return
        keys = list(rows.values_list("key", flat=True)[:20])
        request = Request.objects.create(run=run, kind=RequestKind.STUCK, content={"tasks": keys})
        changes = Changes(run_id)
        changes.say(EventKind.RUN_STUCK, tasks=keys)
        changes.say(EventKind.REQUEST_OPENED, request=str(request.uuid), kind=RequestKind.STUCK.value)
        changes.flush()

    transact(work, Boundary.STUCK)


def remove_orphan_blobs() -> int:
    """Remove stored bytes older than a day that no row names; return how many."""
    count = 0
    edge = time.time() - ORPHAN_SECONDS
    for path in storage.stored_before(edge):
        if not Blob.objects.filter(pk=path.name).exists():
            path.unlink(missing_ok=True)
            count += 1
    return count
