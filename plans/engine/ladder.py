"""The failure ladder: what a failed or lost attempt leads to (DESIGN §5)."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from plans.core import retry
from plans.core.errors import ErrorClass
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import (
    AttemptState,
    Autonomy,
    RequestKind,
    RunState,
    SkipReason,
    TaskKind,
    TaskState,
)
from plans.engine import budgets, revisions
from plans.engine.settle import Changes, close_attempt, locked
from plans.engine.steps import Failed
from plans.models import Request, Run, Task

FAILURE_CHOICES = ["retry", "skip", "stop"]
# Failures of planning that another try may end otherwise, once something outside has changed.
MENDABLE = frozenset({ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.NEEDS_PERSON})


def error_json(code: str, params: JsonObject, error_class: ErrorClass) -> JsonObject:
    return {"code": code, "params": params, "class": error_class.value}


def fail(changes: Changes, failed: Failed) -> bool:
    """Commit a failed attempt and what follows from it; False when the lease was lost and the result is dropped."""
    task = held(failed.claimed.task_id, failed.claimed.attempt)
    if task is None:
        return False
    error = error_json(failed.code, failed.params, failed.error_class)
    task.tries_used += 1
    policy = retry.RetryPolicy(
        retries=task.retries, base_seconds=settings.PLANS_RETRY_BASE_SECONDS, idempotent=task.idempotent
    )
    decision = retry.decide(
        tries_used=task.tries_used,
        error_class=failed.error_class,
        policy=policy,
        jitter=random.random(),  # noqa: S311
        retry_after_seconds=failed.retry_after_seconds,
    )
    close_attempt(
        task.pk, task.attempt, AttemptState.FAILED, error=error, params=_loads(failed.rendered), log=failed.log
    )
    if task.run.cancel_requested_at:
        return cancel_running(changes, task)
    if decision is not None:
        return _retry_later(changes, task, error, decision.delay_seconds)
    return give_up(changes, task, error)


def held(task_id: int, attempt: int) -> Task | None:
    """Lock a task row and return it if `attempt` still runs; None when the lease is lost."""
    found = locked([task_id])
    if not found or found[0].state != TaskState.RUNNING or found[0].attempt != attempt:
        return None
    return found[0]


def _loads(text: str | None) -> Any:
    return json.loads(text) if text else None


def _retry_later(changes: Changes, task: Task, error: JsonObject, delay_seconds: float) -> bool:
    moved = changes.move(
        task,
        TaskState.RETRYING,
        attempt=task.attempt,
        error=error,
        tries_used=task.tries_used,
        ready_at=Now() + timedelta(seconds=delay_seconds),
    )
    if moved:
        changes.say(EventKind.TASK_RETRYING, task, error=error, delay_seconds=round(delay_seconds, 3))
    return moved


def give_up(changes: Changes, task: Task, error: JsonObject, *, ask: bool | None = None) -> bool:
    """No further try by itself: skip, fail, or ask a person, as the task's `on_failure` says."""
    if error["class"] == ErrorClass.BUDGET and task.run.autonomy != Autonomy.UNATTENDED:
        return budgets.ask(changes, task, error)
    if task.kind == TaskKind.PLANNING:
        return _give_up_planning(changes, task, error)
    on_failure = policy_of(task)
    if ask is None:
        ask = on_failure == "retry_then_ask"
    columns: dict[str, Any] = {"error": error, "tries_used": task.tries_used, "losses": task.losses}
    if ask:
        return _ask(changes, task, error, columns)
    if on_failure == "skip":
        if not changes.end(task, TaskState.SKIPPED, attempt=task.attempt, reason=SkipReason.ON_FAILURE, **columns):
            return False
        changes.say(EventKind.TASK_SKIPPED, task, reason=SkipReason.ON_FAILURE.value, error=error)
        return True
    return fail_for_good(changes, task, error)


def policy_of(task: Task) -> str:
    """Return the task's `on_failure`; the default asks, or stops when nobody attends."""
    chosen = task.spec.get("on_failure")
    unattended = task.run.autonomy == Autonomy.UNATTENDED
    return str(chosen) if chosen else ("retry_then_stop" if unattended else "retry_then_ask")


def fail_for_good(changes: Changes, task: Task, error: JsonObject) -> bool:
    columns: dict[str, Any] = {"error": error, "tries_used": task.tries_used, "losses": task.losses}
    if not changes.end(task, TaskState.FAILED, attempt=task.attempt, **columns):
        return False
    changes.say(EventKind.TASK_FAILED, task, error=error)
    return True


