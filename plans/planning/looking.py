"""The SQL of Look at any table, written from the columns a file has; every name is quoted."""

# ruff: noqa: S608 - the queries run locked, over this one table in memory; names and texts are quoted here
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plans.core.jsontypes import JsonObject

MOST_COLUMNS = 40
MOST_VALUES = 1000
FEW_VALUES = 30
# what the skill takes
MOST_SQL = 20_000
BARS = 10
NUMBERS = ("number", "integer")
DATES = ("date", "datetime")


def name(text: str) -> str:
    """Quote an identifier."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text."""
    return "'" + text.replace("'", "''") + "'"


def _filled(column: JsonObject) -> str:
    """Return the column with blank texts as missing."""
    quoted = name(column["name"])
    return f"nullif(trim({quoted}), '')" if column["type"] == "text" else quoted


def _as_number(column: JsonObject) -> str:
    return f"TRY_CAST({name(column['name'])} AS DOUBLE)"


def _union(selects: Sequence[str]) -> str:
    return "\nUNION ALL\n".join(f"SELECT * FROM ({select})" for select in selects)


def described(columns: Sequence[JsonObject], rows: int) -> list[JsonObject]:
    """Return as many of the first columns as every query has room for."""
    kept = list(columns[:MOST_COLUMNS])
    while len(kept) > 1 and max(len(overview(kept)), len(frequent(kept, rows)), len(oddities(kept))) > MOST_SQL:
        kept.pop()
    return kept


def overview(columns: Sequence[JsonObject]) -> str:
    """Return one row a column: type, gaps, different values, range, average, median."""
    rows = _union([_overview_row(place, column) for place, column in enumerate(columns)])
    return f"SELECT * EXCLUDE (place) FROM ({rows}) ORDER BY place"


def _overview_row(place: int, column: JsonObject) -> str:
    filled = _filled(column)
    is_number = column["type"] in NUMBERS
    average = f"round(avg({_as_number(column)}), 4)" if is_number else "CAST(NULL AS DOUBLE)"
    median = f"round(median({_as_number(column)}), 4)" if is_number else "CAST(NULL AS DOUBLE)"
    return (
        f'SELECT {place} AS place, {literal(column["name"])} AS "column", {literal(column["type"])} AS type, '
        f"count({filled}) AS filled, count(*) - count({filled}) AS missing, "
        f"count(DISTINCT {filled}) AS different, left(CAST(min({filled}) AS VARCHAR), 30) AS smallest, "
        f"left(CAST(max({filled}) AS VARCHAR), 30) AS largest, {average} AS average, {median} AS median FROM lines"
    )


def frequent(columns: Sequence[JsonObject], rows: int) -> str:
    """Return the most frequent values of each column whose values repeat."""
    repeating = [c for c in columns if _repeats(c, rows)] or list(columns[:1])
    return _union(
        [
            f'SELECT {literal(c["name"])} AS "column", left(CAST({_filled(c)} AS VARCHAR), 80) AS value, count(*) AS lines '
            f"FROM lines WHERE {_filled(c)} IS NOT NULL GROUP BY 1, 2 ORDER BY lines DESC, value LIMIT CAST($top AS INTEGER)"
            for c in repeating
        ]
    )


def _repeats(column: JsonObject, rows: int) -> bool:
    """Tell whether frequent values say something: words that come again, or a small set of numbers or dates."""
    different = int(column.get("distinct") or 0)
    return 0 < different < max(rows, 2) and (column["type"] in ("text", "boolean") or different <= FEW_VALUES)


_FOUND = """
q AS (
  SELECT c, quantile_cont(v, 0.25) AS q1, quantile_cont(v, 0.75) AS q3, min(v) AS low, count(*) AS n,
    count(*) FILTER (WHERE v < 0) AS negative
  FROM numbers GROUP BY c),
forms AS (
  SELECT c, lower(v) AS low, count(DISTINCT v) AS forms, count(*) AS n, min(v) AS one
  FROM texts WHERE v <> '' GROUP BY ALL),
found AS (
  SELECT 'The same line again' AS what, '' AS c, '' AS example,
    count(*) - (SELECT count(*) FROM (SELECT DISTINCT * FROM lines)) AS n
  FROM lines
  UNION ALL BY NAME
  SELECT 'More than half of the values are missing' AS what, "column" AS c, missing AS n
  FROM overview WHERE missing > filled
  UNION ALL BY NAME
  SELECT 'Every value is the same' AS what, "column" AS c, filled AS n, smallest AS example
  FROM overview WHERE different = 1 AND filled > 1
  UNION ALL BY NAME
  SELECT 'Values far from the rest' AS what, c, count(*) AS n, CAST(arg_max(v, abs(v - (q1 + q3) / 2)) AS VARCHAR) AS example
  FROM numbers JOIN q USING (c) WHERE q3 > q1 AND (v < q1 - 3 * (q3 - q1) OR v > q3 + 3 * (q3 - q1)) GROUP BY c
  UNION ALL BY NAME
  SELECT 'A few negative values' AS what, c, negative AS n, CAST(low AS VARCHAR) AS example
  FROM q WHERE negative > 0 AND 20 * negative < n
  UNION ALL BY NAME
  SELECT 'The same text in capitals and small letters' AS what, c, CAST(sum(n) AS BIGINT) AS n, min(one) AS example
  FROM forms WHERE forms > 1 GROUP BY c)
SELECT what, c AS "column", n AS lines, left(example, 60) AS example
FROM found WHERE n > 0 ORDER BY lines DESC, what, "column"
"""


