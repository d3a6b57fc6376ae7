"""Read code in params before anybody approves it: what is wrong, with line and column. Nothing is run, nothing opened.

A param says its language in its schema (`x-language`): `python`, `cel`, `json-schema` and `url` are checked here; for any
other the catalogue hands in a check of its own (`SkillInfo.checks`, by param name).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from plans.core import expressions
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json, JsonObject

LONGEST = 50_000
"""Characters of code that are read; the time a parser takes grows with them."""
_DEEPEST = 200
_SCHEMES = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong, where: line and column from 1, None where it has no place."""

    code: str
    line: int | None = None
    column: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What the code may name: the task's other params."""

    params: JsonObject


ParamCheck: TypeAlias = Callable[[Any, Around], list[Problem]]


def _python(text: str, around: Around) -> list[Problem]:
    if _depth(text) > _DEEPEST:
        return [Problem(code="code_too_deep", params={"limit": _DEEPEST})]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        detail = {"language": "Python", "detail": str(error.msg)[:200]}
        return [Problem(code="code_syntax", line=error.lineno or 1, column=error.offset or 1, params=detail)]
    except (ValueError, RecursionError, MemoryError):
        return [Problem(code="code_too_deep", params={"limit": _DEEPEST})]
    return [
        Problem(code="import_unavailable", line=node.lineno, column=node.col_offset + 1, params={"name": name})
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in _imported(node)
        if name.partition(".")[0] in _UNREACHABLE
    ]


# No network and no other process inside the sandbox: these can only fail there.
_UNREACHABLE = frozenset(
    [
        "requests",
        "httpx",
        "aiohttp",
        "socket",
        "ftplib",
        "smtplib",
        "telnetlib",
        "paramiko",
        "subprocess",
        "multiprocessing",
    ]
)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


def _depth(text: str) -> int:
    """Return how deep brackets could be nested; the parser's own limit would come late."""
    depth = deepest = 0
    for sign in text:
        if sign in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in ")]}":
            depth = max(0, depth - 1)
    return deepest


def _cel(text: str, around: Around) -> list[Problem]:
    try:
        expressions.read(text)
    except ExpressionError as error:
        place = {"line": error.params.get("line"), "column": error.params.get("column")}
        detail = {"language": "CEL", "detail": str(error.params.get("detail") or error.code)[:200]}
        return [Problem(code="code_syntax", params=detail, **place)]
    return []


def _json_schema(value: Json, around: Around) -> list[Problem]:
    if not isinstance(value, dict | bool):
        return [Problem(code="bad_schema", params={"detail": "not an object", "path": ""})]
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        path = ".".join(str(step) for step in error.absolute_path)
        return [Problem(code="bad_schema", params={"detail": str(error.message)[:200], "path": path})]
    except RecursionError:
        return [Problem(code="code_too_deep", params={"limit": _DEEPEST})]
    return []


def _url(text: str, around: Around) -> list[Problem]:
    try:
        parts = urlsplit(text.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return [Problem(code="bad_url", params={"url": text[:200], "detail": str(error)[:100]})]
    if parts.scheme.lower() not in _SCHEMES:
        return [Problem(code="bad_url", params={"url": text[:200], "detail": "http:// or https:// was expected"})]
    if not host or any(sign.isspace() for sign in text.strip()):
        return [Problem(code="bad_url", params={"url": text[:200], "detail": "no host, or blanks inside"})]
    return []


_TEXTS: Mapping[str, ParamCheck] = {"python": _python, "cel": _cel, "url": _url}


def check(language: str, value: Json, around: Around, own: ParamCheck | None = None) -> list[Problem]:
    """Return what is wrong with a param; `own` is the check that the catalogue hands in for it."""
    if language == "json-schema":
        return _json_schema(value, around)
    if not isinstance(value, str):
        return []  # reported where the param is held against its schema
    if len(value) > LONGEST:
        return [Problem(code="code_too_long", params={"characters": len(value), "limit": LONGEST})]
    found = own or _TEXTS.get(language)
    return found(value, around) if found else []
