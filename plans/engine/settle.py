"""The moves that are not on the hot path: one transaction's changes to a run, and what they mean downstream."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from plans import events
from plans.core import joins
from plans.core.kinds import EventKind
from plans.core.states import (
    TASK_TERMINAL,
    AttemptState,
    Ending,
    RequestState,
    RunState,
    SkipReason,
    TaskKind,
    TaskState,
    run_sources,
    task_sources,
)
from plans.engine import ledger
from plans.events import Line
from plans.models import Attempt, Dependency, Request, Run, Task

IDLE = [TaskState.PENDING, TaskState.READY, TaskState.RETRYING, TaskState.WAITING]


@dataclass(slots=True)
class Changes:
    """What one transaction does to one run. Moves are made at once; `flush` numbers the events and counts tasks off, last."""

    run_id: int
    lines: list[Line] = field(default_factory=list)
    ended: dict[int, bool] = field(default_factory=dict)
    readied: list[str] = field(default_factory=list)
    left_delta: int = 0
    failed_delta: int = 0
    gaps: bool = False

    def say(self, event: EventKind, task: Task | None = None, /, *, actor_id: int | None = None, **data: Any) -> None:
        self.lines.append(
            Line(
                kind=event,
                task_key=task.key if task else "",
                attempt=task.attempt if task and task.attempt else None,
                actor_id=actor_id,
                data=data,
            )
        )

    def move(self, task: Task, target: TaskState, *, attempt: int | None = None, **columns: Any) -> bool:
        """Move `task` if its row is in a legal source state (and still at `attempt`); tell whether it moved."""
        rows = Task.objects.filter(pk=task.pk, state__in=task_sources(target))
        if attempt is not None:
            rows = rows.filter(attempt=attempt)
        if target != TaskState.RUNNING:
            columns.setdefault("lease_expires_at", None)
            columns.setdefault("claimed_by", "")
        if target in TASK_TERMINAL:
            columns.setdefault("ended_at", Now())
        if not rows.update(state=target, **columns):
            return False
        task.state = target
        return True

    def end(
        self, task: Task, target: TaskState, *, attempt: int | None = None, reason: str = "", **columns: Any
    ) -> bool:
        """Move `task` to a terminal state and note it for `settle`."""
        if not self.move(task, target, attempt=attempt, reason=reason, **columns):
            return False
        self.ended[task.pk] = joins.is_bad(target, reason)
        self.left_delta += 1
        # Planning that fails ends its run itself, or leaves the plan that was there.
        self.failed_delta += target == TaskState.FAILED and task.kind != TaskKind.PLANNING
        self.gaps |= target == TaskState.SKIPPED and reason != SkipReason.CONDITION
        return True

    def skip(self, task: Task, reason: SkipReason, *, actor_id: int | None = None, **data: Any) -> bool:
        if not self.end(task, TaskState.SKIPPED, reason=reason):
            return False
        self.say(EventKind.TASK_SKIPPED, task, actor_id=actor_id, reason=reason.value, **data)
        return True

    def flush(self) -> None:
        """Settle downstream, write the events under the run row, end the run when nothing is left. Call last."""
        settle(self)
        self.lines += events.ready_lines(self.readied)
        if not self.lines:
            return
        if self.left_delta or self.failed_delta or self.gaps:
            changed: dict[str, Any] = {
                "left": F("left") - self.left_delta,
                "failed_count": F("failed_count") + self.failed_delta,
            }
            if self.gaps:
                changed["has_gaps"] = True
            Run.objects.filter(pk=self.run_id).update(**changed)
        events.append(self.run_id, self.lines)
        end_run(self.run_id)


def is_cancelled(task: Task) -> bool:
    """Tell whether the run of `task` is cancelled and the task with it: some always run, unless all is cancelled."""
    return task.run.cancel_requested_at is not None and not (task.run.ending and task.spec.get("always_run"))


def locked(rows: Iterable[int]) -> list[Task]:
    """Lock task rows in id order and return them."""
    query = Task.objects.filter(pk__in=list(rows)).order_by("pk")
    if connection.features.has_select_for_update:
        query = query.select_for_update(no_key=connection.features.has_select_for_no_key_update)
    return list(query)


def settle(changes: Changes) -> None:
    """Take ended tasks off their downstream, wave by wave, until no further task ends by it."""
    wave = dict(changes.ended)
    seen = set(wave)
    while wave:
        edges = Dependency.objects.filter(upstream_id__in=wave).values_list("upstream_id", "downstream_id")
        met: Counter[int] = Counter()
        bad: Counter[int] = Counter()
        for upstream_id, downstream_id in edges:
            met[downstream_id] += 1
            bad[downstream_id] += wave[upstream_id]
        for task in locked(met):
            Task.objects.filter(pk=task.pk).update(
                unmet=F("unmet") - met[task.pk], bad_upstream=F("bad_upstream") + bad[task.pk]
            )
            task.unmet -= met[task.pk]
            task.bad_upstream += bad[task.pk]
            if bad[task.pk] and task.item_count is not None:
                stop_items(changes, task)
            decide(changes, task)
        wave = {pk: is_bad for pk, is_bad in changes.ended.items() if pk not in seen}
        seen |= set(wave)


def decide(changes: Changes, task: Task) -> None:
    """Make a pending task with nothing left to wait for ready, or skip it: the rule of `core.joins` on the counters."""
    if task.state != TaskState.PENDING or task.unmet > 0:
        return
    if task.bad_upstream and not task.always_run:
        changes.skip(task, SkipReason.UPSTREAM)
    elif changes.move(task, TaskState.READY):
        changes.readied.append(task.key)


def stop_items(changes: Changes, group: Task) -> None:
    """An item has failed for good: the others that do not run yet stop, unless the plan says that they go on."""
    if group.spec.get("item_errors", "stop") != "stop":
        return
    idle = Task.objects.filter(run_id=group.run_id, group=group.key, state__in=IDLE).order_by("pk")
    if connection.features.has_select_for_update_skip_locked:
        # Never wait here: who holds an item may be waiting for the group's row, which is ours. It ends by itself.
        idle = idle.select_for_update(no_key=True, skip_locked=True)
    stopped = [item for item in idle if changes.skip(item, SkipReason.SIBLING)]
    changes.lines += void_requests(group.run_id, [item.pk for item in stopped])


def end_run(run_id: int) -> None:
    """End a run whose tasks have all ended: cancelled if asked, else failed if any failed, else succeeded."""
    run = Run.objects.get(pk=run_id)
    # A run that is still planned or reviewed ends by its own services, or because it was cancelled.
    moving = run.state in (RunState.RUNNING, RunState.PAUSED) or run.cancel_requested_at is not None
    if run.left or run.is_terminal or not moving:
        return
    if run.cancel_requested_at and run.ending != Ending.FAILED:
        target, kind = RunState.CANCELLED, EventKind.RUN_CANCELLED
    elif run.failed_count or run.ending == Ending.FAILED:
        target, kind = RunState.FAILED, EventKind.RUN_FAILED
    else:
        target, kind = RunState.SUCCEEDED, EventKind.RUN_SUCCEEDED
    moved = Run.objects.filter(pk=run_id, state__in=run_sources(target), left=0).update(state=target, ended_at=Now())
    if moved:
        # A run that has ended asks for nothing any more.
        data = {"gaps": True} if run.has_gaps and target == RunState.SUCCEEDED else {}
        events.append(run_id, [*void_requests(run_id), Line(kind=kind, data=data)])


def void_requests(run_id: int, task_ids: Sequence[int] | None = None) -> list[Line]:
    """Void open requests of a run, or of some of its tasks; return the events to write."""
    rows = Request.objects.filter(run_id=run_id, state=RequestState.OPEN).select_related("task")
    if task_ids is not None:
        rows = rows.filter(task_id__in=task_ids)
    lines = []
    for request in rows:
        if Request.objects.filter(pk=request.pk, state=RequestState.OPEN).update(state=RequestState.VOID):
            key = request.task.key if request.task else ""
            data = {"request": str(request.uuid), "kind": request.kind}
            lines.append(Line(kind=EventKind.REQUEST_VOID, task_key=key, data=data))
    return lines


def close_attempt(task_id: int, number: int, state: AttemptState, **columns: Any) -> None:
    """End the running attempt row of a task."""
    Attempt.objects.filter(task_id=task_id, number=number, state=AttemptState.RUNNING).update(
        state=state, ended_at=Now(), **columns
    )
    ledger.lose(task_id, number)