def oddities(columns: Sequence[JsonObject]) -> str:
    """Return what looks odd, the most lines first: what, in which column, how many lines, an example."""
    numbers = [_long(column, _as_number(column)) for column in columns if column["type"] in NUMBERS]
    # Spellings are compared where values repeat; among as many texts as lines nobody would look for them.
    texts = [
        _long(c, _filled(c)) for c in columns if c["type"] == "text" and int(c.get("distinct") or 0) <= MOST_VALUES
    ]
    none = "SELECT '' AS c, CAST(NULL AS {}) AS v WHERE false"
    every_number = " UNION ALL ".join([none.format("DOUBLE"), *numbers])
    every_text = " UNION ALL ".join([none.format("VARCHAR"), *texts])
    return f"WITH numbers AS ({every_number}),\ntexts AS ({every_text}),{_FOUND}".strip()


def _long(column: JsonObject, value: str) -> str:
    return f"SELECT {literal(column['name'])}, {value} FROM lines"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the chart shows: columns `part` (text) and `amount` (number)."""

    query: str
    title: str
    x_label: str
    y_label: str
    kind: str = "bar"


def picture(columns: Sequence[JsonObject], rows: int) -> Picture:
    """Choose a chart that says something: lines by a category, by month, by size, else the gaps by column."""
    for column in sorted(columns, key=lambda column: int(column.get("distinct") or 0) > FEW_VALUES):
        if column["type"] in ("text", "boolean") and 2 <= int(column.get("distinct") or 0) <= min(
            MOST_VALUES, max(rows // 2, 2)
        ):
            return _by_category(column)
    for column in columns:
        if column["type"] in DATES and int(column.get("distinct") or 0) >= 2:
            return _by_month(column)
    for column in columns:
        if column["type"] in NUMBERS and int(column.get("distinct") or 0) >= 2:
            return _by_size(column)
    gaps = _union(
        [
            f"SELECT {place} AS place, {literal(c['name'])} AS part, count({_filled(c)}) AS amount FROM lines"
            for place, c in enumerate(columns[:BARS])
        ]
    )
    query = f"SELECT part, amount FROM ({gaps}) ORDER BY place"
    return Picture(query=query, title="Filled values by column", x_label="Column", y_label="Lines")


def _by_category(column: JsonObject) -> Picture:
    query = (
        f"SELECT left(CAST({_filled(column)} AS VARCHAR), 40) AS part, count(*) AS amount FROM lines "
        f"WHERE {_filled(column)} IS NOT NULL GROUP BY 1 ORDER BY amount DESC, part LIMIT {BARS}"
    )
    return Picture(query=query, title=f"Lines by {column['name']}", x_label=column["name"], y_label="Lines")


def _by_month(column: JsonObject) -> Picture:
    quoted = name(column["name"])
    query = (
        f"SELECT strftime(CAST({quoted} AS DATE), '%Y-%m') AS part, count(*) AS amount FROM lines "
        f"WHERE {quoted} IS NOT NULL GROUP BY 1 ORDER BY part"
    )
    return Picture(
        query=query, title=f"Lines by month of {column['name']}", x_label="Month", y_label="Lines", kind="line"
    )


def _by_size(column: JsonObject) -> Picture:
    number = _as_number(column)
    place = f"CAST(floor({BARS} * ({number} - low) / nullif(high - low, 0)) AS INTEGER)"
    query = (
        f"WITH bounds AS (SELECT min({number}) AS low, max({number}) AS high FROM lines), "
        f"placed AS (SELECT least({place}, {BARS - 1}) AS bin, low, (high - low) / {BARS} AS width "
        f"FROM lines, bounds WHERE {number} IS NOT NULL) "
        "SELECT printf('%.6g', low + bin * width) || ' to ' || printf('%.6g', low + (bin + 1) * width) AS part, "
        "count(*) AS amount FROM placed WHERE bin IS NOT NULL GROUP BY bin, low, width ORDER BY bin"
    )
    return Picture(query=query, title=f"Lines by size of {column['name']}", x_label=column["name"], y_label="Lines")
