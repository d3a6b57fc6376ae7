"""Functions added to CEL: sum min max avg round len text. Missing values (null) are left out, as in SQL."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json

ADDED_FUNCTIONS: Final = frozenset({"sum", "min", "max", "avg", "round", "len", "text"})
_WHOLE_EXACTLY = 2**53


class _BadArgument(Exception):
    """An added function cannot work with what it was given."""


class FunctionCalls:
    """The functions of one evaluation.

    An exception that crosses the binding is printed on stderr and loses its type, so a failing function notes it here
    and returns null; the evaluation then fails with what was noted.
    """

    def __init__(self, text: str, *, as_decimals: bool) -> None:
        self._text = text
        self._as_decimals = as_decimals
        self.failed: ExpressionError | None = None
        self.functions: dict[str, Callable[..., Any]] = {
            "decimal_size": self._noting("size", _len),
            **{name: self._noting(name, function) for name, function in _FUNCTIONS.items()},
        }

    def note(self, error: ExpressionError) -> None:
        """Keep the first failure."""
        self.failed = self.failed or error

    def _noting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            try:
                result = function(*arguments)
            except (_BadArgument, TypeError, ArithmeticError, ValueError):
                came = ", ".join(_word(argument) for argument in arguments)
                self.note(ExpressionError("bad_argument", expression=self._text, name=name, came=came))
                return None
            is_whole = isinstance(result, int) and not isinstance(result, bool)
            return float(result) if self._as_decimals and is_whole else result

        return call


def _word(value: Any) -> str:
    words = {bool: "boolean", int: "number", float: "number", str: "text", dict: "object", type(None): "null"}
    if isinstance(value, list):
        return "list of " + (", ".join(sorted({_word(item) for item in value[:100]})) or "nothing")
    return words.get(type(value), type(value).__name__)


def _values(arguments: Sequence[Any]) -> list[Any]:
    given = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
    return [value for value in given if value is not None]


def _numbers(arguments: Sequence[Any]) -> list[Any]:
    values = _values(arguments)
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise _BadArgument
    return values


def _sum(*arguments: Any) -> Any:
    values = _numbers(arguments)
    # fsum: the total of 0.1 ten times is 1.0, as people expect of money.
    return math.fsum(values) if any(isinstance(value, float) for value in values) else sum(values)


def _avg(*arguments: Any) -> Any:
    values = _numbers(arguments)
    return math.fsum(values) / len(values) if values else None


def _extreme(pick: Callable[..., Any]) -> Callable[..., Any]:
    def extreme(*arguments: Any) -> Any:
        values = _values(arguments)
        if not all(isinstance(value, str) for value in values):
            values = _numbers(arguments)
        return pick(values) if values else None

    return extreme


def _round(value: Any, digits: Any = 0) -> Any:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(digits) > 15 or digits != int(digits):
        raise _BadArgument
    # Half away from zero, on the digits people see: round(2.675, 2) is 2.68.
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-int(digits)), rounding=ROUND_HALF_UP)
    return float(rounded) if digits > 0 else int(rounded)


def _len(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise _BadArgument
    return len(value)


def text_of(value: Json) -> str:
    """Return how a value reads inside text.

    null is empty, true and false are lower case, whole decimals lose `.0`, lists and objects are JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE_EXACTLY:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    # Objects come out of the binding in no order.
    is_nested = isinstance(value, dict | list)
    return json.dumps(value, ensure_ascii=False, default=str, sort_keys=True) if is_nested else text_of(value)


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sum": _sum,
    "min": _extreme(min),
    "max": _extreme(max),
    "avg": _avg,
    "round": _round,
    "len": _len,
    "text": _text,
}
