"""The one expression language: CEL, bounded before it is handed to the binding (DESIGN §3).

The binding (common-expression-language 0.10) holds the GIL, knows no time limit and can fall over on huge input, so
every bound is checked first and the context holds only what the text names.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from plans.core import cel_binding as cel
from plans.core.cel_each import Each, rewrite
from plans.core.cel_functions import ADDED_FUNCTIONS, FunctionCalls
from plans.core.cel_text import Analysis, Use, analyse, bracket_depth
from plans.core.cel_words import MACROS, TYPE_NAMES
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json

MAX_CHARACTERS = 2_000
MAX_BRACKETS = 30
MAX_STEPS = 200_000
"""(longest list in the context) ^ (comprehensions inside each other)."""
MAX_SCAN_STEPS = 5_000_000
"""The same times the longest list named inside a comprehension: `x in others` reads all of it each time."""
MAX_COPY_STEPS = 50_000_000
"""(additions)² × (longest list or text): each `+` of lists or texts copies what was there."""
MAX_VALUE_DEPTH = 100

BUILT_IN_FUNCTIONS = MACROS | frozenset(
    [
        "has",
        "size",
        "contains",
        "startsWith",
        "endsWith",
        "matches",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "type",
        "dyn",
        "timestamp",
        "duration",
        "getFullYear",
        "getMonth",
        "getDate",
        "getDayOfMonth",
        "getDayOfWeek",
        "getDayOfYear",
        "getHours",
        "getMinutes",
        "getSeconds",
        "getMilliseconds",
    ]
)
FUNCTIONS = BUILT_IN_FUNCTIONS | ADDED_FUNCTIONS

_UNDEFINED = re.compile(r"Undefined variable or function: '(.+?)'")
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")


def names(text: str) -> frozenset[str]:
    """Return the top-level variables `text` names. Raises ExpressionError for bad syntax and exceeded bounds."""
    return read(text).names


def read(text: str) -> Analysis:
    """Return what `text` says, after syntax and every bound that needs no values."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError("expression_too_long", characters=len(text), limit=MAX_CHARACTERS)
    return _read(text)


@lru_cache(maxsize=2048)
def _read(text: str) -> Analysis:
    depth = bracket_depth(text)
    if depth > MAX_BRACKETS:
        raise ExpressionError("expression_too_deep", depth=depth, limit=MAX_BRACKETS)
    if not text.strip():
        raise ExpressionError("expression_empty")
    try:
        cel.compile(text)
    except ValueError as error:
        raise _syntax_error(text, str(error)) from error
    analysis = analyse(text)
    if analysis.structs:
        raise ExpressionError("expression_syntax", expression=text, detail=analysis.structs[0] + "{", line=1, column=1)
    for name in analysis.functions:
        if name not in FUNCTIONS:
            raise ExpressionError("unknown_function", expression=text, name=name, known=sorted(FUNCTIONS))
    return analysis


def _syntax_error(text: str, message: str) -> ExpressionError:
    place = _PLACE.search(message)
    line, column, detail = (int(place[1]), int(place[2]), place[3]) if place else (1, 1, message.splitlines()[0])
    return ExpressionError("expression_syntax", expression=text, detail=detail[:200], line=line, column=column)


def evaluate(text: str, variables: Mapping[str, Any]) -> Json:
    """Return the value of `text` over `variables` as JSON.

    CEL refuses whole numbers beside decimals (`3 * 1.5`). On that refusal it is evaluated once more with whole-number
    literals outside `[]`, and context values not used inside `[]`, as decimals. Raises ExpressionError.
    """
    analysis = read(text)
    context = {name: _variable(text, name, variables) for name in analysis.names if _is_needed(name, variables)}
    check_bounds(analysis, context)
    try:
        return _run(text, context, as_decimals=False)
    except ExpressionError as error:
        if error.code != "expression_types":
            raise
        indexes = {use.name for use in analysis.uses if use.in_brackets}
        decimals = {name: value if name in indexes else _as_decimals(value) for name, value in context.items()}
        try:
            return _run(_with_decimals(text, analysis), decimals, as_decimals=True)
        except ExpressionError:
            raise error from None


def _is_needed(name: str, variables: Mapping[str, Any]) -> bool:
    return name in variables or name not in TYPE_NAMES


def _variable(text: str, name: str, variables: Mapping[str, Any]) -> Any:
    if name not in variables:
        raise ExpressionError("unknown_name", expression=text, name=name, known=sorted(variables))
    return variables[name]


def check_bounds(analysis: Analysis, context: Mapping[str, Any]) -> None:
    """Refuse what could hold the worker for long. Raises ExpressionError."""
    measured = [_measure(name, value) for name, value in context.items()]
    texts = max((characters for _, characters in measured), default=0)
    top = max([analysis.longest_literal, *(length for length, _ in measured)], default=0)
    steps = top**analysis.nesting if analysis.nesting else 0
    read = [_measure(use.name, _at(context.get(use.name), use.path))[0] for use in analysis.uses if use.read_in_body]
    inner = max([1, *read])
    copies = analysis.additions**2 * max(top, texts)
    if steps > MAX_STEPS or steps * inner > MAX_SCAN_STEPS or copies > MAX_COPY_STEPS:
        raise ExpressionError("expression_too_costly", longest=top, nesting=analysis.nesting, limit=MAX_STEPS)


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    """Return the value at `path` as far as it goes."""
    for key in path:
        in_list = isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)
        if not in_list and not (isinstance(value, Mapping) and key in value):
            break
        value = value[key]
    return value


