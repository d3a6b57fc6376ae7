"""Periods of a file: how one is written, what a file offers, and what its bounds are."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject

WHOLE = "all"
MOST_MONTHS_OFFERED = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Days from `start` to `end`, both included."""

    start: date
    end: date

    def meets(self, other: Span) -> bool:
        return self.start <= other.end and other.start <= self.end


def month(year: int, number: int) -> Span:
    return Span(start=date(year, number, 1), end=date(year, number, monthrange(year, number)[1]))


def quarter(year: int, number: int) -> Span:
    return Span(start=date(year, 3 * number - 2, 1), end=month(year, 3 * number).end)


def year(number: int) -> Span:
    return Span(start=date(number, 1, 1), end=date(number, 12, 31))


def parse(value: str) -> Span | None:
    """Read `all` (None), `2019`, `2019-Q4`, `2019-10`, `2019-10-31` or `2019-10-01..2019-12-31`. Raises InputError."""
    text = value.strip().upper()
    try:
        if text == WHOLE.upper():
            return None
        if hit := re.fullmatch(r"(\d{4})", text):
            return year(int(hit[1]))
        if hit := re.fullmatch(r"(\d{4})-?Q([1-4])", text):
            return quarter(int(hit[1]), int(hit[2]))
        if hit := re.fullmatch(r"(\d{4})-(\d{1,2})", text):
            return month(int(hit[1]), int(hit[2]))
        if hit := re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:\s*\.\.\s*(\d{4}-\d\d-\d\d))?", text):
            span = Span(start=date.fromisoformat(hit[1]), end=date.fromisoformat(hit[2] or hit[1]))
            if span.start <= span.end:
                return span
    except ValueError as error:
        raise InputError("period_invalid", value=value) from error
    raise InputError("period_invalid", value=value)


def extent(period: JsonObject | None) -> Span | None:
    """Return the days a profile's `{"from", "to"}` covers (ISO texts), or None."""
    try:
        start, end = str((period or {}).get("from") or "")[:10], str((period or {}).get("to") or "")[:10]
        return Span(start=date.fromisoformat(start), end=date.fromisoformat(end))
    except ValueError:
        return None


def label(value: str) -> str:
    """Return the words for a period's text form."""
    span = parse(value)
    if span is None:
        return "the whole file"
    return value.upper().replace("-Q", " Q") if ".." not in value else f"{span.start} to {span.end}"


def offered(covered: Span) -> list[str]:
    """Return the periods a file offers: whole file, then years, quarters and months, the latest first."""
    months = [
        (y, m)
        for y in range(covered.end.year, covered.start.year - 1, -1)
        for m in range(12, 0, -1)
        if month(y, m).meets(covered)
    ]
    quarters = list(dict.fromkeys((y, (m + 2) // 3) for y, m in months))
    years = list(dict.fromkeys(y for y, _ in months))
    found = [WHOLE]
    found += [str(y) for y in years] if len(years) > 1 else []
    found += [f"{y}-Q{q}" for y, q in quarters] if len(quarters) > 1 else []
    return found + ([f"{y}-{m:02}" for y, m in months[:MOST_MONTHS_OFFERED]] if len(months) > 1 else [])


def resolve(value: str, covered: Span | None) -> JsonObject:
    """Return the input for a period: its text form, its bounds (null for the whole file) and its words.

    Raises InputError `period_invalid` and, with the file's own days, `period_outside_file`.
    """
    span = parse(value)
    if span is not None and covered is not None and not span.meets(covered):
        raise InputError(
            "period_outside_file", value=label(value), start=covered.start.isoformat(), end=covered.end.isoformat()
        )
    return {
        "value": value,
        "from": span.start.isoformat() if span else None,
        "to": span.end.isoformat() if span else None,
        "label": label(value),
    }
