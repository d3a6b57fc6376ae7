"""The failure ladder: what a failed or lost attempt leads to (DESIGN §5)."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from plans.core import retry
from plans.core.errors import ErrorClass
from plans.core.fan_out import ITEM_OF
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.ladder import CORRECTIONS, Rung, next_rung
from plans.core.states import AttemptState, Autonomy, CancelReason, Ending, TaskKind, TaskState
from plans.engine import budgets, corrections, planning_failed, replanning, rungs
from plans.engine.rungs import error_json
from plans.engine.settle import Changes, close_attempt, is_cancelled, locked
from plans.engine.steps import Failed
from plans.models import Task


def fail(changes: Changes, failed: Failed, *, can_plan: bool = False) -> bool:
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
    if is_cancelled(task):
        return cancel_running(changes, task)
    if decision is not None:
        return _retry_later(changes, task, error, decision.delay_seconds)
    return give_up(changes, task, error, can_plan=can_plan)


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


def give_up(changes: Changes, task: Task, error: JsonObject, *, ask: bool = False, can_plan: bool = False) -> bool:
    """No further try by itself: climb on as the task's `on_failure` and what was tried say; `ask` goes to a person."""
    if error["class"] == ErrorClass.BUDGET and task.run.autonomy != Autonomy.UNATTENDED:
        return budgets.ask(changes, task, error)
    if task.kind == TaskKind.PLANNING:
        return planning_failed.give_up(changes, task, error)
    if ask:
        return rungs.ask(changes, task, error)
    # One item of a fan-out is no step of the plan, and one plan at a time is enough.
    can_plan = can_plan and not task.group and not replanning.is_under_way(task.run)
    standing = corrections.standing(task, error, can_plan=can_plan)
    rung = next_rung(task.spec.get("on_failure"), standing, corrections.limits())
    if rung not in CORRECTIONS and task.spec.get(ITEM_OF, {}).get("skips"):
        # The plan says that the others go on without it.
        rung = Rung.SKIP
    if rung is Rung.REPLAN:
        return replanning.begin(changes, task, error)
    if rung is Rung.ARGUMENTS:
        return replanning.other_arguments(changes, task, error)
    return rungs.climb(changes, task, error, rung)


def cancel_running(changes: Changes, task: Task) -> bool:
    """End a task whose run is cancelled."""
    close_attempt(task.pk, task.attempt, AttemptState.CANCELLED)
    reason = CancelReason.FAILURE if task.run.ending == Ending.FAILED else CancelReason.RUN
    if not changes.end(task, TaskState.CANCELLED, attempt=task.attempt, reason=reason):
        return False
    changes.say(EventKind.TASK_CANCELLED, task)
    return True


def lose(changes: Changes, task: Task, worker: str) -> bool:
    """An expired lease: idempotent work is ready again until its third loss; other work needs a person."""
    close_attempt(task.pk, task.attempt, AttemptState.LOST)
    changes.say(EventKind.TASK_LOST, task, worker=worker)
    if is_cancelled(task):
        return cancel_running(changes, task)
    task.losses += 1
    task.tries_used += 1
    error = error_json("worker_lost", {"losses": task.losses}, ErrorClass.CRASHED)
    if not task.idempotent:
        return give_up(changes, task, error_json("worker_lost_unsure", {}, ErrorClass.CRASHED), ask=True)
    if task.losses >= retry.MAX_LOSSES:
        crashed = error_json("crashes_worker", {"losses": task.losses}, ErrorClass.CRASHED)
        if task.kind == TaskKind.PLANNING:
            return planning_failed.give_up(changes, task, crashed)
        return rungs.fail_for_good(changes, task, crashed)
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
    if is_cancelled(task):
        return cancel_running(changes, task)
    if not task.idempotent:
        return give_up(changes, task, error_json("worker_lost_unsure", {}, ErrorClass.CRASHED), ask=True)
    moved = changes.move(task, TaskState.READY, attempt=task.attempt)
    if moved:
        changes.readied.append(task.key)
    return moved
