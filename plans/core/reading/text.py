"""From text to the JSON value of a plan: what is certain is forgiven and said, anything else is one clear finding."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from plans.core.findings import Finding, Severity
from plans.core.jsontypes import Json, JsonObject
from plans.core.reading import prose, roots
from plans.core.reading.lenient import MAX_DEPTH, Broken, TooDeep

_MOST_LENIENT = 1_000_000
"""Longer texts are read as plain JSON only: forgiving takes a look at every character."""
_EXCERPT = 200
# Neither can be stored: PostgreSQL refuses NUL in text, and a lone surrogate is no character.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class Read:
    """A JSON value, or none with an error among the findings."""

    value: Any = None
    findings: list[Finding] = field(default_factory=list)

    def refuse(self, code: str, **params: Any) -> Read:
        self.value = None
        self.findings.append(Finding(code=code, params=params))
        return self

    def note(self, code: str, **params: Any) -> None:
        self.findings.append(Finding(code=code, severity=Severity.INFO, params=params))


def parse(raw: str | bytes | Json) -> Read:
    """Return the JSON value of a plan that came as text, bytes or JSON, checked to be storable."""
    read = Read(raw)
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return read.refuse("not_utf8", position=error.start)
    if isinstance(raw, str):
        _from_text(read, raw)
        if read.value is None and read.findings and read.findings[-1].severity == Severity.ERROR:
            return read
    if not isinstance(read.value, dict | list):
        came = {type(None): "null", str: "text", bool: "true or false"}.get(type(read.value), "number")
        return read.refuse("not_a_plan", came=came)
    problem = _problem(read.value)
    return read.refuse(problem.code, **problem.params) if problem else read


def _from_text(read: Read, text: str) -> None:
    start = 0
    if text.startswith("\ufeff"):
        start = 1
        read.note("byte_order_mark_removed")
    if not text[start:].strip():
        read.refuse("empty_text")
        return
    try:
        read.value = _strict(text[start:], read)
    except RecursionError:
        read.refuse("too_deep", limit=MAX_DEPTH)
    except ValueError as error:
        if len(text) > _MOST_LENIENT:
            position = error.pos if isinstance(error, json.JSONDecodeError) else 0
            _refuse_at(read, text, "not_json", start + position, str(error)[:200])
        else:
            _lenient(read, text, start)
    else:
        _unwrap_text(read)


def _unwrap_text(read: Read) -> None:
    """Read the plan inside a JSON text: some programs encode what they send twice."""
    inner = read.value
    if isinstance(inner, str) and inner.lstrip().startswith(("{", "[")):
        read.note("json_unwrapped")
        _from_text(read, inner.strip())


def _strict(text: str, read: Read) -> Any:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> JsonObject:
        found = dict(items)
        if len(found) < len(items):
            repeated.extend(key for key, count in Counter(key for key, _ in items).items() if count > 1)
        return found

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse_constant)
    _say_repeated(read, repeated)
    return value


def _say_repeated(read: Read, keys: list[str]) -> None:
    for key in dict.fromkeys(keys):
        read.findings.append(Finding(code="repeated_key", severity=Severity.WARNING, params={"key": key}))


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def _lenient(read: Read, text: str, start: int) -> None:
    try:
        answer = prose.after_thoughts(text, start)
        found = prose.values(text, answer)
        chosen = _chosen(read, found, text)
    except Broken as error:
        _refuse_at(read, text, error.code, error.position, error.detail)
    except TooDeep:
        read.refuse("too_deep", limit=MAX_DEPTH)
    except prose.Several as several:
        lines = [_place(text, each.start)[0] for each in several.found]
        read.refuse("several_plans", count=len(lines), lines=lines[:10])
    except LookupError:
        read.refuse("no_plan_in_text", excerpt=text[start:].strip()[:_EXCERPT])
    else:
        if answer > start:
            read.note("thoughts_removed")
        for code in sorted(prose.around(text, answer, chosen)):
            read.note(code)
        for code, position in sorted(chosen.notes.items()):
            line, column = _place(text, position)
            read.note(code, line=line, column=column)
        _say_repeated(read, chosen.repeated)
        read.value = chosen.value


def _chosen(read: Read, found: list[prose.Found], text: str) -> prose.Found:
    """Return the value that is the plan. Raises prose.Several, LookupError."""
    lines = _lines(found, text)
    if lines is not None:
        read.note("lines_joined", count=len(found))
        return lines
    chosen = prose.choose(found, text, roots.is_plan, roots.ids)
    if any(each is not chosen and roots.is_task(each.value) for each in found):
        # A task that stands outside the plan has fallen out of it: reading on would lose it.
        raise prose.Several(found)
    if sum(roots.is_plan(each.value) for each in found) > 1:
        read.note("last_plan_taken", line=_place(text, chosen.start)[0])
    return chosen


def _lines(found: list[prose.Found], text: str) -> prose.Found | None:
    """Return one value made of several tasks that follow each other with nothing but blanks or commas between."""
    if len(found) < 2 or not all(roots.is_task(each.value) for each in found):
        return None
    pairs = pairwise(found)
    if any(text[one.end : other.start].strip(" \t\r\n,") for one, other in pairs):
        return None
    notes = {code: place for each in reversed(found) for code, place in each.notes.items()}
    repeated = [key for each in found for key in each.repeated]
    tasks = [each.value for each in found]
    return prose.Found(value=tasks, start=found[0].start, end=found[-1].end, notes=notes, repeated=repeated)


def _refuse_at(read: Read, text: str, code: str, position: int, detail: str) -> None:
    line, column = _place(text, position)
    read.refuse(code, line=line, column=column, detail=detail)


def _place(text: str, position: int) -> tuple[int, int]:
    """Return line and column, both from 1."""
    before = text[:position]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _problem(value: Json) -> Finding | None:
    """Return an error when the value is too deep or holds characters that cannot be stored."""
    level: list[Any] = [value]
    depth = 0
    while level:
        if depth > MAX_DEPTH:
            return Finding(code="too_deep", params={"limit": MAX_DEPTH})
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
            elif isinstance(item, str) and _UNSTORABLE.search(item):
                return Finding(code="bad_characters", params={"text": _UNSTORABLE.sub("\ufffd", item)[:80]})
        level, depth = below, depth + 1
    return None
