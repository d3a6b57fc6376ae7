"""Dates as people write them; the order of day and month is decided by the whole column."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import duckdb

Order: TypeAlias = Literal["day_first", "month_first"]

TIME = re.compile(r"(?: (\d{1,2}):(\d{2})(:\d{2}(\.\d{1,9})?)?( ?[AaPp][Mm])?([+-]\d{2}:?\d{2})?)?")
MONTH_ABBREVIATED = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
MONTH_NAMED = r"(?:january|february|march|april|june|july|august|september|october|november|december)"
# Patterns of the normalised text (see `normalised`): what it looks like → strptime format.
SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (r"\d{4}-\d{1,2}-\d{1,2}", "%Y-%m-%d"),
        (r"\d{1,2}-\d{1,2}-\d{4}", "?-?-%Y"),
        (r"\d{1,2}-\d{1,2}-\d{2}", "?-?-%y"),
        (rf"\d{{1,2}} {MONTH_ABBREVIATED} \d{{4}}", "%d %b %Y"),
        (rf"\d{{1,2}} {MONTH_NAMED} \d{{4}}", "%d %B %Y"),
        (rf"\d{{1,2}} {MONTH_ABBREVIATED} \d{{2}}", "%d %b %y"),
        (rf"{MONTH_ABBREVIATED} \d{{1,2}} \d{{4}}", "%b %d %Y"),
        (rf"{MONTH_NAMED} \d{{1,2}} \d{{4}}", "%B %d %Y"),
        (rf"\d{{4}} {MONTH_ABBREVIATED} \d{{1,2}}", "%Y %b %d"),
        (r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", "%Y%m%d"),
        (r"(?:19|20)\d\d-(?:0?[1-9]|1[0-2])", "%Y-%m"),
    )
)
DATE_WORD = re.compile(r"date|day|datum|dato|fecha|time|when|month|monat|日|月|时间|時間|dátum", re.IGNORECASE)
EXCEL_EPOCH = "DATE '1899-12-30'"


@dataclass(slots=True)
class DateFacts:
    """Which forms occur in a column, and what they say about the order of day and month."""

    forms: dict[str, int] = field(default_factory=dict)
    """strptime format (`?-?-%Y` while the order is open) → cells."""
    has_time: bool = False
    has_zone: bool = False
    day_first: int = 0
    month_first: int = 0
    separator: str = ""
    serials: int = 0
    epochs: int = 0

    @property
    def open_order(self) -> bool:
        """Whether some cells could be read either way."""
        return any(form.startswith("?") for form in self.forms)


def normalised(text: str) -> str:
    """SQL: one blank, `-` between numbers, no T, no marks around month names, a zone as +hh:mm."""
    steps = (
        (r"[年月]", "-"),
        (r"日", ""),
        (r"^(\d{1,4})[./](\d{1,2})[./](\d{1,4})\.?", r"\1-\2-\3"),
        (r"^(\d{4})[./](\d{1,2})$", r"\1-\2"),
        (r"-$", ""),
        (r"^(\d[\d-]*\d) ?T ?(\d)", r"\1 \2"),
        (r" ?(?:Z|UTC|GMT)$", "+00:00"),
        (r"(:\d{2}(?:[.,]\d{1,9})?) ?([+-]\d{2}:?\d{2})$", r"\1\2"),
        (r"(:\d{2}),(\d)", r"\1.\2"),
        (r"^(\d{1,4})(?:st|nd|rd|th)?[-. ]+([A-Za-z]{3,9})[-., ]+(\d{1,4})", r"\1 \2 \3"),
        (r"^([A-Za-z]{3,9})\.?[- ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4})", r"\1 \2 \3"),
        (r"\bsept\b", "sep"),
    )
    expression = f"trim({text})"
    for pattern, replacement in steps:
        expression = f"regexp_replace({expression}, '{pattern}', '{replacement}', 'gi')"
    return expression


def form_of(text: str) -> tuple[str, re.Match[str]] | None:
    """Return the strptime format of a normalised date and the match of its time part, None when it is no date."""
    for pattern, form in SHAPES:
        match = pattern.match(text)
        if match and (clock := TIME.fullmatch(text, match.end())):
            return form, clock
    return None


def time_form(clock: re.Match[str]) -> str:
    """Return the strptime format of a time part."""
    hour, _, seconds, fraction, half, zone = clock.groups()
    if hour is None:
        return ""
    form = " %I:%M" if half else " %H:%M"
    form += ":%S" if seconds else ""
    form += ".%n" if fraction else ""
    form += (" %p" if half.startswith(" ") else "%p") if half else ""
    return form + ("%z" if zone else "")


def facts(connection: duckdb.DuckDBPyConnection, distinct: str, *, by_name: bool) -> DateFacts:
    """Look at all values of `distinct`, a relation of (v, k), by shape. `by_name`: the column's name speaks of dates."""
    shape = "regexp_replace(n, '\\d', '9', 'g')"
    rows = connection.execute(
        f"""
        WITH t AS (SELECT v, k, {normalised("v")} AS n FROM {distinct})
        SELECT {shape} AS s, list(n ORDER BY n)[:1], sum(k), any_value(regexp_extract(v, '^\\d+([-./])', 1)),
               max(TRY_CAST(regexp_extract(n, '^(\\d{{1,2}})-', 1) AS INTEGER)),
               max(TRY_CAST(regexp_extract(n, '^\\d{{1,2}}-(\\d{{1,2}})-', 1) AS INTEGER)),
               count(*) FILTER (TRY_CAST(regexp_extract(n, '^(\\d{{1,2}})-', 1) AS INTEGER) > 12),
               count(*) FILTER (TRY_CAST(regexp_extract(n, '^\\d{{1,2}}-(\\d{{1,2}})-', 1) AS INTEGER) > 12)
        FROM t GROUP BY s ORDER BY sum(k) DESC LIMIT 2000"""
    ).fetchall()
    result = DateFacts()
    for _, examples, count, separator, _, _, firsts, seconds in rows:
        found = form_of(examples[0])
        if found is None:
            _count_bare_number(result, examples[0], int(count))
            continue
        form, clock = found
        result.forms[form + time_form(clock)] = result.forms.get(form + time_form(clock), 0) + int(count)
        result.has_time |= clock.group(1) is not None
        result.has_zone |= clock.group(6) is not None
        if form.startswith("?"):
            result.day_first += firsts
            result.month_first += seconds
            result.separator = result.separator or separator
    if not by_name and set(result.forms) <= {"%Y%m%d"}:
        result.forms.clear()  # eight digits under another name are a number
    return result


