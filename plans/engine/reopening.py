"""Open a failed step again, and with it the run and what was left out because of it. Only a person does this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plans.core.errors import StateError
from plans.core.kinds import EventKind
from plans.core.states import Ending, RunState, SkipReason, TaskKind, TaskState, run_sources
from plans.engine import doorbell, mend
from plans.engine.settle import Changes, locked
from plans.models import Dependency, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LEFT_OUT = frozenset({SkipReason.UPSTREAM.value, SkipReason.SIBLING.value})
AGAIN: dict[str, Any] = {"reason": "", "ended_at": None}


def lock_failed(task: Task) -> Task:
    """Lock every row of the run in order; return `task` as it is now. Raises StateError when it cannot be opened again."""
    rows = {row.pk: row for row in locked(Task.objects.filter(run=task.run_id).values_list("pk", flat=True))}
    now = rows[task.pk]
    if now.state != TaskState.FAILED or now.kind == TaskKind.PLANNING:
        raise StateError("task_not_failed", task=now.key, state=now.state)
    if not may_reopen(now):
        raise StateError("run_ended", state=now.run.state)
    return now


def may_reopen(task: Task) -> bool:
    """Tell whether `task` has failed for good in a run that can go on."""
    if task.state != TaskState.FAILED or task.kind == TaskKind.PLANNING:
        return False
    run = task.run
    is_stopped = run.cancel_requested_at is not None and run.ending != Ending.FAILED
    return run.state in (RunState.RUNNING, RunState.PAUSED, RunState.FAILED) and not is_stopped


def reopen(changes: Changes, task: Task, target: TaskState, by: User, **columns: Any) -> None:
    """Move a failed task, locked before, to `target` (ready, skipped or succeeded) and put everything below it to work."""
    if target == TaskState.READY:
        columns["ended_at"] = None
        if task.item_count is not None:
            target = TaskState.PENDING
    changes.move(task, target, error=None, ready_at=None, **columns)
    changes.say(EventKind.TASK_REOPENED, task, actor_id=by.pk)
    rows = list(Task.objects.filter(run=task.run_id).order_by("pk"))
    _open_items(changes, task, rows)
    for row in _below(rows, task):
        changes.move(row, TaskState.PENDING, **AGAIN)
    _open_run(changes, task.run_id, by)
    mend.recount(changes, Run.objects.get(pk=task.run_id))
    doorbell.ring(task.run_id)


def _open_run(changes: Changes, run_id: int, by: User) -> None:
    ended = Run.objects.filter(pk=run_id, state__in=run_sources(RunState.RUNNING) & {RunState.FAILED})
    if ended.update(state=RunState.RUNNING, ended_at=None, cancel_requested_at=None, ending="", error=None):
        changes.say(EventKind.RUN_REOPENED, actor_id=by.pk)


def _open_items(changes: Changes, task: Task, rows: list[Task]) -> None:
    """Of an item: open its fan-out and the items that stopped because of it. Of a fan-out: open what failed and stopped."""
    key = task.group or task.key
    is_retried = bool(task.group) or task.state == TaskState.PENDING
    for row in rows if is_retried else []:
        if row.group == key and row.reason == SkipReason.SIBLING:
            changes.move(row, TaskState.PENDING, **AGAIN)
        elif row.group == key and row.state == TaskState.FAILED and not task.group:
            changes.move(row, TaskState.READY, ended_at=None, tries_used=0, losses=0)
        elif row.key == key and task.group and row.state == TaskState.FAILED:
            changes.move(row, TaskState.PENDING, **AGAIN)


def _below(rows: list[Task], task: Task) -> list[Task]:
    """Return what was left out because of `task`: everything downstream that is skipped for its upstream's sake."""
    left_out = {row.pk: row for row in rows if row.state == TaskState.SKIPPED and row.reason in LEFT_OUT}
    downstream: dict[int, list[int]] = {}
    edges = Dependency.objects.filter(downstream_id__in=left_out).values_list("upstream_id", "downstream_id")
    for up, down in edges:
        downstream.setdefault(up, []).append(down)
    starts = [task.pk, *(row.pk for row in rows if task.group and row.key == task.group)]
    found: dict[int, Task] = {}
    while starts:
        starts = [down for up in starts for down in downstream.get(up, []) if down not in found]
        found.update({down: left_out[down] for down in starts})
    return [found[pk] for pk in sorted(found)]
