"""The skill or the value that takes over when a step has failed for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plans.core.catalogue import SkillInfo
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.spec import TaskSpec
from plans.core.states import CorrectionKind, TaskState
from plans.engine import corrections
from plans.engine import outputs as outs
from plans.engine.settle import Changes
from plans.models import Task

# What of a row depends on its skill; `engine.rows` makes the same for both.
COLUMNS = (
    "skill", "skill_version", "needs_approval", "gated", "limited", "decided", "runs_in", "instant", "idempotent",
    "timeout_seconds", "retries",
)  # fmt: skip


def named(spec: TaskSpec, info: SkillInfo, catalogue: Mapping[str, SkillInfo]) -> tuple[str, SkillInfo] | None:
    """Return who names the skill that takes over (`plan` or `skill`), and that skill; None when nobody does."""
    by_plan = spec.on_failure == "fallback" and spec.fallback_skill
    name = spec.fallback_skill if by_plan else info.fallback
    if not name or name == spec.skill or name not in catalogue:
        return None
    return ("plan" if by_plan else "skill"), catalogue[name]


def take_over(changes: Changes, task: Task, error: JsonObject, kind: CorrectionKind) -> bool:
    """Go on with the fallback skill if it has not been used, else with the fallback value."""
    if unused(task):
        columns = swapped(task)
        if not changes.move(task, TaskState.READY, attempt=task.attempt, error=error, checkpoint=None, **columns):
            return False
        changes.readied.append(task.key)
        corrections.note(changes, task, kind, error)
        return True
    values = outs.pack({**outs.nulls(task.spec), **task.spec["fallback_value"]}, {})
    if not changes.end(task, TaskState.SUCCEEDED, attempt=task.attempt, outputs=values, error=error):
        return False
    corrections.note(changes, task, kind, error)
    changes.say(EventKind.TASK_SUCCEEDED, task, fallback=True)
    return True


def unused(task: Task) -> str:
    """Return who names a fallback skill that has not been used yet: `plan`, `skill` or nobody."""
    found = task.fallback or {}
    return "" if found.get("used") else str(found.get("because") or "")


def swapped(task: Task) -> dict[str, Any]:
    """Return the columns that let the other of the two skills run, from its first try."""
    found: JsonObject = task.fallback or {}
    own = {name: getattr(task, name) for name in COLUMNS}
    fallback = {**found, "columns": own, "used": not found.get("used")}
    return {**found["columns"], "fallback": fallback, "tries_used": 0, "losses": 0}


def as_at_first(task: Task) -> dict[str, Any]:
    """Return the columns of a step that starts again from its first try, with its own skill."""
    return swapped(task) if (task.fallback or {}).get("used") else {"tries_used": 0, "losses": 0}
