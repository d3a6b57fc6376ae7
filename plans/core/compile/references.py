"""Checks of expressions: syntax, references and the dependencies they make, types of params, nulls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from plans.core import expressions, fan_out, placeholders
from plans.core.cel_text import TYPE_NAMES, Use, plain_path
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.compile.fan_out import check_list, item_kind
from plans.core.compile.nulls import Nulls
from plans.core.compile.skills import subschemas
from plans.core.errors import ExpressionError
from plans.core.findings import Severity
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.core.names import RESULT, Path, Target, dotted, is_identifier, target
from plans.core.spec import TaskSpec

_TABLE_FIELDS = frozenset({"columns", "row_count", "rows"})
_JSON_TYPES = {
    ValueKind.TEXT: {"string"},
    ValueKind.NUMBER: {"number", "integer"},
    ValueKind.BOOLEAN: {"boolean"},
    ValueKind.LIST: {"array"},
    ValueKind.OBJECT: {"object"},
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands. `path` is its way into the params; `exact` means that its value keeps its type."""

    field: str
    text: str
    exact: bool = False
    path: Path = ()


def check(draft: Draft) -> None:
    """Add findings about every expression; fill `draft.added` with the dependencies that references make."""
    nulls = Nulls(draft)
    for task in draft.tasks.values():
        for place in _places(draft, task):
            _check_place(draft, task, place, nulls)


def _places(draft: Draft, task: TaskSpec) -> Iterator[Place]:
    if task.run_if is not None:
        yield Place("run_if", task.run_if, exact=True)
    if task.for_each is not None:
        yield from _in_list(draft, task, task.for_each)
    info = draft.info(task)
    literal = info.literal if info else frozenset()
    for name, value in task.params.items():
        for path, text in placeholders.texts_in({} if name in literal else value, (name,)):
            if placeholders.OPEN in text:
                yield from _in_param(draft, task, text, path)


def _in_list(draft: Draft, task: TaskSpec, text: str) -> Iterator[Place]:
    try:
        yield Place("for_each", fan_out.list_expression(text), exact=True)
    except ExpressionError as error:
        _say_expression(draft, task, "for_each", error)


def _in_param(draft: Draft, task: TaskSpec, text: str, path: Path) -> Iterator[Place]:
    field = "params." + ".".join(str(step) for step in path)
    try:
        parts = placeholders.split(text)
    except ExpressionError as error:
        _say_expression(draft, task, field, error)
        return
    for part in parts:
        if isinstance(part, placeholders.Placeholder):
            yield Place(field, part.expression, exact=len(parts) == 1, path=path)


def _say_expression(draft: Draft, task: TaskSpec, field: str, error: ExpressionError) -> None:
    fix = None
    if error.code == "placeholder_unclosed":
        fix = fixes.replace(field, placeholders.ESCAPED, placeholders.OPEN)
    draft.say(error.code, task=task.id, fix=fix, **{"id": task.id, "field": field, **error.params})


def _check_place(draft: Draft, task: TaskSpec, place: Place, nulls: Nulls) -> None:
    try:
        uses = expressions.uses(place.text)
    except ExpressionError as error:
        _say_expression(draft, task, place.field, error)
        return
    found: list[tuple[Use, Target]] = []
    for use in uses:
        aim = target(use.name, use.path, draft.tasks, draft.producers)
        if aim is None:
            _check_scope_word(draft, task, place, use)
        elif _check_target(draft, task, place, use, aim):
            found.append((use, aim))
            _depend(draft, task, aim.task)
    for fragile in nulls.unguarded(task, place.field, found):
        _say_unguarded(draft, task, place, fragile)
    if place.path:
        _check_type(draft, task, place, found, nulls)
    elif place.field == "for_each" and found and plain_path(place.text):
        check_list(draft, task, _kind(draft, found[0][1]), place.text)


def _check_scope_word(draft: Draft, task: TaskSpec, place: Place, use: Use) -> None:
    """Judge a name that is no task's: inputs and answers are, item and index only inside a fan-out."""
    if use.name == "inputs" or (use.name in TYPE_NAMES and not use.path):
        return
    if use.name in fan_out.ITEM_WORDS and task.for_each is not None and place.field != "for_each":
        return
    if use.name == "answers":
        known = [question.id for question in draft.plan.intent.questions]
        if use.path and use.path[0] not in known:
            near = draft.nearest(str(use.path[0]), known)
            _say_unresolved(draft, task, place, _written(use), near and _path("answers", (near, *use.path[1:])))
        return
    if use.name == "tasks":
        near = draft.nearest(str(use.path[0]), draft.tasks) if use.path else None
        _say_unresolved(draft, task, place, _written(use), near and _path(dotted(near), use.path[1:]))
        return
    near = draft.nearest(use.name, chain(draft.producers, draft.tasks))
    known_as = near if near is None or near in draft.producers else dotted(near)
    _say_unresolved(draft, task, place, _written(use), known_as and _path(known_as, use.path))


