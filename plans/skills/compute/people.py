"""Values as people read them: numbers with separators, dates without empty midnights, texts of bearable length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

BIG = Context(prec=400)  # room for any float, 1e308 included


def tidy(text: str) -> str:
    """Return one line without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def cut(text: str, length: int) -> str:
    """Shorten in the middle: of a path or a name both ends tell more than the middle."""
    if len(text) <= length:
        return text
    head = (length - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (length - 1 - head) :]}"


def decimals_of(values: Sequence[Any], most: int = 4) -> int:
    """Return how many decimals a column needs: as many as its values have, two for money-like floats."""
    needed = 0
    for value in values:
        if isinstance(value, Decimal):
            exponent = value.normalize().as_tuple().exponent
            needed = max(needed, -exponent if isinstance(exponent, int) else 0)
        elif isinstance(value, float):
            text = f"{value:.6f}".rstrip("0")
            needed = max(needed, len(text.partition(".")[2]))
        if needed > most:
            # Long fractions come from division: nobody reads them.
            return 2
    largest = max((abs(value) for value in values if value is not None), default=0)
    if needed > 2 and largest >= 1000:
        return 2
    # 1,234.5 beside 1,234.56 reads as a mistake: money has two decimals or none.
    return 2 if needed == 1 and largest >= 100 else needed


def number(value: Any, decimals: int) -> str:
    """Return a number with thousands separators, halves rounded up; no minus before a rounded zero."""
    exact = value if isinstance(value, Decimal) else Decimal(str(value))
    # Not the format's own rounding: to even, 118,447.825 would read 118,447.82.
    text = f"{exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, BIG):,f}"
    return text.lstrip("-") if not text.strip("-0.,") else text


def compact(value: float) -> str:
    """Return an axis tick: 1,500 · 2.5M · 0.25."""
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:,.2f}".rstrip("0").rstrip(".") + unit
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.4f}".rstrip("0").rstrip(".")


def day_form(values: Iterable[Any]) -> str:
    """Return the strftime format that says no more than these dates do: month, day or minute."""
    moments = [value for value in values if isinstance(value, date)]
    timed = [m for m in moments if isinstance(m, datetime) and (m.hour or m.minute or m.second)]
    if timed:
        return "%Y-%m-%d %H:%M:%S" if any(moment.second for moment in timed) else "%Y-%m-%d %H:%M"
    if len(moments) > 1 and all(moment.day == 1 for moment in moments):
        return "%Y-%m"
    return "%Y-%m-%d"
