"""Read a query of skill `sql` before it is approved: DuckDB parses it, nothing is run and nothing opened."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import duckdb

from plans.core.code_checks import Around, Problem
from plans.core.nearest import nearest

DEEPEST = 100
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PLACE = re.compile(r"\n\nLINE (\d+): (.*)\n( *)\^", re.DOTALL)


@lru_cache(maxsize=1)
def _parser() -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = {"enable_external_access": False, "python_enable_replacements": False, "threads": 1}
    return duckdb.connect(":memory:", config=config)


def read_query(text: Any, around: Around) -> list[Problem]:
    """Return what is wrong with a query: syntax, more than one SELECT, tables and values that are not handed in."""
    if _depth(text) > DEEPEST:
        return [Problem(code="code_syntax", params={"language": "SQL", "detail": f"brackets nest over {DEEPEST} deep"})]
    connection = _parser().cursor()
    try:
        statements = connection.extract_statements(text)
        if len(statements) != 1:
            return [Problem(code="not_one_query", params={"count": len(statements)})]
        kind = str(statements[0].type).rpartition(".")[2].upper()
        if kind != "SELECT":
            return [Problem(code="not_a_query", params={"kind": kind})]
        named = set(statements[0].named_parameters)
        tables = connection.get_table_names(_without_values(text, named))
    except duckdb.Error as error:
        return [_syntax(str(error))]
    finally:
        connection.close()
    return [*_unknown("unknown_table", tables, around.params.get("tables")),
            *_unknown("unknown_value", named, around.params.get("inputs"))]  # fmt: skip


def _depth(text: str) -> int:
    """Return how deep brackets nest outside quotation marks; DuckDB takes minutes for thousands."""
    depth = deepest = 0
    for char in _QUOTED.sub("", text):
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _without_values(text: str, named: set[str]) -> str:
    """Return the query with NULL for its `$values`: DuckDB wants them all before it names the tables."""
    return re.sub(rf"\$(?:{'|'.join(map(re.escape, sorted(named)))})\b", "NULL", text) if named else text


def _unknown(code: str, named: set[str], given: Any) -> list[Problem]:
    """Return a problem for each name that is not handed in; a placeholder in place of the names says nothing."""
    if given is not None and not isinstance(given, dict):
        return []
    known = list(given or {})
    folded = {name.casefold() for name in known} if code == "unknown_table" else set(known)
    missing = [name for name in sorted(named) if (name.casefold() if code == "unknown_table" else name) not in folded]
    return [
        Problem(code=code, params={"name": name, "nearest": nearest(name, known), "known": sorted(known)[:30]})
        for name in missing
    ]


def _syntax(message: str) -> Problem:
    detail = {"language": "SQL", "detail": message.split("\n\nLINE ")[0].replace("\n", " ").strip()[:300]}
    place = _PLACE.search(message)
    if place is None:
        return Problem(code="code_syntax", params=detail)
    column = max(1, len(place[3]) - len(f"LINE {place[1]}: ") + 1)
    return Problem(code="code_syntax", line=int(place[1]), column=column, params=detail)