def _ask(
    changes: Changes, task: Task, error: JsonObject, columns: JsonObject, choices: Sequence[str] = FAILURE_CHOICES
) -> bool:
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=None, **columns):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=RequestKind.FAILURE.value, error=error)
    open_request(
        changes, task, RequestKind.FAILURE, content={"error": error, "choices": list(choices), "task": task.key}
    )
    return True


def open_request(changes: Changes, task: Task, kind: RequestKind, **columns: Any) -> Request:
    """Open a request for `task` with its event."""
    request = Request.objects.create(run_id=task.run_id, task=task, kind=kind, **columns)
    changes.say(EventKind.REQUEST_OPENED, task, request=str(request.uuid), kind=kind.value)
    return request


def _give_up_planning(changes: Changes, task: Task, error: JsonObject) -> bool:
    """A plan that is already there stays; what may pass or a person can mend is asked; anything else ends the run."""
    run = task.run
    if run.revision_id is not None:
        return _keep_plan(changes, task, error)
    columns: dict[str, Any] = {"error": error, "tries_used": task.tries_used, "losses": task.losses}
    if error.get("class") in MENDABLE and run.autonomy != Autonomy.UNATTENDED:
        return _ask(changes, task, error, columns, choices=["retry", "stop"])
    return _fail_planning(changes, task, error)


def _keep_plan(changes: Changes, task: Task, error: JsonObject) -> bool:
    if not fail_for_good(changes, task, error):
        return False
    changes.say(EventKind.PLAN_FAILED, error=error)
    run = task.run
    back = Run.objects.filter(pk=run.pk, state=RunState.PLANNING).update(state=RunState.REVIEW)
    if back and run.revision is not None:
        revisions.ask_for_approval(changes, run, run.revision)
    return True


def _fail_planning(changes: Changes, task: Task, error: JsonObject) -> bool:
    if not fail_for_good(changes, task, error):
        return False
    Run.objects.filter(pk=task.run_id, state=RunState.PLANNING).update(
        state=RunState.FAILED, ended_at=Now(), error=error
    )
    changes.say(EventKind.PLAN_FAILED, error=error)
    changes.say(EventKind.RUN_FAILED)
    return True


def cancel_running(changes: Changes, task: Task) -> bool:
    """End a task whose run is cancelled."""
    close_attempt(task.pk, task.attempt, AttemptState.CANCELLED)
    if not changes.end(task, TaskState.CANCELLED, attempt=task.attempt, reason="run"):
        return False
    changes.say(EventKind.TASK_CANCELLED, task)
    return True


def lose(changes: Changes, task: Task, worker: str) -> bool:
    """An expired lease: idempotent work is ready again until its third loss; other work needs a person."""
    close_attempt(task.pk, task.attempt, AttemptState.LOST)
    changes.say(EventKind.TASK_LOST, task, worker=worker)
    if task.run.cancel_requested_at:
        return cancel_running(changes, task)
    task.losses += 1
    task.tries_used += 1
    error = error_json("worker_lost", {"losses": task.losses}, ErrorClass.CRASHED)
    if not task.idempotent:
        return give_up(changes, task, error_json("worker_lost_unsure", {}, ErrorClass.CRASHED), ask=True)
    if task.losses >= retry.MAX_LOSSES:
        crashed = error_json("crashes_worker", {"losses": task.losses}, ErrorClass.CRASHED)
        return (
            _give_up_planning(changes, task, crashed)
            if task.kind == TaskKind.PLANNING
            else fail_for_good(changes, task, crashed)
        )
    moved = changes.move(
        task, TaskState.READY, attempt=task.attempt, losses=F("losses") + 1, tries_used=F("tries_used") + 1, error=error
    )
    if moved:
        changes.readied.append(task.key)
    return moved


def interrupt(changes: Changes, task: Task) -> bool:
    """A worker that stops gives its lease back. Work that must not be repeated needs a person."""
    close_attempt(task.pk, task.attempt, AttemptState.INTERRUPTED)
    changes.say(EventKind.TASK_INTERRUPTED, task)
    if task.run.cancel_requested_at:
        return cancel_running(changes, task)
    if not task.idempotent:
        return give_up(changes, task, error_json("worker_lost_unsure", {}, ErrorClass.CRASHED), ask=True)
    moved = changes.move(task, TaskState.READY, attempt=task.attempt)
    if moved:
        changes.readied.append(task.key)
    return moved
