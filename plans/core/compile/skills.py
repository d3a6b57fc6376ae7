"""Checks of a task's skill and params against the catalogue."""

from __future__ import annotations

import re

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from plans.core import placeholders
from plans.core.catalogue import SkillInfo
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.findings import Severity
from plans.core.jsontypes import Json, JsonObject
from plans.core.spec import TaskSpec

_KNOWN_NAMED = 30
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


def check(draft: Draft) -> None:
    """Add findings about skills that do not exist and params that do not fit."""
    validators: dict[str, Draft202012Validator] = {}
    for task in draft.tasks.values():
        info = draft.info(task)
        if info is None:
            if task.skill:  # an empty one has been reported as missing by the reader
                _say_unknown(draft, task)
        elif not info.free_params:
            if info.name not in validators:
                validators[info.name] = Draft202012Validator(info.params_schema)
            _check_params(draft, task, info, validators[info.name])


def _say_unknown(draft: Draft, task: TaskSpec) -> None:
    known = sorted(draft.catalogue)
    near = draft.nearest(task.skill, known)
    fix = fixes.replace("skill", near) if near else None
    params: JsonObject = {"skill": task.skill, "nearest": near, "known": known[:_KNOWN_NAMED]}
    draft.say("unknown_skill", task=task.id, fix=fix, id=task.id, **params)


def _check_params(draft: Draft, task: TaskSpec, info: SkillInfo, validator: Draft202012Validator) -> None:
    known = info.params_schema.get("properties", {})
    is_open = bool(info.params_schema.get("additionalProperties", False)) or not known
    unknown = [] if is_open else [name for name in task.params if name not in known]
    for name in unknown:
        near = draft.nearest(name, set(known) - set(task.params))
        fix = fixes.replace(f"params.{near}", task.params[name], name) if near else fixes.remove(f"params.{name}")
        params: JsonObject = {"param": name, "skill": info.name, "nearest": near, "known": sorted(known)}
        draft.say("unknown_param", task=task.id, fix=fix, id=task.id, **params)
    given = {name: value for name, value in task.params.items() if name not in unknown}
    for name in info.params_schema.get("required", []):
        if name not in given:
            draft.say("missing_param", task=task.id, id=task.id, param=name, skill=info.name)
    for error in validator.iter_errors(given):
        if error.validator != "required" or error.absolute_path:
            _say_bad(draft, task, info, error)
    for name in sorted(info.literal & given.keys()):
        if placeholders.has_placeholder(given[name]):
            draft.say("placeholder_in_literal", Severity.WARNING, task=task.id, id=task.id, param=name, skill=info.name)


def params_problems(info: SkillInfo, params: JsonObject) -> list[str]:
    """Return in the validator's words why a skill could not be called with `params`; placeholders fit everywhere."""
    known = info.params_schema.get("properties", {})
    errors = Draft202012Validator(info.params_schema).iter_errors(params)
    problems = [_problem(error) for error in errors if not may_be_rendered_away(error, info.literal)]
    if known and not info.params_schema.get("additionalProperties", False):
        problems += [f"unknown param {name!r}" for name in params if name not in known]
    return problems


def _say_bad(draft: Draft, task: TaskSpec, info: SkillInfo, error: ValidationError) -> None:
    if may_be_rendered_away(error, info.literal):
        return
    path = ".".join(str(step) for step in error.absolute_path)
    params: JsonObject = {"param": path, "skill": info.name, "problem": _problem(error)}
    draft.say("bad_param", task=task.id, fix=_as_number(error, path), id=task.id, **params)


def _as_number(error: ValidationError, path: str) -> JsonObject | None:
    """Return the fix for a number written as text where a number is wanted."""
    text = error.instance
    wants = {str(each.validator_value) for each in (error, *(error.context or ())) if each.validator == "type"}
    if not isinstance(text, str) or not _NUMBER.fullmatch(text) or not wants & {"integer", "number"}:
        return None
    value = int(text) if text.lstrip("-").isdigit() else float(text)
    return fixes.replace(f"params.{path}", value)


def _problem(error: ValidationError) -> str:
    """Return the validator's words for the innermost reason, without repeating the whole value."""
    return str((best_match([error]) or error).message)[:300]


def may_be_rendered_away(error: ValidationError, literal: frozenset[str]) -> bool:
    """Tell whether the complaint is about a placeholder, whose value only the run knows."""
    if error.absolute_path and error.absolute_path[0] in literal:
        return False
    if isinstance(error.instance, str):
        return placeholders.has_placeholder(error.instance)
    if error.context:  # anyOf, oneOf: enough when one branch complains of placeholders only
        branches: dict[Json, list[ValidationError]] = {}
        for each in error.context:
            branches.setdefault(each.schema_path[0], []).append(each)
        return any(all(may_be_rendered_away(each, literal) for each in branch) for branch in branches.values())
    return False


def subschemas(schema: JsonObject, path: tuple[str | int, ...]) -> list[JsonObject]:
    """Return the schemas a value at `path` may satisfy: one per branch of `anyOf`, references followed."""
    found = _branches(schema, schema)
    for step in path:
        found = [branch for each in found for below in _below(each, step) for branch in _branches(below, schema)]
    return found


def _branches(schema: Json, root: JsonObject) -> list[JsonObject]:
    if not isinstance(schema, dict):
        return [{}]
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return _branches(root.get("$defs", {}).get(name, {}), root)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return [branch for each in schema[word] for branch in _branches(each, root)]
    if len(schema.get("allOf", [])) == 1:
        return _branches(schema["allOf"][0], root)
    return [schema]


def _below(schema: JsonObject, step: str | int) -> list[Json]:
    if isinstance(step, int):
        items = schema.get("items")
        return [items] if items is not None else ([] if schema.get("type", "array") != "array" else [{}])
    if step in schema.get("properties", {}):
        return [schema["properties"][step]]
    if schema.get("type", "object") != "object" or schema.get("additionalProperties") is False:
        return []
    extra = schema.get("additionalProperties")
    return [extra if isinstance(extra, dict) else {}]
