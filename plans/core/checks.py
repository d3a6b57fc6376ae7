"""Checks of what a step has made: those every table and number has to pass, and those the plan names (DESIGN §3 `expect`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plans.core import expressions
from plans.core.cel_functions import text_of
from plans.core.errors import CheckFailed, ExpressionError
from plans.core.fan_out import group_of
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.names import written
from plans.core.scope import Scope, evaluate
from plans.core.values import is_ref

LONGEST_VALUE = 200
MOST_VALUES = 8
_COUNTED = frozenset({"row_count", "rows"})


def verify(key: str, outputs: Mapping[str, Json], expect: Sequence[str], scope: Scope) -> None:
    """Judge the outputs of the step `key`, stored already; `scope` holds what its upstream made.

    Raises CheckFailed: `check_failed` (check, values), `check_unreadable` (check, reason, detail).
    """
    # One item of a fan-out is called what the plan calls the step.
    whole = replace(scope, upstream={**scope.upstream, group_of(key) or key: dict(outputs)})
    for text in expect:
        judge(text, whole)


def by_default(outputs: Mapping[str, Json], expect: Sequence[str]) -> None:
    """Refuse empty tables and numbers that are none; a plan that speaks of an output's rows has its own say about them.

    Raises CheckFailed `output_empty` (name), `output_not_finite` (name, column, count).
    """
    spoken = _spoken(expect)
    for name, value in outputs.items():
        if is_ref(value) and isinstance(value, dict) and value.get("kind") == ValueKind.TABLE:
            meta = value.get("meta") or {}
            if meta.get("row_count") == 0 and not spoken.get(name, frozenset()) & _COUNTED:
                raise CheckFailed("output_empty", name=name)
            bad = meta.get("not_finite") or {}
            if bad and "rows" not in spoken.get(name, frozenset()):
                column = next(iter(bad))
                raise CheckFailed("output_not_finite", name=name, column=column, count=bad[column])
        elif isinstance(value, float) and not math.isfinite(value):
            raise CheckFailed("output_not_finite", name=name, column="", count=1)


def judge(text: str, scope: Scope) -> None:
    """Raise CheckFailed with the actual values when a check does not hold or cannot be told."""
    try:
        value = evaluate(text, scope)
    except ExpressionError as error:
        raise CheckFailed("check_unreadable", check=text, reason=error.code, detail=dict(error.params)) from error
    if value is not True:
        found = values_of(text, scope)
        if not isinstance(value, bool):
            found = {**found, text: _shown(value)}
        raise CheckFailed("check_failed", check=text, values=found)


def values_of(text: str, scope: Scope) -> dict[str, str]:
    """Return what a check named and what was there, as short texts."""
    found: dict[str, str] = {}
    for use in expressions.uses(text):
        name = written(use.name, use.path)
        if name in found or len(found) >= MOST_VALUES:
            continue
        try:
            found[name] = _shown(evaluate(name, scope))
        except ExpressionError:
            continue  # inside a comprehension: it has no value of its own
    return found


def _spoken(expect: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return output name -> the fields of it that the checks read."""
    found: dict[str, set[str]] = {}
    for text in expect:
        try:
            uses = expressions.uses(text)
        except ExpressionError:
            continue  # reported where the check itself is judged
        for use in uses:
            words = [use.name, *(str(step) for step in use.path)]
            for name, field in zip(words, [*words[1:], ""], strict=True):
                found.setdefault(name, set()).add(field)
            # The whole of an output: every row of it is read.
            found.setdefault(words[-1], set()).add("rows")
    return {name: frozenset(fields) for name, fields in found.items()}


def _shown(value: Any) -> str:
    if is_ref(value) and isinstance(value, dict):
        meta: JsonObject = value.get("meta") or {}
        return f"{value.get('kind')}, {meta['row_count']} rows" if "row_count" in meta else str(value.get("kind"))
    text = "null" if value is None else text_of(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
