"""Which task a name in an expression means: one rule for compiling and for running (DESIGN §3 "Names")."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from plans.core import expressions, placeholders
from plans.core.cel_text import Use
from plans.core.cel_words import RESERVED
from plans.core.fan_out import list_expression
from plans.core.spec import PlanSpec, TaskSpec

SCOPE_WORDS = frozenset({"inputs", "answers", "item", "index", "tasks", "result"})
RESULT = "result"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A task and the path below it: its output first, then what is inside the output."""

    task: str
    path: Path


def is_identifier(name: str) -> bool:
    """Tell whether `name` can be written as a plain name in an expression."""
    return bool(_IDENTIFIER.match(name)) and name not in RESERVED


def dotted(task: str) -> str:
    """Return how a task is named in an expression: `t2`, or `tasks["odd id"]`."""
    if is_identifier(task) and task not in SCOPE_WORDS:
        return task
    escaped = task.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'tasks["{escaped}"]'


def written(name: str, path: Path = ()) -> str:
    """Return a path as it is written in an expression."""
    return name + "".join(
        f".{step}" if isinstance(step, str) and is_identifier(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
        for step in path
    )


def target(name: str, path: Path, ids: Collection[str], producers: Mapping[str, str]) -> Target | None:
    """Return the task that `name` and the constant `path` after it mean; None when it is no task's."""
    if name == "tasks":
        first = path[0] if path else None
        return Target(first, path[1:]) if isinstance(first, str) and first in ids else None
    if name in SCOPE_WORDS:
        return None
    if name in producers:
        return Target(producers[name], (name, *path))
    return Target(name, path) if name in ids else None


def producers_of(tasks: Iterable[TaskSpec]) -> dict[str, str]:
    """Return output name -> the task that declares it; the first one where two do."""
    found: dict[str, str] = {}
    for task in tasks:
        for output in task.outputs:
            found.setdefault(output, task.id)
    return found


def uses_of(spec: TaskSpec, literal: frozenset[str] = frozenset()) -> list[Use]:
    """Return every use of a variable in the task's params and condition. Raises ExpressionError."""
    texts = placeholders.expressions_in(spec.params, literal)
    texts += [spec.run_if] if spec.run_if else []
    texts += [list_expression(spec.for_each)] if spec.for_each else []
    return [use for text in texts for use in expressions.uses(text)]


def referenced(spec: TaskSpec, plan: PlanSpec, literal: frozenset[str] = frozenset()) -> set[str]:
    """Return the ids of the tasks whose outputs `spec` reads. Raises ExpressionError."""
    ids = {task.id for task in plan.tasks}
    producers = producers_of(plan.tasks)
    found = (target(use.name, use.path, ids, producers) for use in uses_of(spec, literal))
    return {each.task for each in found if each}
