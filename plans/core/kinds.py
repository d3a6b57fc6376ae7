"""Kinds of events, values, risks and places to run: the enums the rest of the product shares."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """One line of a run's history."""

    RUN_CREATED = "run.created"
    RUN_STARTED = "run.started"
    RUN_SUCCEEDED = "run.succeeded"
    RUN_FAILED = "run.failed"
    RUN_PAUSE_REQUESTED = "run.pause_requested"
    RUN_PAUSED = "run.paused"
    RUN_RESUMED = "run.resumed"
    RUN_CANCEL_REQUESTED = "run.cancel_requested"
    RUN_CANCELLED = "run.cancelled"
    RUN_STUCK = "run.stuck"
    RUN_REOPENED = "run.reopened"
    PLAN_DRAFTED = "plan.drafted"
    PLAN_APPROVED = "plan.approved"
    PLAN_REJECTED = "plan.rejected"
    PLAN_FAILED = "plan.failed"
    PLAN_CHANGES_ASKED = "plan.changes_asked"
    PLANNING_PROGRESS = "planning.progress"
    TASKS_READY = "tasks.ready"
    TASK_RUNNING = "task.running"
    TASK_EXPANDED = "task.expanded"
    TASK_SUCCEEDED = "task.succeeded"
    TASK_FAILED = "task.failed"
    TASK_RETRYING = "task.retrying"
    TASK_WAITING = "task.waiting"
    TASK_SKIPPED = "task.skipped"
    TASK_CANCELLED = "task.cancelled"
    TASK_LOST = "task.lost"
    TASK_INTERRUPTED = "task.interrupted"
    TASK_REOPENED = "task.reopened"
    TASK_REUSED = "task.reused"
    TASK_CORRECTED = "task.corrected"
    TASK_CHECKPOINT = "task.checkpoint"
    MODEL_CALLED = "model.called"
    REQUEST_OPENED = "request.opened"
    REQUEST_DECIDED = "request.decided"
    REQUEST_EXPIRED = "request.expired"
    REQUEST_VOID = "request.void"


class ValueKind(StrEnum):
    """Declared type of an output. The last five are always artifacts (blobs)."""

    JSON = "json"
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    OBJECT = "object"
    TABLE = "table"
    IMAGE = "image"
    FILE = "file"
    HTML = "html"


ARTIFACT_KINDS = frozenset({ValueKind.TABLE, ValueKind.IMAGE, ValueKind.FILE, ValueKind.HTML})


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class RunsIn(StrEnum):
    """`engine`: on the loop, no slot. `thread`: in a slot. `process`: in a slot, computing in a child process group."""

    ENGINE = "engine"
    THREAD = "thread"
    PROCESS = "process"


class Approval(StrEnum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"