def _check_target(draft: Draft, task: TaskSpec, place: Place, use: Use, aim: Target) -> bool:
    if aim.task == task.id:
        draft.say("self_reference", task=task.id, id=task.id, field=place.field, reference=_written(use))
        return False
    outputs = draft.outputs(draft.tasks[aim.task])
    first = aim.path[0] if aim.path else RESULT
    if outputs is None:
        return True
    if first != RESULT and first not in outputs:
        near = draft.nearest(str(first), outputs)
        _say_unresolved(draft, task, place, _written(use), near and _path(dotted(aim.task), (near, *aim.path[1:])))
        return False
    kind = next(iter(outputs.values()), None) if first == RESULT else outputs[str(first)]
    if kind == ValueKind.TABLE and len(aim.path) > 1 and aim.path[1] not in _TABLE_FIELDS:
        _say_unresolved(draft, task, place, _written(use), None)
        return False
    return True


def _written(use: Use) -> str:
    return _path(use.name, use.path)


def _path(name: str, path: Path) -> str:
    """Return a path as it is written in an expression."""
    return name + "".join(f".{step}" if isinstance(step, str) and is_identifier(step) else _key(step) for step in path)


def _key(step: str | int) -> str:
    return f"[{json.dumps(step, ensure_ascii=False)}]"


def _say_unresolved(draft: Draft, task: TaskSpec, place: Place, reference: str, near: str | None) -> None:
    fix = fixes.replace(place.field, near, reference) if near else None
    params: JsonObject = {"field": place.field, "expression": place.text, "reference": reference, "nearest": near}
    draft.say("unresolved_reference", task=task.id, fix=fix, id=task.id, **params)


def _depend(draft: Draft, task: TaskSpec, upstream: str) -> None:
    """Add the dependency that a reference makes, when the plan has not named it."""
    added = draft.added.setdefault(task.id, [])
    if upstream in task.depends_on or upstream in added:
        return
    added.append(upstream)
    if upstream not in draft.upstream[task.id]:
        # Not there through a milestone either: the graph grows by an edge, which is a repair and is said.
        draft.upstream[task.id].append(upstream)
        fix = fixes.add("depends_on", upstream)
        draft.say("dependency_added", Severity.INFO, task=task.id, fix=fix, id=task.id, dependency=upstream)


def _say_unguarded(draft: Draft, task: TaskSpec, place: Place, aim: Target) -> None:
    name = _shortest(draft, aim)
    # a list that is null reads as an empty one
    gives_value = place.path or place.field == "for_each"
    guarded = f"{name} != null ? ({place.text}) : null" if gives_value else f"{name} != null && ({place.text})"
    fix = fixes.replace(place.field, guarded, place.text)
    _say_nullable(draft, task, place, aim, fix, guarded)


def _say_nullable(
    draft: Draft, task: TaskSpec, place: Place, aim: Target, fix: JsonObject | None, guarded: str
) -> None:
    params: JsonObject = {"field": place.field, "expression": place.text, "reference": _shortest(draft, aim)}
    draft.say("unguarded_nullable", task=task.id, fix=fix, id=task.id, upstream=aim.task, guarded=guarded, **params)


def _shortest(draft: Draft, aim: Target) -> str:
    """Return how the nullable output is written: its own name when it has one."""
    output = str(aim.path[0]) if aim.path else RESULT
    return output if draft.producers.get(output) == aim.task else f"{dotted(aim.task)}.{output}"


def _check_type(draft: Draft, task: TaskSpec, place: Place, found: list[tuple[Use, Target]], nulls: Nulls) -> None:
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
        kind = _kind(draft, found[0][1]) if found and plain_path(place.text) else None
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
        name = _shortest(draft, aim)
        fix = fixes.add("run_if", f"{name} != null") if task.run_if is None else None
        _say_nullable(draft, task, place, aim, fix, f"{name} != null")


def _check_takes_text(draft: Draft, task: TaskSpec, place: Place, wanted: list[JsonObject]) -> None:
    # A number written in text is read as one by the skill's params, so only what text can never be is refused.
    if not any(_takes(schema, ValueKind.TEXT) or _takes(schema, ValueKind.NUMBER) for schema in wanted):
        _say_param_kind(draft, task, place, wanted, ValueKind.TEXT)


def _say_param_kind(draft: Draft, task: TaskSpec, place: Place, wanted: list[JsonObject], came: ValueKind) -> None:
    words = sorted({str(schema.get("x-artifact") or schema.get("type") or "any") for schema in wanted})
    params: JsonObject = {"param": place.field.removeprefix("params."), "wanted": words, "came": came.value}
    draft.say("param_kind", task=task.id, id=task.id, reference=place.text, skill=task.skill, **params)


def _kind(draft: Draft, aim: Target) -> ValueKind | None:
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
