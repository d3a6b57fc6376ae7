"""Rows and results that cannot be dealt with: each fails by itself, and what was in hand with it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import structlog

from plans.core.errors import ErrorClass, PlannerError, SkillError
from plans.core.kinds import EventKind
from plans.core.states import AttemptState, TaskState
from plans.engine import gates, outcomes, turn
from plans.engine.boundaries import Boundary
from plans.engine.gates import Gate, Opened
from plans.engine.hot import Claimed, Done
from plans.engine.load import RunCache, jobs
from plans.engine.planned import ReadCatalogue
from plans.engine.rungs import error_json
from plans.engine.settle import Changes, close_attempt, locked
from plans.engine.sql import DATABASE_AWAY, transact
from plans.engine.steps import Failed, Job, Message
from plans.engine.turn import TurnResult

log = structlog.get_logger("plans.engine")
T = TypeVar("T")
CODE = "task_unreadable"
UNREADABLE = error_json(CODE, {}, ErrorClass.PERMANENT)


def jobs_of(claimed: Sequence[Claimed], cache: RunCache, catalogue: ReadCatalogue) -> list[Job]:
    """Return the jobs of what was claimed, without those whose rows cannot be read: these have failed."""
    try:
        return jobs(claimed, cache)
    except DATABASE_AWAY:
        raise
    except Exception:
        found = []
        for one in claimed:
            found += _or_fail(one, partial(jobs, [one], cache), catalogue) or []
        return found


def take(done: Sequence[Done], free: int, worker: str, catalogue: ReadCatalogue) -> TurnResult:
    """Take a turn. A result that the database refuses is its own step's failure and keeps no other from being stored."""
    try:
        return turn.take(done, free, worker)
    except DATABASE_AWAY:
        raise
    except Exception:
        if not done:
            raise
        for one in done:
            _or_fail(one.claimed, partial(turn.take, [one], 0, worker), catalogue)
        return turn.take([], free, worker)


def keep(message: Message) -> None:
    """Keep what a step says while it runs. What cannot be kept is lost, and the step goes on."""
    try:
        outcomes.keep(message)
    except DATABASE_AWAY:
        raise
    except Exception:
        log.exception("message_lost", task=message.claimed.key, attempt=message.claimed.attempt)


def fail(claimed: Claimed, error: Exception, catalogue: ReadCatalogue) -> None:
    """Fail an attempt for a fault that is not its skill's: as its plan says, or where that cannot be read, for good."""
    code, params = (error.code, dict(error.params)) if isinstance(error, PlannerError) else (CODE, {})
    failed = Failed(claimed=claimed, code=code, params=params, error_class=ErrorClass.PERMANENT)
    try:
        outcomes.commit(failed, stopping=False, catalogue=catalogue)
    except DATABASE_AWAY:
        raise
    except Exception:
        end(claimed.task_id, claimed.attempt)


def fail_at_gate(task_id: int, worker: str) -> Opened:
    """Fail a gated task about which nothing can be decided."""
    try:
        return gates.refuse(task_id, worker, SkillError(CODE))
    except DATABASE_AWAY:
        raise
    except Exception:
        return Opened(gate=Gate.MOVED if end(task_id) else Gate.GONE)


def end(task_id: int, attempt: int | None = None) -> bool:
    """Fail a task for good without reading its plan. What cannot even be failed so is logged and left."""

    def work() -> bool:
        task = locked([task_id])[0]
        changes = Changes(task.run_id)
        if attempt is not None:
            close_attempt(task_id, attempt, AttemptState.FAILED, error=UNREADABLE)
        if not changes.end(task, TaskState.FAILED, attempt=attempt, error=UNREADABLE):
            return False
        changes.say(EventKind.TASK_FAILED, task, error=UNREADABLE)
        changes.flush()
        return True

    try:
        return transact(work, Boundary.OUTCOME)
    except DATABASE_AWAY:
        raise
    except Exception:
        log.exception("task_cannot_be_failed", task=task_id, attempt=attempt)
        return False


def _or_fail(claimed: Claimed, work: Callable[[], T], catalogue: ReadCatalogue) -> T | None:
    try:
        return work()
    except DATABASE_AWAY:
        raise
    except Exception as error:
        log.exception("task_unreadable", task=claimed.key, attempt=claimed.attempt)
        fail(claimed, error, catalogue)
        return None
