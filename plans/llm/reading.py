"""Take the JSON out of a reply and hold it against its schema: no endpoint is trusted to have done so."""

from __future__ import annotations

import json
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from plans.core.jsontypes import Json, JsonObject

MOST_PROBLEMS = 8
_THINK = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_DECODER = json.JSONDecoder()


def json_of(text: str) -> Json:
    """Return the JSON value in `text`: all of it, in a code fence, or the first object in prose. Raises ValueError."""
    bare = _THINK.sub("", text).strip()
    for candidate in (bare, *(found.strip() for found in _FENCE.findall(bare))):
        try:
            return json.loads(candidate)  # type: ignore[no-any-return]
        except ValueError:
            continue
    start = bare.find("{")
    if start < 0:
        raise ValueError("there is no JSON object in the reply")
    value, _ = _DECODER.raw_decode(bare, start)
    return value  # type: ignore[no-any-return]


def held(value: Json, schema: JsonObject) -> tuple[Json, list[str]]:
    """Return `value` with enums in the spelling of `schema`, and what is wrong with it (empty: nothing).

    A grammar does not always keep the capitals of an enum; that alone makes no reply useless.
    """
    validator = Draft202012Validator(schema)
    root = [value]
    for error in list(validator.iter_errors(value)):
        if error.validator == "enum":
            _respell(root, error)
    errors = sorted(validator.iter_errors(root[0]), key=lambda error: str(error.json_path))
    return root[0], [f"{error.json_path}: {error.message[:300]}" for error in errors[:MOST_PROBLEMS]]


def _respell(root: list[Any], error: ValidationError) -> None:
    wanted: Any = error.validator_value
    found = [known for known in wanted if str(known).casefold() == str(error.instance).casefold()]
    if len(found) != 1:
        return
    *way, last = [0, *error.absolute_path]
    place: Any = root
    for step in way:
        place = place[step]
    place[last] = found[0]
