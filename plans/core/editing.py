"""Edits of a plan as a person makes them: plan JSON in, plan JSON out. Nothing here judges the result."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Literal

from plans.core.errors import InputError
from plans.core.jsontypes import Json, JsonObject


def step_of(plan: Mapping[str, Any], key: str) -> JsonObject:
    """Return the step `key` of `plan`. Raises InputError `step_unknown`."""
    for step in plan["tasks"]:
        if step["id"] == key:
            return dict(step)
    raise InputError("step_unknown", step=key)


def change_step(plan: Mapping[str, Any], key: str, fields: Mapping[str, Json]) -> JsonObject:
    """Put `fields` in the place of the same fields of a step. Its id stays: others name it. Raises InputError."""
    step_of(plan, key)
    changed = copy.deepcopy(dict(plan))
    changed["tasks"] = [{**step, **fields, "id": key} if step["id"] == key else step for step in changed["tasks"]]
    return changed


def add_step(plan: Mapping[str, Any], fields: Mapping[str, Json], after: str = "") -> JsonObject:
    """Add a step behind `after` in the list, or at its end. It gets an id nobody has, unless `fields` name one.

    Raises InputError `step_id_taken`, `step_unknown`.
    """
    taken = {step["id"] for step in plan["tasks"]} | {row["id"] for row in plan.get("milestones") or []}
    key = str(fields.get("id") or _free_id(taken))
    if key in taken:
        raise InputError("step_id_taken", step=key)
    changed = copy.deepcopy(dict(plan))
    steps = changed["tasks"]
    place = _place(plan, after) + 1 if after else len(steps)
    steps.insert(place, {**fields, "id": key})
    return changed


def remove_step(plan: Mapping[str, Any], key: str) -> JsonObject:
    """Take a step away. What came after it now comes after what came before it; its outputs are no result any more.

    Raises InputError `step_unknown`, `last_step`.
    """
    gone = step_of(plan, key)
    if len(plan["tasks"]) == 1:
        raise InputError("last_step")
    changed = copy.deepcopy(dict(plan))
    before = [name for name in gone.get("depends_on") or [] if name != key]
    kept = [step for step in changed["tasks"] if step["id"] != key]
    for step in kept:
        names = step.get("depends_on") or []
        if key in names:
            others = [name for name in names if name != key]
            step["depends_on"] = [*others, *(name for name in before if name not in others and name != step["id"])]
    changed["tasks"] = kept
    made = {key, *(gone.get("outputs") or {}), *(f"{key}.{name}" for name in gone.get("outputs") or {})}
    made -= {name for step in kept for name in step.get("outputs") or {}}
    changed["result"] = [name for name in changed.get("result") or [] if name not in made]
    return changed


def move_step(plan: Mapping[str, Any], key: str, beside: str, where: Literal["before", "after"]) -> JsonObject:
    """Put a step just before or after another one in the list: of steps that may start together the first starts first.

    Raises InputError `step_unknown`.
    """
    changed = copy.deepcopy(dict(plan))
    step = changed["tasks"].pop(_place(plan, key))
    place = _place(changed, beside)
    changed["tasks"].insert(place if where == "before" else place + 1, step)
    return changed


def correct_assumption(plan: Mapping[str, Any], place: int, text: str) -> JsonObject:
    """Reword assumption number `place` (from 0), or drop it when `text` is empty. Raises InputError."""
    changed = copy.deepcopy(dict(plan))
    intent = changed.setdefault("intent", {})
    assumptions = list(intent.get("assumptions") or [])
    if not 0 <= place < len(assumptions):
        raise InputError("assumption_unknown")
    assumptions[place : place + 1] = [text.strip()] if text.strip() else []
    intent["assumptions"] = assumptions
    return changed


def _place(plan: Mapping[str, Any], key: str) -> int:
    for place, step in enumerate(plan["tasks"]):
        if step["id"] == key:
            return place
    raise InputError("step_unknown", step=key)


def _free_id(taken: set[str]) -> str:
    number = len(taken) + 1
    while f"t{number}" in taken:
        number += 1
    return f"t{number}"