def _count_bare_number(result: DateFacts, text: str, count: int) -> None:
    # Spreadsheet serials (2000 to 2064) and Unix seconds (2001 to 2033) lost among dates.
    if re.fullmatch(r"[3-5]\d{4}", text):
        result.serials += count
    elif re.fullmatch(r"1\d{9}", text):
        result.epochs += count


def order_of(facts: DateFacts, fallback: Order | None) -> tuple[Order, bool]:
    """Return the order and whether the column proves it."""
    if facts.day_first != facts.month_first:
        return ("day_first" if facts.day_first > facts.month_first else "month_first"), True
    if fallback is not None:
        return fallback, False
    return ("day_first" if facts.separator == "." else "month_first"), False


def expression(text: str, facts: DateFacts, order: Order) -> str:
    """SQL: DATE or TIMESTAMP (UTC where cells name a zone), NULL when a text is none."""
    first, second = ("%d-%m-", "%m-%d-") if order == "day_first" else ("%m-%d-", "%d-%m-")
    forms = list(facts.forms)
    resolved = [form.replace("?-?-", first) for form in forms]
    # What the column's order cannot read, the other one may: 1/13/2024 among 05.01.2024.
    resolved += [form.replace("?-?-", second) for form in forms if form.startswith("?")]
    listed = ", ".join(f"'{form}'" for form in resolved)
    value = f"CAST(try_strptime({normalised(text)}, [{listed}]) AS TIMESTAMP)"
    if facts.serials:
        days = f"TRY_CAST(regexp_extract({text}, '^[3-5]\\d{{4}}$') AS INTEGER)"
        value = f"coalesce({value}, CAST({EXCEL_EPOCH} + {days} AS TIMESTAMP))"
    if facts.epochs:
        seconds = f"TRY_CAST(regexp_extract({text}, '^1\\d{{9}}$') AS BIGINT)"
        value = f"coalesce({value}, CAST(make_timestamp({seconds} * 1000000) AS TIMESTAMP))"
    return value if facts.has_time else f"CAST({value} AS DATE)"