def _measure(name: str, value: Any) -> tuple[int, int]:
    """Return the longest list (or object) and the longest text anywhere in `value`; iterative, any depth."""
    longest = characters = 0
    level, depth = [value], 0
    while level:
        if depth > MAX_VALUE_DEPTH:
            raise ExpressionError("expression_value_too_deep", name=name, limit=MAX_VALUE_DEPTH)
        below: list[Any] = []
        for item in level:
            if isinstance(item, str):
                characters = max(characters, len(item))
            elif isinstance(item, Mapping | list | tuple):
                longest = max(longest, len(item))
                below.extend(item.values() if isinstance(item, Mapping) else item)
        level, depth = below, depth + 1
    return longest, characters


# What the binding raises for CEL's errors; each is mapped to a code, none is swallowed.
_RAISED = (TypeError, ValueError, LookupError, ArithmeticError, RuntimeError)


def _run(text: str, context: Mapping[str, Any], *, as_decimals: bool) -> Json:
    calls = FunctionCalls(text, as_decimals=as_decimals)
    run, comprehensions = rewrite(text) if analyse(text).nesting else (text, ())
    for each in comprehensions:
        calls.functions[each.function] = _walking(text, each, context, calls)
    try:
        value = cel.evaluate(run, cel.Context(dict(context), calls.functions))
    except _RAISED as error:
        raise calls.failed or _mapped(text, error) from error
    if calls.failed:
        raise calls.failed
    return as_json(text, value)


def _walking(text: str, each: Each, context: Mapping[str, Any], calls: FunctionCalls) -> Callable[..., Any]:
    def walk(receiver: Any, *outer: Any) -> Any:
        if calls.failed:
            return None
        try:
            return each.run(receiver, outer, context, calls.functions)
        except _RAISED as error:
            calls.note(_mapped(text, error))
            return None

    return walk


def _mapped(text: str, error: Exception) -> ExpressionError:
    message = str(error)
    undefined = _UNDEFINED.search(message)
    if undefined and undefined[1] not in FUNCTIONS:
        return ExpressionError("unknown_name", expression=text, name=undefined[1], known=[])
    if isinstance(error, TypeError) or undefined:
        return ExpressionError("expression_types", expression=text, detail=message.partition(". ")[0][:200])
    if isinstance(error, KeyError):
        return ExpressionError("no_such_field", expression=text, name=str(error.args[0]) if error.args else "")
    codes = {
        IndexError: "index_out_of_range",
        ZeroDivisionError: "division_by_zero",
        OverflowError: "number_overflow",
        ValueError: "expression_syntax",
    }
    code = next((code for kind, code in codes.items() if isinstance(error, kind)), "expression_failed")
    return ExpressionError(code, expression=text, detail=message[:200], line=1, column=1)


def as_json(text: str, value: Any) -> Json:
    """Return a CEL result as JSON: moments as ISO text, durations as seconds. Raises ExpressionError `result_type`."""
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError("number_not_finite", expression=text)
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, dict):
        # The binding keeps no order; without one of our own, two attempts could render two texts.
        keyed = {key if isinstance(key, str) else json.dumps(key): item for key, item in value.items()}
        return {key: as_json(text, keyed[key]) for key in sorted(keyed)}
    if isinstance(value, list | tuple):
        return [as_json(text, item) for item in value]
    raise ExpressionError("result_type", expression=text, came=type(value).__name__)


def _as_decimals(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _as_decimals(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_decimals(item) for item in value]
    return value


def _with_decimals(text: str, analysis: Analysis) -> str:
    """Return `text` with whole-number literals outside `[]` as decimals, and `size` as the one that gives decimals."""
    parts, end, depth = [], 0, 0
    for token in analysis.tokens:
        new = token.text
        if token.kind == "op":
            depth += {"[": 1, "]": -1}.get(token.text, 0)
        elif token.kind == "int" and not depth and token.text[-1] not in "uU":
            new = f"{int(token.text, 0)}.0" if token.text[:2].lower() == "0x" else f"{token.text}.0"
        elif token.kind == "name" and token.text == "size" and not depth and _is_called(text, token.start + 4):
            new = "decimal_size"
        parts += [text[end : token.start], new]
        end = token.start + len(token.text)
    return "".join([*parts, text[end:]])


def _is_called(text: str, end: int) -> bool:
    return text[end:].lstrip().startswith("(")


def uses(text: str) -> list[Use]:
    """Return every place where `text` names a variable. Raises ExpressionError like `names`."""
    return read(text).uses
