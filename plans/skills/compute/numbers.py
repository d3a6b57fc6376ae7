"""Numbers as people write them: which mark is the decimal one is decided by the whole column, then by the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import duckdb

Style: TypeAlias = Literal["dot", "comma"]

CURRENCY = (
    r"(?:[€$£¥￥₹₩₽฿]|(?:US|HK|NT|R|A|C)\$|EUR|USD|GBP|CHF|CNY|RMB|HKD|TWD|JPY|HUF|PLN|CZK|SEK|NOK|DKK|元|円|kr|zł|Ft)"
)
DIGITS = r"(?:\d[\d.,\x{00A0}\x{202F}\x{2009} ’']*|[.,]\d+)"
NUMBER = rf"[-+−(]?\s*{CURRENCY}?\s*[-+−]?\s*{DIGITS}\s*(?:{CURRENCY}|%)?\s*[-)]?"
SCIENTIFIC = r"[-+]?(?:\d+\.?\d*|\.\d+)[eE][-+]?\d{1,3}"
# What a body of digits may look like when the dot, or the comma, is the decimal mark. Both fit "1,234" and "1.234".
BODY = {
    "dot": r"\d+|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d*)?|\d*\.\d+|\d+\.",
    "comma": r"\d+|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?|\d*,\d+|\d+,",
}
# Five amounts that all end in exactly three digits after the mark are thousands, not a coincidence of decimals.
PLAINLY_THOUSANDS = 5
MAX_DIGITS = 15
MAX_SCALE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFacts:
    """What the values of a column look like, counted over all its rows."""

    numbers: int
    only_dot: int
    only_comma: int
    either: int
    fractions: int
    leading_zero: int
    longest: int
    whole_digits: int
    scale_dot: int
    scale_comma: int
    scientific: int
    percent: int
    code_like: int
    real_fractions: int

    @property
    def style(self) -> Style | None:
        """The decimal mark the column itself proves, None when it proves nothing."""
        if self.only_dot == self.only_comma:
            return None
        return "dot" if self.only_dot > self.only_comma else "comma"


def body(text: str) -> str:
    """SQL: the digits and marks of a number, grouping blanks and apostrophes taken out."""
    return (
        rf"regexp_replace(regexp_extract({text}, '{_quoted(DIGITS)}'), '[\x{{00A0}}\x{{202F}}\x{{2009}} ’'']', '', 'g')"
    )


def is_number(text: str) -> str:
    """SQL: whether a trimmed text is a number in either style."""
    fits = " OR ".join(f"regexp_full_match({body(text)}, '{pattern}')" for pattern in BODY.values())
    return (
        f"((regexp_full_match({text}, '{_quoted(NUMBER)}') AND ({fits})) OR regexp_full_match({text}, '{SCIENTIFIC}'))"
    )


def facts(connection: duckdb.DuckDBPyConnection, distinct: str) -> NumberFacts:
    """Count over `distinct`, a relation of (v, k): value and how often it occurs."""
    dot, comma = (f"regexp_full_match(b, '{BODY[style]}')" for style in ("dot", "comma"))
    marked = "(b LIKE '%.%' OR b LIKE '%,%')"
    whole = "length(regexp_replace(regexp_replace(b, '[.,]\\d*$', ''), '[.,]', '', 'g'))"
    row = connection.execute(
        f"""
        WITH n AS (SELECT v, k, {body("v")} AS b, {is_number("v")} AS ok FROM {distinct}),
             m AS (SELECT *, ok AND {dot} AS d, ok AND {comma} AS c, regexp_full_match(v, '{SCIENTIFIC}') AS e FROM n)
        SELECT coalesce(sum(k) FILTER (ok), 0),
               coalesce(sum(k) FILTER (d AND NOT c), 0),
               coalesce(sum(k) FILTER (c AND NOT d), 0),
               coalesce(sum(k) FILTER (c AND d AND {marked}), 0),
               coalesce(sum(k) FILTER (ok AND {marked}), 0),
               coalesce(sum(k) FILTER (ok AND regexp_full_match(v, '[-+]?0\\d+')), 0),
               coalesce(max(length(b)) FILTER (ok AND NOT {marked} AND NOT e), 0),
               coalesce(max({whole}) FILTER (ok AND NOT e), 0),
               coalesce(max(length(regexp_extract(b, '\\.(\\d+)$', 1))) FILTER (d), 0),
               coalesce(max(length(regexp_extract(b, ',(\\d+)$', 1))) FILTER (c), 0),
               coalesce(sum(k) FILTER (e), 0),
               coalesce(sum(k) FILTER (ok AND v LIKE '%\\%%' ESCAPE '\\'), 0),
               coalesce(sum(k) FILTER (NOT ok AND regexp_full_match(v, '[\\w./-]*\\d[\\w./-]*')), 0),
               coalesce(sum(k) FILTER (ok AND {marked} AND NOT regexp_full_match(b, '\\d+\\.0')), 0)
        FROM m"""
    ).fetchone()
    names = NumberFacts.__dataclass_fields__
    return NumberFacts(**dict(zip(names, map(int, row or [0] * len(names)), strict=True)))


def scale(facts: NumberFacts, style: Style) -> int:
    """Return how many decimals the column has at most under `style`."""
    if not facts.real_fractions:
        # "18211.0": whole numbers that went through a float somewhere.
        return 0
    own, other = (facts.scale_dot, facts.scale_comma) if style == "dot" else (facts.scale_comma, facts.scale_dot)
    # A few cells in the other style are read in theirs; only then do their decimals count.
    return max(own, other if (facts.only_comma if style == "dot" else facts.only_dot) else 0)


def sql_type(facts: NumberFacts, style: Style) -> str:
    """Return the DuckDB type that holds every cell exactly; DOUBLE only for measurements with long fractions."""
    decimals = scale(facts, style)
    if facts.scientific or decimals > MAX_SCALE or facts.whole_digits + decimals > 30:
        return "DOUBLE"
    if decimals == 0:
        return "BIGINT" if facts.whole_digits <= 18 else "DECIMAL(38,0)"
    return f"DECIMAL({18 if facts.whole_digits + decimals <= 18 else 38},{decimals})"


def expression(text: str, facts: NumberFacts, style: Style) -> str:
    """SQL: the number in a trimmed text, NULL when it is none. A cell that fits only the other style is read in it."""
    digits = body(text)
    as_dot = f"replace({digits}, ',', '')"
    as_comma = f"replace(replace({digits}, '.', ''), ',', '.')"
    first, second = (as_dot, as_comma) if style == "dot" else (as_comma, as_dot)
    plain = f"CASE WHEN regexp_full_match({digits}, '{BODY[style]}') THEN {first} ELSE {second} END"
    negative = f"regexp_matches({text}, '^[^\\d]*[-−(]|-$')"
    kind = sql_type(facts, style)
    value = f"TRY_CAST(CASE WHEN {negative} THEN '-' ELSE '' END || {plain} AS {kind})"
    if facts.scientific:
        value = f"coalesce(TRY_CAST(CASE WHEN regexp_full_match({text}, '{SCIENTIFIC}') THEN {text} END AS DOUBLE), {value})"
    return f"CASE WHEN {is_number(text)} THEN {value} END"


def _quoted(pattern: str) -> str:
    return pattern.replace("'", "''")
