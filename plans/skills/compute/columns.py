"""Decide the type of each column from all its cells, and turn text into values; what does not fit is reported."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import duckdb

from plans.core.jsontypes import JsonObject
from plans.skills.compute import dates, numbers
from plans.skills.compute.database import identifier, plain_type
from plans.skills.compute.found import MAX_LINES, Found
from plans.skills.compute.guessing import Guess, guess_all, missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a column is made: the SQL over raw column `c{number}` and what to say about it."""

    name: str
    number: int
    type: str
    expression: str
    junk_code: str = ""
    details: JsonObject = field(default_factory=dict)


def decide(
    connection: duckdb.DuckDBPyConnection, names: list[str], found: Found, *, decimal: str | None, delimiter: str
) -> list[Plan]:
    """Return a plan per column of table `raw` (line, c0, c1, …: trimmed text, NULL when blank)."""
    guesses = guess_all(connection, names)
    style = _file_style(guesses, decimal, delimiter)
    order = _file_order(guesses, style)
    found.facts["decimal"] = "," if style == "comma" else "."
    plans = []
    for guess in guesses:
        if guess.numbers is not None:
            plans.append(_number_plan(guess, guess.numbers, decimal, style, found))
        elif guess.dates is not None:
            plans.append(_date_plan(guess, guess.dates, order, found))
        else:
            plans.append(_plain_plan(guess))
    return plans


def _file_style(guesses: list[Guess], decimal: str | None, delimiter: str) -> numbers.Style:
    if decimal is not None:
        return "comma" if decimal == "," else "dot"
    proved = Counter(guess.numbers.style for guess in guesses if guess.numbers and guess.numbers.style)
    if proved:
        return "comma" if proved["comma"] > proved["dot"] else "dot"
    # Spreadsheets write `;` exactly where the comma is taken by decimals.
    return "comma" if delimiter == ";" and any(g.numbers and g.numbers.fractions for g in guesses) else "dot"


def _file_order(guesses: list[Guess], style: numbers.Style) -> dates.Order | None:
    proved = Counter(
        dates.order_of(guess.dates, None)[0]
        for guess in guesses
        if guess.dates and guess.dates.open_order and dates.order_of(guess.dates, None)[1]
    )
    if proved:
        return proved.most_common(1)[0][0]
    return "day_first" if style == "comma" else None


def _number_plan(
    guess: Guess, facts: numbers.NumberFacts, decimal: str | None, file_style: numbers.Style, found: Found
) -> Plan:
    style = file_style if decimal is not None or facts.style is None else facts.style
    if facts.style is None and 0 < facts.either < numbers.PLAINLY_THOUSANDS and decimal is None:
        found.note_column("decimal_ambiguous", guess.name, decimal="," if style == "comma" else ".")
    elif facts.only_dot and facts.only_comma:
        found.note("decimal_mixed", column=guess.name, decimal="," if style == "comma" else ".")
    kind = numbers.sql_type(facts, style)
    details: JsonObject = {"stored_as": kind}
    if kind.startswith(("DECIMAL", "DOUBLE")) and plain_type(kind) == "number":
        details["decimals"] = numbers.scale(facts, style)
    if facts.percent * 2 > facts.numbers:
        details["unit"] = "%"
    return Plan(
        name=guess.name,
        number=guess.number,
        type=plain_type(kind),
        expression=numbers.expression(f"c{guess.number}", facts, style),
        junk_code="not_a_number",
        details=details,
    )


def _date_plan(guess: Guess, facts: dates.DateFacts, file_order: dates.Order | None, found: Found) -> Plan:
    order, proved = dates.order_of(facts, file_order)
    details: JsonObject = {}
    if facts.open_order:
        details["order"] = order
        if not proved:
            found.note_column("date_order_ambiguous", guess.name, order=order)
        elif facts.day_first and facts.month_first:
            found.note("date_order_mixed", column=guess.name, order=order)
    if facts.has_zone:
        found.note("times_in_utc", column=guess.name)
    if any(form == "%Y-%m" for form in facts.forms):
        found.note("months_as_first_day", column=guess.name)
    return Plan(
        name=guess.name,
        number=guess.number,
        type="datetime" if facts.has_time else "date",
        expression=dates.expression(f"c{guess.number}", facts, order),
        junk_code="not_a_date",
        details=details,
    )


def _plain_plan(guess: Guess) -> Plan:
    column = f"c{guess.number}"
    if guess.kind == "boolean":
        return Plan(name=guess.name, number=guess.number, type="boolean", expression=f"TRY_CAST({column} AS BOOLEAN)")
    # A column that holds nothing but "N/A" is empty; among other words "NA" may be Namibia.
    expression = "CAST(NULL AS VARCHAR)" if guess.kind == "empty" else column
    return Plan(name=guess.name, number=guess.number, type="text", expression=expression)


def build(connection: duckdb.DuckDBPyConnection, plans: list[Plan], found: Found) -> None:
    """Make table `data` (line and the typed columns) from `raw`, and report cells that became nothing."""
    items = ", ".join(f"{plan.expression} AS {identifier(plan.name)}" for plan in plans)
    connection.execute(f'CREATE OR REPLACE TABLE data AS SELECT line AS "\\line", {items} FROM raw ORDER BY line')
    typed = [plan for plan in plans if plan.junk_code]
    if not typed:
        return
    counts = ", ".join(f"count(*) FILTER ({_lost(plan)})" for plan in typed)
    joined = 'raw JOIN data ON raw.line = data."\\line"'
    row = connection.execute(f"SELECT {counts} FROM {joined}").fetchone() or ()
    for plan, count in zip(typed, row, strict=True):
        if count:
            _report_junk(connection, plan, joined, found)


def _lost(plan: Plan) -> str:
    """Return the condition "this cell held something and became nothing"; a file may call its own columns c0 or line."""
    cell = f"raw.c{plan.number}"
    return f"data.{identifier(plan.name)} IS NULL AND {cell} IS NOT NULL AND NOT {missing(cell)}"


def _report_junk(connection: duckdb.DuckDBPyConnection, plan: Plan, joined: str, found: Found) -> None:
    row = connection.execute(
        f"SELECT count(*), list(raw.line ORDER BY raw.line)[:{MAX_LINES}], "
        f"list_sort(list(DISTINCT left(raw.c{plan.number}, 40)))[:3] FROM {joined} WHERE {_lost(plan)}"
    ).fetchone()
    if row:
        found.drop_many(plan.junk_code, row[0], row[1], of="cells", column=plan.name, samples=row[2])
