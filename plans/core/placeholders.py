"""Placeholders in params: find `{{ … }}`, tell literal text from expressions, render (DESIGN §3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from plans.core.cel_functions import text_of
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json

OPEN, CLOSE, ESCAPED = "{{", "}}", "{{{{"
_QUOTED = re.compile(
    r"""\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", re.DOTALL
)
_RAW_QUOTED = re.compile(r"""\"\"\".*?\"\"\"|'''.*?'''|"[^"]*"|'[^']*'""", re.DOTALL)
_RAW_PREFIX = re.compile(r"(?<![A-Za-z0-9_])(?:[rR][bB]?|[bB][rR])$")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One expression between `{{` and `}}`, without the blanks around it."""

    expression: str


Part = str | Placeholder


def split(text: str) -> list[Part]:
    """Return the literal texts and placeholders of `text` in order; `{{{{` has become `{{`.

    A placeholder ends at the first `}}` outside quotes and brackets. Raises ExpressionError `placeholder_unclosed`,
    `placeholder_empty`.
    """
    parts: list[Part] = []
    literal: list[str] = []
    position = 0
    while True:
        found = text.find(OPEN, position)
        literal.append(text[position:] if found < 0 else text[position:found])
        if found < 0:
            break
        if text.startswith(ESCAPED, found):
            literal.append(OPEN)
            position = found + len(ESCAPED)
            continue
        end = _end(text, found + len(OPEN))
        expression = text[found + len(OPEN) : end].strip()
        if not expression:
            raise ExpressionError("placeholder_empty", placeholder=text[found : end + 2])
        if any(literal):
            parts.append("".join(literal))
        literal = []
        parts.append(Placeholder(expression))
        position = end + len(CLOSE)
    if any(literal):
        parts.append("".join(literal))
    return parts


def _end(text: str, start: int) -> int:
    """Return the index of the closing `}}`."""
    position, depth = start, 0
    while position < len(text):
        char = text[position]
        if char in "\"'":
            quoted = _RAW_QUOTED if _RAW_PREFIX.search(text, max(start, position - 3), position) else _QUOTED
            match = quoted.match(text, position)
            # An unclosed quote hides nothing: the expression itself will be refused, by name.
            position = match.end() if match else position + 1
            continue
        if char in "([{":
            depth += 1
        elif char == "}" and depth == 0 and text.startswith(CLOSE, position):
            return position
        elif char in ")]}":
            depth = max(0, depth - 1)
        position += 1
    raise ExpressionError("placeholder_unclosed", placeholder=text[start - 2 : start + 60])


def exact(text: str) -> str | None:
    """Return the expression when the whole text is one placeholder, else None."""
    if not text.startswith(OPEN) or text.startswith(ESCAPED) or not text.endswith(CLOSE):
        return None
    parts = split(text)
    return parts[0].expression if len(parts) == 1 and isinstance(parts[0], Placeholder) else None


def has_placeholder(value: Json) -> bool:
    """Tell whether a placeholder (or a broken one) is anywhere in `value`."""
    return any(OPEN in text.replace(ESCAPED, "") for _, text in texts_in(value))


def escape(text: str) -> str:
    """Return `text` so that `split` gives it back as one literal."""
    return text.replace(OPEN, ESCAPED)


def escape_all(value: Json) -> Any:
    """Return `value` with every text in it escaped, so that rendering gives back just this value."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [escape_all(inner) for inner in value]
    if isinstance(value, dict):
        return {key: escape_all(inner) for key, inner in value.items()}
    return value


def texts_in(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Give every text in `value` with its path, in order. Keys of objects are names, never rendered."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [(path, value)]
    while stack:
        place, item = stack.pop()
        if isinstance(item, str):
            yield place, item
        elif isinstance(item, dict):
            stack.extend(((*place, key), below) for key, below in reversed(item.items()))
        elif isinstance(item, list):
            stack.extend(((*place, index), below) for index, below in reversed(list(enumerate(item))))


def expressions_in(value: Json, literal: frozenset[str] = frozenset()) -> list[str]:
    """Return every expression in `value`, in order; params named in `literal` are ordinary text."""
    if isinstance(value, dict) and literal:
        value = {key: item for key, item in value.items() if key not in literal}
    parts = (part for _, text in texts_in(value) for part in split(text))
    return [part.expression for part in parts if isinstance(part, Placeholder)]


def render(value: Json, evaluate: Callable[[str], Json], as_text: Callable[[Json], str] = text_of) -> Json:
    """Return `value` with every placeholder replaced: an exact one by its value, one in longer text by its text."""
    if isinstance(value, str):
        return _render_text(value, evaluate, as_text)
    if isinstance(value, dict):
        return {key: render(item, evaluate, as_text) for key, item in value.items()}
    if isinstance(value, list):
        return [render(item, evaluate, as_text) for item in value]
    return value


def _render_text(text: str, evaluate: Callable[[str], Json], as_text: Callable[[Json], str]) -> Json:
    if OPEN not in text:
        return text
    whole = exact(text)
    if whole is not None:
        return evaluate(whole)
    parts = split(text)
    return "".join(as_text(evaluate(part.expression)) if isinstance(part, Placeholder) else part for part in parts)
