"""Judge the types in an expression whose names are all of a declared kind: it is worked out once with sample values.

A sample is right in type and arbitrary in value, so only complaints about types count; an expression that names what has
no declared type (inputs, answers, items, JSON, the inside of rows) is left to the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plans.core import expressions
from plans.core.bind import kind_of
from plans.core.cel_text import Use
from plans.core.compile.draft import Draft
from plans.core.compile.places import Place
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.names import RESULT, Target
from plans.core.spec import TaskSpec

_SAMPLES: Mapping[ValueKind, Json] = {
    ValueKind.TEXT: "1",
    ValueKind.NUMBER: 1,
    ValueKind.BOOLEAN: True,
    ValueKind.LIST: [],
    ValueKind.TABLE: {"columns": [], "row_count": 1, "rows": []},
}
_TYPE_COMPLAINTS = frozenset({"expression_types", "bad_argument"})
_CONDITIONS = frozenset({"run_if", "expect", "done_when", "check"})


def check_types(draft: Draft, task: TaskSpec, place: Place, found: list[tuple[Use, Target]]) -> None:
    """Add a finding when the expression cannot work, or gives no condition where one is wanted, whatever comes."""
    _check_comparisons(draft, task, place, found)
    is_condition = place.field.partition("[")[0] in _CONDITIONS
    context = _samples(draft, place.text, found)
    if context is None or not (found or is_condition):
        return
    try:
        value = expressions.evaluate(place.text, context)
    except ExpressionError as error:
        if error.code in _TYPE_COMPLAINTS:
            draft.say(error.code, task=task.id, **{"id": task.id, "field": place.field, **error.params})
        return
    if is_condition and not isinstance(value, bool):
        draft.say(
            "not_a_condition", task=task.id, id=task.id, field=place.field, expression=place.text, came=kind_of(value)
        )


def _samples(draft: Draft, text: str, found: list[tuple[Use, Target]]) -> dict[str, Any] | None:
    """Return a value for each name of the expression, None when the type of one is not known."""
    names = {use.name for use, _ in found}
    if expressions.names(text) - names:
        return None
    context: dict[str, Any] = {}
    for use, aim in found:
        value = _sample(draft, aim)
        if value is None:
            return None
        _put(context, (use.name, *use.path[: len(use.path) - len(aim.path) + 1]), value)
    return context


def _sample(draft: Draft, aim: Target) -> Json:
    """Return a sample of the output that `aim` means, None when nothing is known of its inside."""
    outputs = draft.outputs(draft.tasks[aim.task])
    if not outputs or not aim.path:
        return None
    kind = next(iter(outputs.values())) if aim.path[0] == RESULT else outputs.get(str(aim.path[0]))
    inside = aim.path[1:]
    if kind == ValueKind.TABLE and "rows" in inside:
        return None
    return _SAMPLES.get(kind) if kind else None


def _put(context: dict[str, Any], path: tuple[str | int, ...], value: Json) -> None:
    holder = context
    for step in path[:-1]:
        holder = holder.setdefault(str(step), {})
    holder[str(path[-1])] = value


def _check_comparisons(draft: Draft, task: TaskSpec, place: Place, found: list[tuple[Use, Target]]) -> None:
    """Say where a value is compared with a constant of another type: CEL finds the two unequal without a word."""
    for use, aim in found:
        value = _at(_sample(draft, aim), aim.path[1:]) if use.compared else None
        if value is not None and kind_of(value) != use.compared:
            params: JsonObject = {"expression": place.text, "kind": kind_of(value), "other": use.compared}
            draft.say("comparison_kinds", task=task.id, id=task.id, field=place.field, **params)


def _at(value: Json, path: tuple[str | int, ...]) -> Json:
    for step in path:
        value = value.get(str(step)) if isinstance(value, dict) else None
    return value
