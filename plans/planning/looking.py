"""The SQL of Look at any table, written from the columns a file has; every name is quoted."""

# ruff: noqa: S608 - the queries run locked, over this one table in memory; names and texts are quoted here
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plans.core.jsontypes import JsonObject

MOST_COLUMNS = 40
MOST_VALUES = 1000
FEW_VALUES = 30
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


def overview(columns: Sequence[JsonObject]) -> str:
    """Return one row a column: type, gaps, different values, range, average and median."""
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
        f"round(100.0 * (count(*) - count({filled})) / greatest(count(*), 1), 1) AS missing_percent, "
        f"count(DISTINCT {filled}) AS different, left(CAST(min({filled}) AS VARCHAR), 60) AS smallest, "
        f"left(CAST(max({filled}) AS VARCHAR), 60) AS largest, {average} AS average, {median} AS median FROM lines"
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


def oddities(columns: Sequence[JsonObject]) -> str:
    """Return what looks odd, the most lines first: what, in which column, how many lines, an example."""
    different = "(SELECT count(*) FROM (SELECT DISTINCT * FROM lines))"
    found = [
        f"SELECT 'The same line again' AS what, '' AS \"column\", count(*) - {different} AS lines, '' AS example FROM lines"
    ]
    for column in columns:
        found += [_empty(column), _constant(column)]
        if column["type"] in NUMBERS:
            found += [_far_out(column), _few_negative(column)]
        if column["type"] == "text":
            found += [_blanks(column), _spellings(column)]
    return f'SELECT what, "column", lines, example FROM ({_union(found)}) WHERE lines > 0 ORDER BY lines DESC, what, "column"'


def _odd(what: str, column: JsonObject, lines: str, example: str = "''", source: str = "lines") -> str:
    return (
        f'SELECT {literal(what)} AS what, {literal(column["name"])} AS "column", {lines} AS lines, '
        f"left(CAST({example} AS VARCHAR), 60) AS example FROM {source}"
    )


def _empty(column: JsonObject) -> str:
    missing = f"count(*) - count({_filled(column)})"
    return _odd(
        "More than half of the values are missing",
        column,
        f"CASE WHEN 2 * ({missing}) > count(*) THEN {missing} ELSE 0 END",
    )


def _constant(column: JsonObject) -> str:
    filled = _filled(column)
    lines = f"CASE WHEN count(*) > 1 AND count(DISTINCT {filled}) = 1 THEN count({filled}) ELSE 0 END"
    return _odd("Every value is the same", column, lines, f"min({filled})")


def _far_out(column: JsonObject) -> str:
    number = _as_number(column)
    low, high = (f"quantile_cont({number}, {share}) OVER ()" for share in (0.25, 0.75))
    source = f"(SELECT {number} AS v, {low} AS q1, {high} AS q3 FROM lines)"
    far = "q3 > q1 AND (v < q1 - 3 * (q3 - q1) OR v > q3 + 3 * (q3 - q1))"
    example = f"arg_max(v, abs(v - (q1 + q3) / 2)) FILTER (WHERE {far})"
    return _odd("Values far from the rest", column, f"count(*) FILTER (WHERE {far})", example, source)


def _few_negative(column: JsonObject) -> str:
    number = _as_number(column)
    negative = f"count(*) FILTER (WHERE {number} < 0)"
    return _odd(
        "A few negative values",
        column,
        f"CASE WHEN 20 * {negative} < count(*) THEN {negative} ELSE 0 END",
        f"min({number})",
    )


def _blanks(column: JsonObject) -> str:
    quoted = name(column["name"])
    padded = f"{quoted} <> trim({quoted})"
    return _odd(
        "Blanks before or after the text",
        column,
        f"count(*) FILTER (WHERE {padded})",
        f"min({quoted}) FILTER (WHERE {padded})",
    )


def _spellings(column: JsonObject) -> str:
    quoted = f"trim({name(column['name'])})"
    counted = f"count(DISTINCT {quoted}) AS forms, count(*) AS n, min({quoted}) AS one"
    source = f"(SELECT lower({quoted}) AS low, {counted} FROM lines GROUP BY 1)"
    return _odd(
        "The same text in capitals and small letters",
        column,
        "coalesce(CAST(sum(n) FILTER (WHERE forms > 1) AS BIGINT), 0)",
        "min(one) FILTER (WHERE forms > 1)",
        source,
    )


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
