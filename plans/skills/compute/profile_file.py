"""Program behind `plans.skills.profile.profile_file`: what a file holds, without keeping a table of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from plans.core.jsontypes import JsonObject
from plans.skills.compute import database, reading
from plans.skills.compute.program import scratch, serve

LIMIT_BYTES = 10_000_000
SAMPLES = 5
SAMPLE_ROWS = 8
MAX_CELL = 200
KINDS = {"csv": "table", "access_log": "access_log", "text": "text"}


def profile(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Return the profile (see plans.skills.profile); a problem with the file is raised."""
    work = scratch()
    connection = database.connect(work)
    done = reading.read(connection, in_dir / "file", {"suffix": params["suffix"]}, work, limit_bytes=LIMIT_BYTES)
    facts = done.found.as_json()
    columns = [_column(connection, name, kind) for name, kind in reading.table_columns(connection)[:300]]
    return {
        "kind": KINDS[done.kind],
        "problem": None,
        "encoding": facts.get("encoding"),
        "delimiter": facts.get("delimiter"),
        "decimal": facts.get("decimal"),
        "header_row": facts.get("header_row"),
        "columns": columns,
        "row_count": database.scalar(connection, "SELECT count(*) FROM data"),
        "dropped": facts["dropped"],
        "rows_dropped": facts["rows_dropped"],
        "notes": facts["notes"],
        "period": reading.period(connection),
        "sample_rows": _sample_rows(connection, [column["name"] for column in columns]),
        "partial": done.partial,
    }


def _column(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> JsonObject:
    quoted = database.identifier(name)
    bounds = f"min({quoted}), max({quoted})" if kind not in ("text", "boolean") else "NULL, NULL"
    row = connection.execute(
        f"SELECT {bounds}, approx_count_distinct({quoted}), count(*) - count({quoted}), count(*) FROM data"
    ).fetchone() or (None, None, 0, 0, 0)
    distinct = row[2]
    if row[4] <= 200_000:
        distinct = database.scalar(connection, f"SELECT count(DISTINCT {quoted}) FROM data")
    samples = connection.execute(
        f"SELECT {quoted} FROM data WHERE {quoted} IS NOT NULL GROUP BY 1 "
        f'ORDER BY count(*) DESC, min("{reading.LINE_COLUMN}") LIMIT {SAMPLES}'
    ).fetchall()
    return {
        "name": name,
        "type": kind,
        "samples": [_short(value) for (value,) in samples],
        "min": _short(row[0]),
        "max": _short(row[1]),
        "distinct": distinct,
        "missing": row[3],
    }


def _short(value: Any) -> Any:
    safe = database.json_safe(value)
    return safe[:MAX_CELL] if isinstance(safe, str) else safe


def _sample_rows(connection: duckdb.DuckDBPyConnection, names: list[str]) -> list[JsonObject]:
    items = ", ".join(map(database.identifier, names))
    result = connection.execute(f'SELECT {items} FROM data ORDER BY "{reading.LINE_COLUMN}" LIMIT {SAMPLE_ROWS}')
    return [dict(zip(names, map(_short, row), strict=True)) for row in result.fetchall()]


def main() -> None:
    """Entry point in the sandbox."""
    serve(profile)
