"""Guess from all its cells whether a column holds numbers, dates, truth values or text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from plans.skills.compute import dates, numbers
from plans.skills.compute.database import scalar

MISSING_WORDS = (
    "", "na", "n/a", "#n/a", "#na", "n.a.", "null", "none", "nil", "nan", "inf", "-inf", "infinity",
    "-infinity", "#div/0!", "#value!", "#ref!",
)  # fmt: skip
MISSING_MARKS = "-–—.*?_/"
SAMPLE_VALUES = 400
COLUMNS_AT_ONCE = 40
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


def missing(text: str) -> str:
    """SQL: whether a trimmed cell only says that there is no value."""
    words = ", ".join("'" + word + "'" for word in MISSING_WORDS)
    return f"(lower({text}) IN ({words}) OR trim({text}, '{MISSING_MARKS}') = '')"


def guess_all(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[Guess]:
    """Return a guess per column of table `raw`."""
    guesses: list[Guess] = []
    for start in range(0, len(names), COLUMNS_AT_ONCE):
        guesses += _guess_some(connection, names[start : start + COLUMNS_AT_ONCE], start)
    return guesses


def _guess_some(connection: duckdb.DuckDBPyConnection, names: Sequence[str], start: int) -> list[Guess]:
    """Look at several columns in one query: preparing the patterns costs more than a small file's cells."""
    numbered = list(enumerate(names, start))
    items = ", ".join(
        f"count(*) FILTER ({_present(number)}), count(*) FILTER (lower(c{number}) IN ('true', 'false'))"
        for number, _ in numbered
    )
    counts = connection.execute(f"SELECT {items} FROM raw").fetchone() or ()
    samples = " UNION ALL ".join(
        f"(SELECT {number} AS col, c{number} AS v FROM raw WHERE {_present(number)} "
        f"GROUP BY v ORDER BY count(*) DESC, v LIMIT {SAMPLE_VALUES})"
        for number, _ in numbered
    )
    rows = connection.execute(
        f"SELECT col, {numbers.is_number('v')}, {dates.normalised('v')} FROM ({samples})"
    ).fetchall()
    result = []
    for at, (number, name) in enumerate(numbered):
        guess = Guess(name, number, counts[2 * at])
        sample = [row[1:] for row in rows if row[0] == number]
        if not guess.cells:
            guess.kind = "empty"
        elif counts[2 * at + 1] == guess.cells:
            guess.kind = "boolean"
        else:
            _look_closer(connection, guess, sample)
        result.append(guess)
    return result


def _present(number: int) -> str:
    return f"c{number} IS NOT NULL AND NOT {missing(f'c{number}')}"


def _look_closer(connection: duckdb.DuckDBPyConnection, guess: Guess, sample: Sequence[tuple[bool, str]]) -> None:
    """Count over all cells what the commonest ones suggest."""
    share_numbers = sum(is_number for is_number, _ in sample) / len(sample)
    share_dates = sum(dates.form_of(text) is not None for _, text in sample) / len(sample)
    if max(share_numbers, share_dates) < WORTH_COUNTING:
        return
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE seen AS SELECT c{guess.number} AS v, count(*) AS k FROM raw "
        f"WHERE {_present(guess.number)} GROUP BY v"
    )
    by_name = dates.DATE_WORD.search(guess.name) is not None
    if share_dates >= WORTH_COUNTING and _are_dates(connection, guess, by_name):
        guess.kind = "date"
    elif share_numbers >= WORTH_COUNTING:
        _count_numbers(connection, guess)


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
