"""From text to the JSON object of a plan: byte order mark and one fence forgiven, anything else one clear finding."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from plans.core.findings import Finding, Severity
from plans.core.jsontypes import Json, JsonObject

MAX_DEPTH = 100
_FENCE = re.compile(r"\A```[A-Za-z0-9_-]*[ \t]*\r?\n(.*)\r?\n```\Z", re.DOTALL)
# Neither can be stored: PostgreSQL refuses NUL in text, and a lone surrogate is no character.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def parse(raw: str | bytes | Json) -> tuple[JsonObject | None, list[Finding]]:
    """Return the object and findings; None with an error when there is no object to judge."""
    findings: list[Finding] = []
    value: Any = raw
    if isinstance(raw, bytes):
        try:
            value = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return None, [Finding(code="not_utf8", params={"position": error.start})]
    if isinstance(value, str):
        value, findings = _from_text(value)
        if any(finding.severity == Severity.ERROR for finding in findings):
            return None, findings
    if not isinstance(value, dict):
        came = {type(None): "null", list: "list", str: "text", bool: "true or false"}.get(type(value), "number")
        return None, [*findings, Finding(code="not_a_plan", params={"came": came})]
    problem = _problem(value)
    return (None, [*findings, problem]) if problem else (value, findings)


def _from_text(text: str) -> tuple[Any, list[Finding]]:
    findings: list[Finding] = []
    if text.startswith("\ufeff"):
        text = text[1:]
        findings.append(Finding(code="byte_order_mark_removed", severity=Severity.INFO))
    body = text.strip()
    fenced = _FENCE.match(body)
    if fenced and "```" not in fenced[1]:
        body = fenced[1]
        findings.append(Finding(code="fence_removed", severity=Severity.INFO))
    if not body.strip():
        return None, [*findings, Finding(code="empty_text")]
    return _loaded(body, text.find(body), text, findings)


def _loaded(body: str, offset: int, text: str, findings: list[Finding]) -> tuple[Any, list[Finding]]:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> JsonObject:
        found = dict(items)
        if len(found) < len(items):
            repeated.extend(key for key, count in Counter(key for key, _ in items).items() if count > 1)
        return found

    try:
        value = json.loads(body, object_pairs_hook=pairs, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        before = text[: offset + error.pos]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return None, [*findings, Finding(code="not_json", params={"line": line, "column": column, "detail": error.msg})]
    except RecursionError:
        return None, [*findings, Finding(code="too_deep", params={"limit": MAX_DEPTH})]
    except ValueError as error:
        return None, [*findings, Finding(code="not_json", params={"line": 1, "column": 1, "detail": str(error)[:200]})]
    for key in dict.fromkeys(repeated):
        findings.append(Finding(code="repeated_key", severity=Severity.WARNING, params={"key": key}))
    return value, findings


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def _problem(value: JsonObject) -> Finding | None:
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
