"""The outer shape of a plan: find its tasks in a list, a mapping or a wrapper, and lay out what is nested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from plans.core.jsontypes import JsonObject
from plans.core.nearest import folded
from plans.core.reading.notes import Notes
from plans.core.reading.spellings import (
    CHILDREN_KEYS,
    INTENT_KEYS,
    LINKS_KEYS,
    PLAN_KEYS,
    TASK_KEYS,
    TASKS_KEYS,
    WEAK_TASK_KEYS,
    WRAPPED,
)
from plans.core.spec import TaskSpec

_OURS = frozenset(TaskSpec.model_fields)
_MOST_WRAPPERS = 4
_WAITS = ("depends_on", *(word for word, means in TASK_KEYS.items() if means == "depends_on"))


def spelled(raw: JsonObject, names: tuple[str, ...]) -> str | None:
    """Return the key of `raw` that is one of `names`, the first name first, in any case, dashes or not."""
    keys = {folded(str(key)): key for key in raw}
    return next((keys[folded(name)] for name in names if folded(name) in keys), None)


def is_task(value: Any) -> bool:
    """Tell whether a value is a task that stands alone: it has a skill, and an id or a name."""
    if not isinstance(value, dict):
        return False
    means = {TASK_KEYS.get(folded(str(key))) or WEAK_TASK_KEYS.get(folded(str(key))) for key in value}
    return "skill" in means and bool(means & {"id", "name", "depends_on"})


def is_plan(value: Any) -> bool:
    """Tell whether tasks are found in a value."""
    return next(_plans(value), None) is not None


def ids(value: Any) -> set[str]:
    """Return the ids, else the names, of the tasks in a value."""
    _, inner = next(_plans(value), ((), {}))
    key = spelled(inner, TASKS_KEYS) if isinstance(inner, dict) else None
    tasks = inner[key] if isinstance(inner, dict) and key else inner
    if isinstance(tasks, dict):
        return set(tasks)
    found = set()
    for task in tasks if isinstance(tasks, list) else ():
        if isinstance(task, dict):
            name = spelled(task, ("id", "task_id", "step_id", "name", "title"))
            found.add(str(task.get(name)))
    return found


def _plans(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Give each value below `value` that holds tasks, with the keys that lead to it."""
    if isinstance(value, list):
        if value and all(is_task(item) or _is_group(item) for item in value):
            yield path, value
    elif isinstance(value, dict):
        if tasks_key(value) is not None or _is_mapping(value):
            yield path, value
        elif len(path) < _MOST_WRAPPERS:
            for key, below in value.items():
                yield from _plans(_decoded(key, below), (*path, key))


def tasks_key(raw: JsonObject) -> str | None:
    """Return the key that holds the tasks: `tasks`, whatever is in it, or another spelling with a list or mapping."""
    if "tasks" in raw:
        return "tasks"
    key = spelled(raw, TASKS_KEYS)
    return key if key is not None and isinstance(raw[key], list | dict) else None


def _is_group(value: Any) -> bool:
    return isinstance(value, dict) and _children(value) is not None


def _is_mapping(raw: JsonObject) -> bool:
    return bool(raw) and all(isinstance(item, dict) and spelled(item, ("skill", "tool")) for item in raw.values())


def _decoded(key: str, value: Any) -> Any:
    """Return the JSON in a text where programs hand a plan over as one, e.g. the arguments of a tool call."""
    if isinstance(value, str) and folded(key) in WRAPPED and value.lstrip().startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def plan_of(value: Any, notes: Notes) -> JsonObject | None:
    """Return the plan's object with a list of raw tasks under `tasks`; None, with the reason noted, when there is none."""
    found = list(_plans(value))
    if not found:
        keys = sorted(map(str, value))[:10] if isinstance(value, dict) else []
        notes.refused("no_tasks_key", keys=keys) if isinstance(value, dict) else notes.refused(
            "not_a_plan", came="list"
        )
        return None
    if len(found) > 1:
        notes.refused("several_plans", count=len(found), places=[".".join(path) for path, _ in found][:10])
        return None
    path, inner = found[0]
    plan = _with_tasks(inner, notes)
    return _unwrapped(value, path, plan, notes) if path else plan


