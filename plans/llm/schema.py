"""Bring a JSON Schema within what structured outputs accept. The reply is checked against the whole schema afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plans.core.jsontypes import JsonObject

MOST_OPTIONAL = 24
MOST_UNIONS = 16
# what a grammar can hold to; lengths, ranges and patterns are left out
KEPT = frozenset({"type", "enum", "const", "description", "title", "$ref", "required"})
NESTED_MAPS = ("properties", "$defs", "definitions")
NESTED_LISTS = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}


class _Beyond(Exception):
    """No grammar can hold to this schema."""


def for_wire(schema: JsonObject) -> JsonObject | None:
    """Return a schema as strict as structured outputs allow, None when it cannot be said there at all.

    What cannot be: objects with free keys, recursion, values of no type, a root that is no object. Limits: llm docs,
    "Structured outputs", read 2026-11-30.
    """
    if schema.get("type") != "object":
        return None
    try:
        made = _narrow(schema)
        _refuse_recursion(made, made, ())
    except _Beyond:
        return None
    parts = list(_parts(made))
    optional = sum(len(set(part.get("properties", {})) - set(part.get("required", []))) for part in parts)
    unions = sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts)
    return None if optional > MOST_OPTIONAL or unions > MOST_UNIONS else made


def _narrow(schema: Any) -> JsonObject:
    if not isinstance(schema, dict):
        raise _Beyond
    made = {key: value for key, value in schema.items() if key in KEPT}
    for key in NESTED_MAPS:
        if key in schema:
            made[key] = {name: _narrow(part) for name, part in schema[key].items()}
    for key, wire in NESTED_LISTS.items():
        if key in schema:
            made[wire] = [_narrow(part) for part in schema[key]]
    if "items" in schema:
        made["items"] = _narrow(schema["items"])
    _check_shape(made)
    if "object" in _types(made):
        made["additionalProperties"] = False
    return made


def _types(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get("type", [])
    return [found] if isinstance(found, str) else list(found)


def _check_shape(made: Mapping[str, Any]) -> None:
    types = _types(made)
    if not types and not any(key in made for key in ("enum", "const", "$ref", "anyOf", "allOf")):
        raise _Beyond
    if "object" in types and not made.get("properties"):
        raise _Beyond
    if "array" in types and "items" not in made:
        raise _Beyond
    if any(isinstance(value, (dict, list)) for value in [*made.get("enum", []), made.get("const")]):
        raise _Beyond
    if not str(made.get("$ref", "#")).startswith("#"):
        raise _Beyond


def _children(schema: Mapping[str, Any]) -> Iterator[JsonObject]:
    yield from schema.get("properties", {}).values()
    for key in ("anyOf", "allOf"):
        yield from schema.get(key, [])
    if "items" in schema:
        yield schema["items"]


def _parts(schema: JsonObject) -> Iterator[JsonObject]:
    """Yield the schema and every schema in it, definitions once."""
    yield schema
    for key in ("$defs", "definitions"):
        for part in schema.get(key, {}).values():
            yield from _parts(part)
    for child in _children(schema):
        yield from _parts(child)


def _refuse_recursion(root: JsonObject, schema: JsonObject, path: tuple[str, ...]) -> None:
    reference = schema.get("$ref")
    if reference is not None:
        if reference in path:
            raise _Beyond
        _refuse_recursion(root, _resolve(root, reference), (*path, reference))
    for child in _children(schema):
        _refuse_recursion(root, child, path)


def _resolve(root: JsonObject, reference: str) -> JsonObject:
    found: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        raise _Beyond
    return found
