"""Decide the type of each column from all its cells, and turn text into values; what does not fit is reported."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import duckdb

from plans.core.jsontypes import JsonObject
from plans.skills.compute import dates, numbers
from plans.skills.compute.database import identifier, plain_type, scalar
from plans.skills.compute.found import MAX_LINES, Found

MISSING_WORDS = (
    "", "na", "n/a", "#n/a", "#na", "n.a.", "null", "none", "nil", "nan", "inf", "-inf", "infinity",
    "-infinity", "#div/0!", "#value!", "#ref!",
)  # fmt: skip
SAMPLE_VALUES = 400
WORTH_COUNTING = 0.5
TYPED_SHARE = 0.8


@dataclass(slots=True)
class Guess:
    """What a column seems to be, before the file as a whole has been heard."""

    name: str
    number: int
    cells: int
    kind: str = "text"
    numbers: numbers.NumberFacts | None = None
    dates: dates.DateFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a column is made: the SQL over raw column `c{number}` and what to say about it."""

    name: str
    number: int
    type: str
    expression: str
    junk_code: str = ""
    details: JsonObject = field(default_factory=dict)


def missing(text: str) -> str:
    """SQL: whether a trimmed cell only says that there is no value."""
    words = ", ".join("'" + word + "'" for word in MISSING_WORDS)
    return f"(lower({text}) IN ({words}) OR regexp_full_match({text}, '[-–—.*?_/]+'))"


def decide(
    connection: duckdb.DuckDBPyConnection, names: list[str], found: Found, *, decimal: str | None, delimiter: str
) -> list[Plan]:
    """Return a plan per column of table `raw` (line, c0, c1, …: trimmed text, NULL when blank)."""
    guesses = [_guess(connection, name, number) for number, name in enumerate(names)]
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


def _guess(connection: duckdb.DuckDBPyConnection, name: str, number: int) -> Guess:
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE seen AS SELECT c{number} AS v, count(*) AS k FROM raw "
        f"WHERE c{number} IS NOT NULL AND NOT {missing(f'c{number}')} GROUP BY v"
    )
    guess = Guess(name, number, int(scalar(connection, "SELECT coalesce(sum(k), 0) FROM seen")))
    if not guess.cells:
        guess.kind = "empty"
        return guess
    sample = connection.execute(
        f"SELECT lower(v) IN ('true', 'false'), {numbers.is_number('v')}, {dates.normalised('v')} "
        f"FROM (SELECT v FROM seen ORDER BY k DESC, v LIMIT {SAMPLE_VALUES})"
    ).fetchall()
    share_dates = sum(dates.form_of(row[2]) is not None for row in sample) / len(sample)
    share_numbers = sum(row[1] for row in sample) / len(sample)
    by_name = dates.DATE_WORD.search(name) is not None
    if all(row[0] for row in sample) and not scalar(
        connection, "SELECT count(*) FROM seen WHERE lower(v) NOT IN ('true', 'false')"
    ):
        guess.kind = "boolean"
    elif share_dates >= WORTH_COUNTING and _are_dates(connection, guess, by_name):
        guess.kind = "date"
    elif share_numbers >= WORTH_COUNTING:
        _count_numbers(connection, guess)
    return guess


def _are_dates(connection: duckdb.DuckDBPyConnection, guess: Guess, by_name: bool) -> bool:
    facts = dates.facts(connection, "seen", by_name=by_name)
    if sum(facts.forms.values()) < TYPED_SHARE * (guess.cells - facts.serials - facts.epochs):
        return False
    order, _ = dates.order_of(facts, None)
    parsed = scalar(
        connection, f"SELECT coalesce(sum(k), 0) FROM seen WHERE {dates.expression('v', facts, order)} IS NOT NULL"
    )
    if parsed < TYPED_SHARE * guess.cells:
        return False
    guess.dates = facts
    return True


def _count_numbers(connection: duckdb.DuckDBPyConnection, guess: Guess) -> None:
    facts = numbers.facts(connection, "seen")
    junk = guess.cells - facts.numbers
    if facts.numbers < TYPED_SHARE * guess.cells:
        return
    # "0123" and 19 digits are names made of digits; among "A12" and "7-B" so are "13" and "14".
    if facts.leading_zero or facts.longest > numbers.MAX_DIGITS or (facts.code_like > 1 and facts.code_like * 2 > junk):
        return
    guess.kind, guess.numbers = "number", facts


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
    for plan in plans:
        if plan.junk_code:
            _report_junk(connection, plan, found)


def _report_junk(connection: duckdb.DuckDBPyConnection, plan: Plan, found: Found) -> None:
    cell = f"c{plan.number}"
    row = connection.execute(
        f"SELECT count(*), list(line ORDER BY line)[:{MAX_LINES}], list(DISTINCT left({cell}, 40))[:3] "
        f'FROM raw JOIN data ON raw.line = data."\\line" '
        f"WHERE {cell} IS NOT NULL AND {identifier(plan.name)} IS NULL AND NOT {missing(cell)}"
    ).fetchone()
    if row and row[0]:
        found.drop_many(plan.junk_code, row[0], row[1], of="cells", column=plan.name, samples=sorted(row[2]))
