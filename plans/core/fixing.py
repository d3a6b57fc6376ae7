"""Apply the mechanical fix of a finding (`core.compile.fixes`) to the step it is about."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from plans.core import placeholders
from plans.core.editing import step_of
from plans.core.errors import ExpressionError, InputError
from plans.core.jsontypes import Json, JsonObject

EXPRESSIONS = {"run_if", "for_each"}


def apply_fix(plan: Mapping[str, Any], key: str, fix: Mapping[str, Any]) -> JsonObject:
    """Return `plan` with `fix` made in step `key`; a plan in which it finds nothing to do stays as it is.

    Raises InputError `step_unknown`, `fix_not_applicable`.
    """
    step = copy.deepcopy(step_of(plan, key))
    holder, name = _find(step, str(fix["field"]))
    action = fix["action"]
    if action == "replace":
        _replace(holder, name, fix.get("value"), fix.get("old"), str(fix["field"]) in EXPRESSIONS)
    elif action == "remove":
        _remove(holder, name, fix.get("value"))
    elif action == "add":
        _add(holder, name, fix.get("value"))
    else:
        raise InputError("fix_not_applicable", action=str(action))
    return {**plan, "tasks": [step if row["id"] == key else row for row in plan["tasks"]]}


def _find(step: JsonObject, field: str) -> tuple[Any, Any]:
    """Return the object or list that holds `field` (a dotted path) and the last name of the path in it."""
    holder: Any = step
    rest = field
    while True:
        if isinstance(holder, list):
            first, _, rest = rest.partition(".")
            name: Any = int(first) if first.isdigit() else -1
            if not 0 <= name < len(holder):
                raise InputError("fix_not_applicable", action=field)
        else:
            name, rest = _name_in(holder, rest)
        if not rest:
            return holder, name
        if isinstance(holder, dict) and holder.get(name) is None:
            holder[name] = {}
        holder = holder[name]
        if not isinstance(holder, dict | list):
            raise InputError("fix_not_applicable", action=field)


def _name_in(holder: JsonObject, path: str) -> tuple[str, str]:
    """Split `path` into a key of `holder` and the rest; a key may hold dots itself, so the longest known one wins."""
    known = [key for key in holder if path == key or path.startswith(f"{key}.")]
    key = max(known, key=len) if known else path.partition(".")[0]
    return key, path[len(key) + 1 :]


def _replace(holder: Any, name: Any, value: Json, old: Json, is_expression: bool) -> None:
    current = holder[name] if isinstance(holder, list) else holder.get(name)
    if isinstance(current, list) and old is not None:
        swapped = [value if item == old else item for item in current]
        holder[name] = [item for place, item in enumerate(swapped) if item not in swapped[:place]]
    elif isinstance(current, str) and isinstance(old, str) and isinstance(value, str) and current != old:
        holder[name] = _in_expression(current, old, value) if is_expression else _in_text(current, old, value)
    else:
        if isinstance(holder, dict) and name not in holder and isinstance(old, str):
            # The value moves to another name of the same object.
            holder.pop(old, None)
        holder[name] = value


def _in_text(text: str, old: str, value: str) -> str:
    """Replace `old` in the placeholders of `text`; where it is a bracket of a broken one, that one."""
    if old == placeholders.OPEN:
        return _unbroken(text, value)
    try:
        parts = placeholders.split(text)
    except ExpressionError:
        return text.replace(old, value)
    written = [
        f"{{{{ {_in_expression(part.expression, old, value)} }}}}"
        if isinstance(part, placeholders.Placeholder)
        else placeholders.escape(part)
        for part in parts
    ]
    return "".join(written)


def _in_expression(text: str, old: str, value: str) -> str:
    if text == old:
        return value
    # `old` may begin or end with a bracket or a quote, where no word ends.
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda _: value, text)


def _unbroken(text: str, value: str) -> str:
    """Escape the first bracket whose escaping makes the text readable."""
    place = text.find(placeholders.OPEN)
    while place >= 0:
        tried = text[:place] + value + text[place + len(placeholders.OPEN) :]
        try:
            placeholders.split(tried)
        except ExpressionError:
            place = text.find(placeholders.OPEN, place + len(placeholders.OPEN))
        else:
            return tried
    return text.replace(placeholders.OPEN, value)


def _remove(holder: Any, name: Any, value: Json) -> None:
    current = holder[name] if isinstance(holder, list) else holder.get(name)
    if isinstance(current, list) and value is not None:
        holder[name] = [item for item in current if item != value]
    elif isinstance(holder, list):
        del holder[name]
    else:
        holder.pop(name, None)


def _add(holder: Any, name: Any, value: Json) -> None:
    current = holder[name] if isinstance(holder, list) else holder.get(name)
    if name == "depends_on" or isinstance(current, list):
        items = list(current or [])
        holder[name] = items if value in items else [*items, value]
    else:
        holder[name] = value
