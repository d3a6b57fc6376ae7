"""States and legal moves of runs, tasks, attempts and requests, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class RunState(StrEnum):
    PLANNING = "planning"
    REVIEW = "review"
    RUNNING = "running"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TaskState(StrEnum):
    PENDING = "pending"
    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    RETRYING = "retrying"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class AttemptState(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LOST = "lost"
    INTERRUPTED = "interrupted"
    SUSPENDED = "suspended"
    CANCELLED = "cancelled"


class RequestState(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"
    VOID = "void"


class RequestKind(StrEnum):
    PLAN_APPROVAL = "plan_approval"
    TASK_APPROVAL = "task_approval"
    QUESTION = "question"
    FAILURE = "failure"
    BUDGET = "budget"
    STUCK = "stuck"


class TaskKind(StrEnum):
    STEP = "step"
    MILESTONE = "milestone"
    PLANNING = "planning"


class SkipReason(StrEnum):
    CONDITION = "condition"
    PERSON = "person"
    ON_FAILURE = "on_failure"
    UPSTREAM = "upstream"
    SIBLING = "sibling"
    """Another item of the same fan-out failed."""


class CancelReason(StrEnum):
    RUN = "run"
    REMOVED = "removed"
    FAILURE = "failure"
    """Another step failed, and the plan says that this ends the run."""


class Ending(StrEnum):
    """Why a run is cancelled but for the steps that always run. Without one all of it is."""

    STOPPED = "stopped"
    """A person chose Stop run."""
    FAILED = "failed"
    """A step failed whose plan says so."""


class CorrectionKind(StrEnum):
    """How a failure was tried to be put right."""

    ARGUMENTS = "arguments"
    FALLBACK = "fallback"
    OTHER_SKILL = "other_skill"
    REPLAN = "replan"
    RETRY = "retry"
    CHANGES = "changes"
    HINT = "hint"
    MARK_DONE = "mark_done"
    SKIP = "skip"


class Autonomy(StrEnum):
    EVERY_STEP = "every_step"
    RISKY_STEPS = "risky_steps"
    PLAN_ONLY = "plan_only"
    UNATTENDED = "unattended"


# The whole of DESIGN §5 "Engine": target states per state. A failed task is left only by a person.
TASK_MOVES: Mapping[TaskState, frozenset[TaskState]] = {
    TaskState.PENDING: frozenset({TaskState.READY, TaskState.SKIPPED, TaskState.CANCELLED}),
    TaskState.READY: frozenset(
        # succeeded, failed: a fan-out whose items have all ended
        {
            TaskState.RUNNING,
            TaskState.WAITING,
            TaskState.SUCCEEDED,
            TaskState.SKIPPED,
            TaskState.FAILED,
            TaskState.CANCELLED,
            # a revision has changed it, or what it waits for
            TaskState.PENDING,
        }
    ),
    TaskState.RUNNING: frozenset(
        {
            TaskState.SUCCEEDED,
            TaskState.FAILED,
            TaskState.WAITING,
            TaskState.RETRYING,
            TaskState.READY,
            # expanded: a fan-out now waits for its items, as for upstream tasks
            TaskState.PENDING,
            TaskState.SKIPPED,
            TaskState.CANCELLED,
        }
    ),
    TaskState.WAITING: frozenset(
        # pending: a revision does it differently
        {
            TaskState.READY,
            TaskState.PENDING,
            TaskState.SUCCEEDED,
            TaskState.FAILED,
            TaskState.SKIPPED,
            TaskState.CANCELLED,
        }
    ),
    TaskState.RETRYING: frozenset({TaskState.READY, TaskState.SKIPPED, TaskState.CANCELLED}),
    TaskState.SUCCEEDED: frozenset(),
    # pending: a fan-out whose items are opened again
    TaskState.FAILED: frozenset({TaskState.READY, TaskState.PENDING, TaskState.SKIPPED, TaskState.SUCCEEDED}),
    TaskState.SKIPPED: frozenset({TaskState.PENDING}),
    TaskState.CANCELLED: frozenset(),
}

RUN_MOVES: Mapping[RunState, frozenset[RunState]] = {
    RunState.PLANNING: frozenset({RunState.REVIEW, RunState.FAILED, RunState.CANCELLED}),
    RunState.REVIEW: frozenset({RunState.PLANNING, RunState.RUNNING, RunState.CANCELLED}),
    RunState.RUNNING: frozenset({RunState.PAUSED, RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED}),
    RunState.PAUSED: frozenset({RunState.RUNNING, RunState.CANCELLED}),
    RunState.SUCCEEDED: frozenset(),
    RunState.FAILED: frozenset({RunState.RUNNING}),
    RunState.CANCELLED: frozenset(),
}

TASK_TERMINAL = frozenset({TaskState.SUCCEEDED, TaskState.FAILED, TaskState.SKIPPED, TaskState.CANCELLED})
RUN_TERMINAL = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED})


def task_sources(target: TaskState) -> frozenset[TaskState]:
    """Return the states from which a task may enter `target`."""
    return frozenset(state for state, targets in TASK_MOVES.items() if target in targets)


def run_sources(target: RunState) -> frozenset[RunState]:
    """Return the states from which a run may enter `target`."""
    return frozenset(state for state, targets in RUN_MOVES.items() if target in targets)
