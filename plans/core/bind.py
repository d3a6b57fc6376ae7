"""Bind what a skill delivered to the names a task declared (DESIGN §3 "Values")."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from plans.core.errors import CheckFailed
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.core.values import REF_KEY, ArtifactRef, is_ref


def pair(declared: Mapping[str, object], delivered: Mapping[str, object]) -> dict[str, str] | None:
    """Return declared name -> delivered name: by key when all match, else one to one in order; None when too few came.

    With nothing declared, what came keeps its own names.
    """
    if not declared:
        return {name: name for name in delivered}
    if all(name in delivered for name in declared):
        return {name: name for name in declared}
    if len(declared) > len(delivered):
        return None
    return dict(zip(declared, delivered, strict=False))


def bind_outputs(
    declared: Mapping[str, ValueKind], delivered: Mapping[str, Json | ArtifactRef]
) -> tuple[dict[str, Json], list[JsonObject]]:
    """Return output name -> JSON, and the conversions made as `{"name", "from", "to"}`.

    Raises CheckFailed: `output_missing` (name, wanted, came) and `output_type` (name, wanted, came).
    """
    values = {name: _as_json(value) for name, value in delivered.items()}
    pairs = pair(declared, values)
    if pairs is None:
        names = list(declared)
        wanted = names[len(values)] if len(values) < len(names) else names[-1]
        raise CheckFailed("output_missing", name=wanted, wanted=declared[wanted].value, came=sorted(values))
    bound: dict[str, Json] = {}
    conversions: list[JsonObject] = []
    for name, source in pairs.items():
        value = values[source]
        if declared:
            value, came = _convert(name, declared[name], value)
            if came:
                conversions.append({"name": name, "from": came, "to": declared[name].value})
        bound[name] = value
    return bound, conversions


def _as_json(value: Json | ArtifactRef) -> Json:
    return value.model_dump(mode="json", by_alias=True) if isinstance(value, ArtifactRef) else value


def kind_of(value: Json) -> str:
    """Return the word for the type of a value: the artifact's kind, or the JSON type."""
    if is_ref(value):
        return str(value["kind"]) if isinstance(value, dict) and "kind" in value else REF_KEY
    for types, word in ((bool, "boolean"), (str, "text"), ((int, float), "number"), (list, "list"), (dict, "object")):
        if isinstance(value, types):
            return word
    return "null"


def _convert(name: str, wanted: ValueKind, value: Json) -> tuple[Json, str | None]:
    """Return the value as `wanted`, and what it was if it was converted; only what loses nothing is."""
    came = kind_of(value)
    if _fits(wanted, came):
        return value, None
    converted = None
    if not is_ref(value):
        maker = _CONVERSIONS.get((came, wanted))
        converted = maker(value) if maker else None
    if converted is None:
        raise CheckFailed("output_type", name=name, wanted=wanted.value, came=came)
    return converted, came


def _fits(wanted: ValueKind, came: str) -> bool:
    if wanted == ValueKind.JSON:
        # null, too: a skill that found nothing says so, and `json` promises no shape.
        return came not in ARTIFACT_KINDS or came == ValueKind.JSON
    if wanted == ValueKind.FILE:
        return came in ARTIFACT_KINDS
    return came == wanted.value


def _number(value: Any) -> Json:
    text = value.strip()
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _boolean(value: Any) -> Json:
    return {"true": True, "false": False}.get(value.strip().lower())


def _text(value: Any) -> Json:
    return json.dumps(value, ensure_ascii=False)


def _parsed(wanted: type[list[Any]] | type[dict[str, Any]]) -> Any:
    def parse(value: Any) -> Json:
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, wanted) else None

    return parse


_CONVERSIONS: Mapping[tuple[str, ValueKind], Any] = {
    ("text", ValueKind.NUMBER): _number,
    ("text", ValueKind.BOOLEAN): _boolean,
    ("text", ValueKind.LIST): _parsed(list),
    ("text", ValueKind.OBJECT): _parsed(dict),
    ("number", ValueKind.TEXT): _text,
    ("boolean", ValueKind.TEXT): _text,
    ("list", ValueKind.TEXT): _text,
    ("object", ValueKind.TEXT): _text,
}
