"""From any JSON value to a raw plan in our own spelling: outer shape, keys, ids, dependencies."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from plans.core.catalogue import Catalogue
from plans.core.jsontypes import Json, JsonObject
from plans.core.nearest import folded
from plans.core.reading import fields, links, roots
from plans.core.reading.notes import Notes
from plans.core.reading.spellings import INTENT_KEYS, PLAN_KEYS
from plans.core.spec import PlanSpec

_OURS = frozenset(field.alias or name for name, field in PlanSpec.model_fields.items())
_SAYS_SOMETHING = ("name", "params", "description")


def shaped(value: Json, catalogue: Catalogue, notes: Notes) -> JsonObject | None:
    """Return the raw plan, None when no tasks are found. `notes` says what was not as given."""
    plan = roots.plan_of(value, notes)
    if plan is None:
        return None
    plan = roots.laid_out(_with_our_keys(plan, notes), notes)
    if not isinstance(plan["tasks"], list):
        return plan
    _check_action(plan, catalogue, notes)
    tasks = [fields.read_task(task, catalogue, notes) if isinstance(task, dict) else task for task in plan["tasks"]]
    tasks, were_made = _with_ids(tasks, notes)
    plan = {**plan, "tasks": _without_copies(tasks, notes)}
    rows = plan.get("milestones")
    rows = rows if isinstance(rows, list) else []
    names = links.Names(plan["tasks"], rows, by_skill=were_made)
    plan = links.read_links(plan, names, notes)
    tasks = [links.read_dependencies(task, names, notes) if isinstance(task, dict) else task for task in plan["tasks"]]
    return {**plan, "tasks": tasks}


def _with_our_keys(plan: JsonObject, notes: Notes) -> JsonObject:
    """Rename what is spelled otherwise, and put what belongs to the intent there."""
    if plan.keys() <= _OURS:
        return _with_lists(plan, notes)
    found: JsonObject = {}
    intent = dict(plan["intent"]) if isinstance(plan.get("intent"), dict) else {}
    moved: JsonObject = {}
    for key, value in plan.items():
        ours = PLAN_KEYS.get(folded(str(key))) if key not in _OURS else key
        if key in INTENT_KEYS and key not in intent and isinstance(value, list | str):
            moved[key] = value
            notes.repaired("key_spelled", key=key, read=f"intent.{key}")
        elif ours is None or ours == key or ours in plan or not isinstance(value, list | str):
            found[key] = value
        else:
            found[ours] = value
            notes.repaired("key_spelled", key=key, read=ours)
    return _with_lists({**found, "intent": {**intent, **moved}} if moved else found, notes)


def _with_lists(plan: JsonObject, notes: Notes) -> JsonObject:
    """Read single texts where a list is wanted, and texts where an object with a text is."""
    changed = {}
    for key in ("result", "risks"):
        if isinstance(plan.get(key), str) and plan[key].strip():
            changed[key] = [plan[key]]
    for key, make in (("preconditions", _precondition), ("milestones", _milestone)):
        rows = plan.get(key)
        if isinstance(rows, list) and any(isinstance(row, str) for row in rows):
            changed[key] = [make(row) if isinstance(row, str) else row for row in rows]
    intent = _with_intent(plan.get("intent"))
    if intent is not plan.get("intent"):
        changed["intent"] = intent
    for key in changed:
        notes.repaired("value_read", field=key, came="text", read="list")
    return {**plan, **changed} if changed else plan


def _with_intent(intent: Any) -> Any:
    if not isinstance(intent, dict):
        return intent
    changed: JsonObject = {}
    for key in ("assumptions", "constraints"):
        if isinstance(intent.get(key), str) and intent[key].strip():
            changed[key] = [intent[key]]
    asked = intent.get("questions")
    asked = [asked] if isinstance(asked, str) and asked.strip() else asked
    if isinstance(asked, list) and any(isinstance(each, str) for each in asked):
        changed["questions"] = [
            {"id": f"q{number}", "text": each} if isinstance(each, str) else each
            for number, each in enumerate(asked, 1)
        ]
    return {**intent, **changed} if changed else intent


def _precondition(text: str) -> JsonObject:
    return {"text": text}


def _milestone(name: str) -> JsonObject:
    return {"id": name, "name": name}


def _check_action(plan: JsonObject, catalogue: Catalogue, notes: Notes) -> None:
    """Read `task` as the skill where a list of tasks names skills by it (in others it is a word about the task)."""
    tasks = [task for task in plan["tasks"] if isinstance(task, dict)]
    if not tasks or any("skill" in task or "tool" in task or not isinstance(task.get("task"), str) for task in tasks):
        return
    is_any = len(catalogue) == 0
    if is_any or any(task["task"] in catalogue for task in tasks):
        for number, task in enumerate(plan["tasks"]):
            if isinstance(task, dict):
                plan["tasks"][number] = {("skill" if key == "task" else key): value for key, value in task.items()}
        notes.repaired("key_spelled", key="task", read="skill")


def _with_ids(tasks: list[Any], notes: Notes) -> tuple[list[Any], bool]:
    """Number the tasks of a plan in which none has an id: then nothing can refer to them but by name.

    Where only some lack one, which id was meant is not known; the strict reader says so.
    """
    has_none = all(isinstance(task, dict) and task.get("id") in (None, "") for task in tasks)
    if len(tasks) < 2 or not has_none:
        return tasks, False
    notes.repaired("ids_made", last=f"t{len(tasks)}")
    return [{**task, "id": f"t{number}"} for number, task in enumerate(tasks, 1)], True


def _without_copies(tasks: list[Any], notes: Notes) -> list[Any]:
    """Leave out a task that stands there twice, word for word, when it says enough to be the same."""
    counts = Counter(str(task["id"]) for task in tasks if isinstance(task, dict) and task.get("id") is not None)
    if not counts or max(counts.values()) < 2:
        return tasks
    kept: list[Any] = []
    seen: set[str] = set()
    for task in tasks:
        if isinstance(task, dict) and counts[str(task.get("id"))] > 1 and any(task.get(key) for key in _SAYS_SOMETHING):
            content = json.dumps(task, sort_keys=True, default=str)
            if content in seen:
                notes.repaired("copy_removed", str(task["id"]))
                continue
            seen.add(content)
        kept.append(task)
    return kept
