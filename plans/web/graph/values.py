"""What a drawing is made of: a plan without states, so that equal plans share one geometry, and looks by task key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from plans.core.states import TaskState

PLANNED = "planned"
"""State class of a task that has no row yet (Plan page)."""

UNTIL = "until"
"""State class of a task that waits for a moment, not for a person."""

LOOK_ORDER = (
    TaskState.SUCCEEDED,
    TaskState.RUNNING,
    TaskState.RETRYING,
    TaskState.WAITING,
    TaskState.FAILED,
    UNTIL,
    TaskState.READY,
    TaskState.PENDING,
    TaskState.SKIPPED,
    TaskState.CANCELLED,
)
"""Order of the legend."""

TROUBLED = (TaskState.FAILED, TaskState.WAITING, TaskState.RETRYING, TaskState.RUNNING)
"""What a folded milestone shows first when one of its tasks is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTask:
    """A step. `note` is shown below the title where there is no state: what it uses, that it will ask."""

    key: str
    title: str
    milestone: str | None = None
    note: str = ""
    asks: bool = False
    is_fan_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphMilestone:
    key: str
    title: str
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPlan:
    """What is drawn; edges are (upstream, downstream) keys of tasks or milestones. It is the key of the geometry cache."""

    tasks: tuple[GraphTask, ...]
    milestones: tuple[GraphMilestone, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One task at this moment. `state` is a TaskState value, UNTIL or PLANNED and gives class, icon and colour.

    `word` says the state; `note` follows it ("attempt 2"); then `length`, or the time since `since`, which ticks.
    """

    state: str
    word: str
    note: str = ""
    length: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGraph:
    """A plan with its looks (by key, milestones too) and the last event they include."""

    plan: GraphPlan
    looks: dict[str, Look]
    seq: int = 0
