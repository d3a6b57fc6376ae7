"""Commit what a slot handed back, other than plain success: questions, waits, plans, failures, stops, checkpoints."""

from __future__ import annotations

import json
from datetime import UTC, timedelta

from django.db.models.functions import Now

from plans import events
from plans.core.errors import ErrorClass
from plans.core.hashing import digest
from plans.core.kinds import EventKind
from plans.core.skill import Ask, WaitUntil
from plans.core.states import AttemptState, RequestKind, TaskState
from plans.engine import ladder, ledger, planned, rungs
from plans.engine.boundaries import Boundary
from plans.engine.planned import ReadCatalogue
from plans.engine.settle import Changes, close_attempt, is_cancelled
from plans.engine.sql import transact
from plans.engine.steps import Failed, Glimpse, Message, Planned, Stopped, Suspended, Told
from plans.events import Line
from plans.models import Task


def commit(
    ended: Failed | Suspended | Planned | Stopped, *, stopping: bool, catalogue: ReadCatalogue, can_plan: bool = False
) -> bool:
    """Commit one outcome in a transaction of its own; False when its lease was lost.

    `can_plan`: there is somebody who can plan the rest anew.
    """

    def work() -> bool:
        changes = Changes(ended.claimed.run_id)
        if isinstance(ended, Failed):
            kept = ladder.fail(changes, ended, can_plan=can_plan)
        elif isinstance(ended, Suspended):
            kept = _suspend(changes, ended)
        elif isinstance(ended, Planned):
            kept = _planned(changes, ended, catalogue)
        else:
            kept = _stopped(changes, ended, stopping=stopping, can_plan=can_plan)
        if kept:
            changes.flush()
        return kept

    return transact(work, Boundary.OUTCOME)


def _stopped(changes: Changes, ended: Stopped, *, stopping: bool, can_plan: bool) -> bool:
    if ended.why == "timeout":
        params = {"seconds": ended.claimed.timeout_seconds}
        failed = Failed(
            claimed=ended.claimed, code="timeout", params=params, error_class=ErrorClass.TIMEOUT, log=ended.log
        )
        return ladder.fail(changes, failed, can_plan=can_plan)
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if is_cancelled(task) and not stopping:
        return ladder.cancel_running(changes, task)
    return ladder.interrupt(changes, task)


def _suspend(changes: Changes, ended: Suspended) -> bool:
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if is_cancelled(task):
        return ladder.cancel_running(changes, task)
    params = json.loads(ended.rendered) if ended.rendered else None
    close_attempt(task.pk, task.attempt, AttemptState.SUSPENDED, params=params, log=ended.log)
    if isinstance(ended.result, WaitUntil):
        return _wait(changes, task, ended.result)
    return _ask(changes, task, ended.result)


def _wait(changes: Changes, task: Task, result: WaitUntil) -> bool:
    moved = changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=result.at)
    if moved:
        changes.say(EventKind.TASK_WAITING, task, why="time", until=result.at.astimezone(UTC).isoformat())
    return moved


def _ask(changes: Changes, task: Task, ask: Ask) -> bool:
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=None):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=RequestKind.QUESTION.value)
    deadline = Now() + timedelta(seconds=ask.deadline_seconds) if ask.deadline_seconds else None
    content = {"text": ask.text, "context": ask.context, "task": task.key}
    rungs.open_request(
        changes,
        task,
        RequestKind.QUESTION,
        key=ask.key,
        content=content,
        schema=ask.schema,
        digest=digest([task.key, ask.key, content, ask.schema]),
        deadline_at=deadline,
        default=ask.default,
        assignees=ask.assignees,
    )
    return True


def _planned(changes: Changes, ended: Planned, catalogue: ReadCatalogue) -> bool:
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if is_cancelled(task):
        return ladder.cancel_running(changes, task)
    planned.take(changes, task, ended, catalogue)
    return True


def keep(item: Message) -> None:
    """Commit a checkpoint, fenced, and let the waiting skill go on; or write down a model call, or how far a step is."""
    if isinstance(item, Told):
        ledger.keep(item.claimed, item.note)
        return
    if isinstance(item, Glimpse):
        _tell(item)
        return

    def work() -> bool:
        rows = Task.objects.filter(
            pk=item.claimed.task_id, state=TaskState.RUNNING, attempt=item.claimed.attempt
        ).update(checkpoint=item.checkpoint.value)
        return bool(rows)

    try:
        item.checkpoint.kept = transact(work, Boundary.CHECKPOINT)
    finally:
        item.checkpoint.committed.set()


def _tell(item: Glimpse) -> None:
    def work() -> None:
        claimed = item.claimed
        mine = Task.objects.filter(pk=claimed.task_id, state=TaskState.RUNNING, attempt=claimed.attempt)
        if mine.exists():
            line = Line(kind=EventKind.PLANNING_PROGRESS, task_key=claimed.key, attempt=claimed.attempt, data=item.data)
            events.append(claimed.run_id, [line])

    transact(work, Boundary.PROGRESS)
