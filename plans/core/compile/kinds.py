"""Checks of what a placeholder hands to its param: the kind of the output, text, or null."""

from __future__ import annotations

from plans.core import fan_out
from plans.core.cel_text import Use, plain_path
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.compile.fan_out import item_kind
from plans.core.compile.nulls import Nulls
from plans.core.compile.places import Place
from plans.core.compile.skills import subschemas
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.core.names import RESULT, Target, dotted
from plans.core.spec import TaskSpec

_JSON_TYPES = {
    ValueKind.TEXT: {"string"},
    ValueKind.NUMBER: {"number", "integer"},
    ValueKind.BOOLEAN: {"boolean"},
    ValueKind.LIST: {"array"},
    ValueKind.OBJECT: {"object"},
}


def check_param(draft: Draft, task: TaskSpec, place: Place, found: list[tuple[Use, Target]], nulls: Nulls) -> None:
    """Judge what a placeholder hands to its param: the declared kind of the output, or text."""
    info = draft.info(task)
    if info is None or info.free_params:
        return
    wanted = subschemas(info.params_schema, place.path)
    if not wanted:
        return
    if not place.exact:
        _check_takes_text(draft, task, place, wanted)
        return
    if place.text == fan_out.ITEM:
        kind = item_kind(draft, task)
    else:
        kind = kind_of(draft, found[0][1]) if found and plain_path(place.text) else None
    if kind is None:
        return
    if not any(_takes(schema, kind) for schema in wanted):
        _say_param_kind(draft, task, place, wanted, kind)
    elif found:
        _check_takes_null(draft, task, place, wanted, found[0][1], nulls)


def _check_takes_null(
    draft: Draft, task: TaskSpec, place: Place, wanted: list[JsonObject], aim: Target, nulls: Nulls
) -> None:
    if not any(_takes_null(schema) for schema in wanted) and nulls.may_be_null(task, aim):
        name = shortest(draft, aim)
        fix = fixes.add("run_if", f"{name} != null") if task.run_if is None else None
        say_nullable(draft, task, place, aim, fix, f"{name} != null")


def _check_takes_text(draft: Draft, task: TaskSpec, place: Place, wanted: list[JsonObject]) -> None:
    # A number written in text is read as one by the skill's params, so only what text can never be is refused.
    if not any(_takes(schema, ValueKind.TEXT) or _takes(schema, ValueKind.NUMBER) for schema in wanted):
        _say_param_kind(draft, task, place, wanted, ValueKind.TEXT)


def _say_param_kind(draft: Draft, task: TaskSpec, place: Place, wanted: list[JsonObject], came: ValueKind) -> None:
    words = sorted({str(schema.get("x-artifact") or schema.get("type") or "any") for schema in wanted})
    params: JsonObject = {"param": place.field.removeprefix("params."), "wanted": words, "came": came.value}
    draft.say("param_kind", task=task.id, id=task.id, reference=place.text, skill=task.skill, **params)


def kind_of(draft: Draft, aim: Target) -> ValueKind | None:
    """Return the kind of the whole output a path means; a part of an output is some JSON, a whole task an object."""
    is_item = len(aim.path) == 2 and isinstance(aim.path[1], int) and draft.tasks[aim.task].for_each is not None
    outputs = (draft.item_outputs if is_item else draft.outputs)(draft.tasks[aim.task])
    if outputs is None:
        return None
    if not aim.path:
        return ValueKind.OBJECT
    if len(aim.path) > 1 and not is_item:
        return ValueKind.JSON
    return next(iter(outputs.values()), None) if aim.path[0] == RESULT else outputs[str(aim.path[0])]


def _takes(schema: JsonObject, kind: ValueKind) -> bool:
    artifact = schema.get("x-artifact")
    if artifact is not None:
        return kind in ARTIFACT_KINDS and artifact in {"any", "file", kind.value}
    if kind in ARTIFACT_KINDS:
        return "type" not in schema and "enum" not in schema
    types = schema.get("type")
    if types is None or kind not in _JSON_TYPES:
        return True
    return bool(_JSON_TYPES[kind] & ({types} if isinstance(types, str) else set(types)))


def _takes_null(schema: JsonObject) -> bool:
    types = schema.get("type")
    return "x-artifact" not in schema and (types is None or types == "null" or "null" in types)


def say_nullable(draft: Draft, task: TaskSpec, place: Place, aim: Target, fix: JsonObject | None, guarded: str) -> None:
    params: JsonObject = {"field": place.field, "expression": place.text, "reference": shortest(draft, aim)}
    draft.say("unguarded_nullable", task=task.id, fix=fix, id=task.id, upstream=aim.task, guarded=guarded, **params)


def shortest(draft: Draft, aim: Target) -> str:
    """Return how the nullable output is written: its own name when it has one."""
    output = str(aim.path[0]) if aim.path else RESULT
    return output if draft.producers.get(output) == aim.task else f"{dotted(aim.task)}.{output}"
