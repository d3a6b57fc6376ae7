"""Between the flat form a model writes and the JSON of a plan. What is certain is repaired and said; nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.errors import ExpressionError
from plans.core.findings import Finding, Severity
from plans.core.jsontypes import Json, JsonObject
from plans.core.placeholders import Placeholder, split
from plans.planning.modelled.schemas import NOTHING_SPECIAL

# Texts that mean "nothing" when empty, and enums that mean "as the skill says" when they are `default`.
_EMPTY_IS_NONE = ("milestone", "run_if", "for_each", "fallback_skill", "undo", "parent", "done_when", "check")
_DEFAULT_IS_NONE = ("on_failure", "risk")
_KEPT = (
    *("assignees", "priority", "pool", "weight", "retries", "timeout_seconds"),
    *("items_at_once", "fallback_value"),
)
"""What the wire form has no room for: kept from the plan before, by task id."""


def from_wire(data: JsonObject, catalogue: Catalogue) -> tuple[JsonObject, list[Finding]]:
    """Return the plan a reply means, not yet compiled, and what had to be said about reading it.

    Parts that are in the plan's own form already stay as they are; keys nobody knows are left for the compiler to name.
    """
    findings: list[Finding] = []
    plan: JsonObject = {"schema": 1, **data}
    intent = dict(plan["intent"]) if isinstance(plan.get("intent"), dict) else {}
    for key in ("summary", "assumptions"):
        if key in plan:
            intent[key] = plan.pop(key)
    if intent:
        plan["intent"] = intent
    for key in ("preconditions", "milestones"):
        if isinstance(plan.get(key), list):
            plan[key] = [_without_nothing(item) for item in plan[key]]
    if isinstance(plan.get("tasks"), list):
        names = {name.casefold(): name for name in catalogue}
        plan["tasks"] = [_task(item, names, catalogue, findings) for item in plan["tasks"]]
    return plan, findings


def _without_nothing(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    found = {key: None if key in _EMPTY_IS_NONE and value == "" else value for key, value in item.items()}
    return {
        key: None if key in _DEFAULT_IS_NONE and value in (NOTHING_SPECIAL, "") else value
        for key, value in found.items()
    }


def _task(item: Any, names: Mapping[str, str], catalogue: Catalogue, findings: list[Finding]) -> Any:
    if not isinstance(item, dict):
        return item
    task = _without_nothing(item)
    skill = task.get("skill")
    if isinstance(skill, str) and skill not in catalogue and skill.strip().casefold() in names:
        task["skill"] = names[skill.strip().casefold()]
    info = catalogue[task["skill"]] if isinstance(task.get("skill"), str) and task["skill"] in catalogue else None
    if isinstance(task.get("params"), list):
        task["params"] = read_params(task["params"], info, str(task.get("id") or ""), findings)
    if isinstance(task.get("outputs"), list):
        task["outputs"] = {str(one.get("name")): one.get("kind") for one in task["outputs"] if isinstance(one, dict)}
    if isinstance(task.get("expect"), list):
        task["expect"] = [each for each in task["expect"] if each != ""]
    seconds = task.pop("estimate_seconds", None)
    if isinstance(seconds, int | float) and seconds > 0:
        task["estimate"] = {"seconds": seconds}
    return task


def read_params(written: list[Any], info: SkillInfo | None, task: str, findings: list[Finding]) -> JsonObject:
    """Return the params a list of `{name, kind, value}` means; what cannot be read is left out and an error finding."""
    params: JsonObject = {}
    for one in written:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            findings.append(Finding(code="param_unreadable", task=task, params={"id": task}))
            continue
        name, value = one["name"], one.get("value")
        read: Any = value
        if isinstance(value, str):
            if one.get("kind") == "ref":
                read = "{{ " + _bare(value) + " }}"
            else:
                read, problem = _literal(name, value, info, task)
                if problem:
                    findings.append(problem)
                    if problem.severity == Severity.ERROR:
                        continue
        if name in params and params[name] != read:
            findings.append(Finding(code="param_twice", task=task, params={"id": task, "param": name}))
        params.setdefault(name, read)
    return params


def _bare(expression: str) -> str:
    """Return an expression without the braces models like to put round it."""
    text = expression.strip()
    if text.startswith("{{") and text.endswith("}}") and text.count("{{") == 1:
        return text[2:-2].strip()
    return text


def _literal(name: str, text: str, info: SkillInfo | None, task: str) -> tuple[Json, Finding | None]:
    """Read JSON text; a bare text is taken as one where the skill wants a text or it cannot be anything else."""
    wants_text = _wants_text(info, name)
    try:
        value = json.loads(text)
    except ValueError as error:
        if not wants_text and text.lstrip()[:1] in ("{", "[", '"'):
            # Broken JSON is not mended here: what it was meant to hold is the model's to say.
            params = {"id": task, "param": name, "problem": str(error), "text": text[:200]}
            return None, Finding(code="param_not_json", task=task, params=params)
        return text, None
    if wants_text and not isinstance(value, str):
        return text, None
    return value, None


def _wants_text(info: SkillInfo | None, name: str) -> bool:
    """Tell whether a param is a text and nothing else, so that `2024` is one too."""
    schema = info.params_schema.get("properties", {}).get(name) if info else None
    return isinstance(schema, dict) and schema.get("type") == "string"


def to_wire(plan: Mapping[str, Any], catalogue: Catalogue) -> JsonObject:
    """Return a plan in the form a model reads and writes: for an example, or to be changed."""
    intent = plan.get("intent") or {}
    return {
        "summary": intent.get("summary", ""),
        "assumptions": list(intent.get("assumptions") or []),
        "preconditions": [
            {"text": one.get("text", ""), "check": one.get("check") or ""} for one in plan.get("preconditions") or []
        ],
        "risks": list(plan.get("risks") or []),
        "rollback": plan.get("rollback") or "",
        "milestones": [_milestone_to_wire(one) for one in plan.get("milestones") or []],
        "tasks": [task_to_wire(one, catalogue) for one in plan.get("tasks") or []],
        "result": list(plan.get("result") or []),
    }


def _milestone_to_wire(milestone: Mapping[str, Any]) -> JsonObject:
    return {
        "id": milestone["id"],
        "name": milestone.get("name", ""),
        "parent": milestone.get("parent") or "",
        "done_when": milestone.get("done_when") or "",
        "approval": milestone.get("approval") or "auto",
    }


def task_to_wire(task: Mapping[str, Any], catalogue: Catalogue) -> JsonObject:
    info = catalogue.get(task["skill"])
    literal = info.literal if info else frozenset()
    undo = task.get("undo")
    return {
        "id": task["id"],
        "name": task.get("name", ""),
        "description": task.get("description", ""),
        "milestone": task.get("milestone") or "",
        "skill": task["skill"],
        "params": [_param_to_wire(name, value, literal) for name, value in (task.get("params") or {}).items()],
        "outputs": [{"name": name, "kind": str(kind)} for name, kind in (task.get("outputs") or {}).items()],
        "depends_on": list(task.get("depends_on") or []),
        "expected_output": task.get("expected_output", ""),
        "run_if": task.get("run_if") or "",
        "for_each": task.get("for_each") or "",
        "item_errors": task.get("item_errors") or "stop",
        "expect": list(task.get("expect") or []),
        "on_failure": task.get("on_failure") or NOTHING_SPECIAL,
        "fallback_skill": task.get("fallback_skill") or "",
        "approval": task.get("approval") or "auto",
        "risk": task.get("risk") or NOTHING_SPECIAL,
        "confidence": task.get("confidence") or "medium",
        "estimate_seconds": (task.get("estimate") or {}).get("seconds") or 0,
        "always_run": bool(task.get("always_run")),
        "undo": undo if isinstance(undo, str) else json.dumps(undo, ensure_ascii=False) if undo else "",
    }


def _param_to_wire(name: str, value: Json, literal: frozenset[str]) -> JsonObject:
    if isinstance(value, str) and name not in literal:
        try:
            parts = split(value)
        except ExpressionError:
            parts = []
        if len(parts) == 1 and isinstance(parts[0], Placeholder):
            return {"name": name, "kind": "ref", "value": parts[0].expression}
    return {"name": name, "kind": "literal", "value": json.dumps(value, ensure_ascii=False)}


def keep_unsaid(plan: JsonObject, before: Mapping[str, Any]) -> JsonObject:
    """Return `plan` with what the wire form has no room for, as it was in the plan before, by task id."""
    known = {task["id"]: task for task in before.get("tasks") or [] if isinstance(task, dict) and "id" in task}
    tasks = []
    for task in plan.get("tasks") or []:
        old = known.get(task.get("id")) if isinstance(task, dict) else None
        kept = {key: old[key] for key in _KEPT if old and key in old and key not in task}
        tasks.append({**task, **kept} if kept else task)
    return {**plan, "tasks": tasks} if tasks else plan
