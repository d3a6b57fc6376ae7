"""Read the result a program left: JSON in the narrow sense, bounded, so that no reader downstream can choke on it."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from plans.core.jsontypes import Json

MAX_DEPTH = 32
MAX_NODES = 100_000
MAX_DIGITS = 20


def parse(data: bytes) -> Json:
    """Return the value. Raises ValueError with the reason in a few words."""
    text = data.decode("utf-8")
    _check_depth(text)
    value: Json = json.loads(
        text,
        parse_constant=_refuse_constant,
        parse_int=_whole,
        parse_float=_finite,
        object_pairs_hook=_unique,
    )
    _check_nodes(value)
    return value


def _check_depth(text: str) -> None:
    # Before parsing: the parser itself recurses.
    depth, in_string, escaped = 0, False, False
    for char in text:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError("nested too deeply")
        elif char in "]}":
            depth -= 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _check_nodes(value: Json) -> None:
    stack, seen = [value], 0
    while stack:
        item = stack.pop()
        seen += 1
        if seen > MAX_NODES:
            raise ValueError("too many values")
        if isinstance(item, dict):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and ("\0" in item or not _encodable(item)):
            raise ValueError("a text holds a character that cannot be stored")


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