def _unwrapped(outer: JsonObject, path: tuple[str, ...], plan: JsonObject, notes: Notes) -> JsonObject:
    """Return the plan with what its wrapper says of the plan, e.g. the goal."""
    above = {key: item for key, item in outer.items() if key != path[0]}
    known = {key for key in above if folded(key) in PLAN_KEYS or key in INTENT_KEYS or folded(key) in LINKS_KEYS}
    notes.repaired("wrapper_removed", key=".".join(path), left_out=sorted(above.keys() - known))
    return {**{key: above[key] for key in above if key in known}, **plan}


def _with_tasks(inner: Any, notes: Notes) -> JsonObject:
    if isinstance(inner, list):
        notes.repaired("list_read_as_tasks")
        return {"tasks": inner}
    key = tasks_key(inner)
    plan = {**inner} if key else {"tasks": inner}
    if key not in (None, "tasks"):
        notes.repaired("key_spelled", key=key, read="tasks")
        plan = {("tasks" if name == key else name): item for name, item in inner.items()}
    tasks = plan["tasks"]
    if isinstance(tasks, dict):
        notes.repaired("mapping_read_as_tasks")
        plan["tasks"] = [tasks] if is_task(tasks) else [_keyed(name, item) for name, item in tasks.items()]
    return plan


def _keyed(name: str, task: Any) -> Any:
    return {"id": name, **task} if isinstance(task, dict) else task


def _children(item: JsonObject) -> str | None:
    """Return the key under which a group has its tasks, if it has any."""
    if item.keys() <= _OURS:
        return None
    key = spelled(item, CHILDREN_KEYS)
    below = item.get(key) if key is not None else None
    return key if isinstance(below, list) and below and all(isinstance(each, dict) for each in below) else None


def laid_out(plan: JsonObject, notes: Notes) -> JsonObject:
    """Return the plan with the tasks that stood inside groups as tasks of a milestone."""
    listed, rows = plan["tasks"], plan.get("milestones")
    if not isinstance(listed, list):
        return plan
    layout = _Layout(notes)
    for row in rows if isinstance(rows, list) else ():
        layout.place(row, None, [], layout.milestones)
    for item in listed:
        layout.place(item, None, [], layout.tasks)
    changed = {**plan, "tasks": layout.tasks}
    return {**changed, "milestones": layout.milestones} if layout.milestones else changed


class _Layout:
    """Takes groups apart: a group is a milestone, and what it waits for all its tasks wait for."""

    def __init__(self, notes: Notes) -> None:
        self.tasks: list[Any] = []
        self.milestones: list[Any] = []
        self._notes = notes

    def place(self, item: Any, parent: str | None, waits: list[Any], where: list[Any]) -> None:
        key = _children(item) if isinstance(item, dict) else None
        if key is None:
            where.append(_inside(item, parent, waits))
            return
        skill = spelled(item, ("skill", "tool"))
        if skill is not None and item[skill]:
            one = str(item.get("id") or "")
            self._notes.refused("children_of_step", task=one or None, id=one, key=key)
            where.append(_inside(item, parent, waits))
            return
        name = next((item[each] for each in ("id", "name", "title") if item.get(each)), None)
        row = str(name) if name is not None else f"m{len(self.milestones) + 1}"
        own = spelled(item, _WAITS)
        self._notes.repaired("children_read_as_milestones", row)
        left = {each: value for each, value in item.items() if each not in {key, own, skill}}
        self.milestones.append({**left, "id": row, **({"parent": parent} if parent else {})})
        below = [*waits, *as_list(item[own])] if own else waits
        for child in item[key]:
            self.place(child, row, below, self.tasks)


def _inside(item: Any, parent: str | None, waits: list[Any]) -> Any:
    if not isinstance(item, dict) or parent is None:
        return item
    if not spelled(item, ("milestone", "milestone_id")):
        item = {**item, "milestone": parent}
    if not waits:
        return item
    own = spelled(item, _WAITS) or "depends_on"
    return {**item, own: [*as_list(item.get(own)), *waits]}


def as_list(value: Any) -> list[Any]:
    """Return what a field that may hold one or several holds."""
    return value if isinstance(value, list) else [] if value is None else [value]
