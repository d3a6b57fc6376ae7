"""DuckDB as the programs use it: bounded, and tables in the product's terms (text integer number date datetime boolean)."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from plans.core.jsontypes import Json, JsonObject

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
FLOATS = frozenset({"FLOAT", "DOUBLE"})
WIDE_INTEGERS = frozenset({"HUGEINT", "UHUGEINT"})
MAX_EXACT_INTEGER = 2**53


def connect(temp_dir: Path, *, memory_bytes: int = 600 * 1024 * 1024, threads: int = 2) -> duckdb.DuckDBPyConnection:
    """Open an in-memory database that spills into `temp_dir` and has no way to fetch extensions."""
    return duckdb.connect(
        ":memory:",
        config={
            "memory_limit": f"{memory_bytes // (1024 * 1024)}MiB",
            "temp_directory": str(temp_dir),
            "threads": threads,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
        },
    )


def identifier(name: str) -> str:
    """Quote a column or table name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text constant."""
    return "'" + text.replace("'", "''") + "'"


def plain_type(duckdb_type: str) -> str:
    """Return the product's name of a DuckDB type; anything unusual counts as text."""
    name = duckdb_type.upper()
    if name in INTEGERS or name in WIDE_INTEGERS or (name.startswith("DECIMAL") and name.endswith(",0)")):
        return "integer"
    if name.startswith("DECIMAL") or name in ("DOUBLE", "FLOAT"):
        return "number"
    if name == "DATE":
        return "date"
    if name.startswith("TIMESTAMP"):
        return "datetime"
    return "boolean" if name == "BOOLEAN" else "text"


def storable(column: str, duckdb_type: str) -> str:
    """Return the SELECT item that brings a column into one of the plain types; Parquet would turn HUGEINT into DOUBLE."""
    name, quoted = duckdb_type.upper(), identifier(column)
    if name in WIDE_INTEGERS:
        return f"CAST({quoted} AS DECIMAL(38,0)) AS {quoted}"
    if name.startswith("TIMESTAMP WITH TIME ZONE"):
        return f"CAST({quoted} AT TIME ZONE 'UTC' AS TIMESTAMP) AS {quoted}"
    if name.startswith("TIMESTAMP"):
        return f"CAST({quoted} AS TIMESTAMP) AS {quoted}"
    if plain_type(name) == "text" and name != "VARCHAR":
        return f"CAST({quoted} AS VARCHAR) AS {quoted}"
    return quoted


def columns_of(connection: duckdb.DuckDBPyConnection, relation: str) -> list[tuple[str, str]]:
    """Return (name, DuckDB type) of each column of a table or a query in parentheses."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    return [(row[0], row[1]) for row in described]


def write_parquet(connection: duckdb.DuckDBPyConnection, relation: str, path: Path) -> JsonObject:
    """Write a relation with plain types; return the `meta` of its reference."""
    items = ", ".join(storable(name, kind) for name, kind in columns_of(connection, relation))
    connection.execute(
        f"COPY (SELECT {items} FROM {relation}) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)"
    )
    return parquet_meta(connection, path)


def parquet_meta(connection: duckdb.DuckDBPyConnection, path: Path) -> JsonObject:
    """Return {"columns": [{"name", "type"}], "row_count"} of a Parquet file; `not_finite` where it holds NaN or infinity."""
    source = f"read_parquet({literal(str(path))})"
    found = columns_of(connection, source)
    columns = [{"name": name, "type": plain_type(kind)} for name, kind in found]
    meta = {"columns": columns, "row_count": scalar(connection, f"SELECT count(*) FROM {source}")}
    bad = _not_finite(connection, source, [name for name, kind in found if kind.upper() in FLOATS])
    return {**meta, "not_finite": bad} if bad else meta


def _not_finite(connection: duckdb.DuckDBPyConnection, source: str, names: list[str]) -> JsonObject:
    """Return column -> how many of its cells are NaN or infinite, of those that hold any."""
    if not names:
        return {}
    items = ", ".join(f"count(*) FILTER (WHERE NOT isfinite({identifier(name)}))" for name in names)
    row = connection.execute(f"SELECT {items} FROM {source}").fetchone() or ()
    return {name: count for name, count in zip(names, row, strict=True) if count}


def scalar(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    """Return the first value of the first row."""
    row = connection.execute(query).fetchone()
    return row[0] if row else None


def json_safe(value: Any) -> Json:
    """Return a cell as JSON: ISO dates, numbers, never NaN; integers beyond 2^53 as text, which loses nothing."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) <= MAX_EXACT_INTEGER else str(value)
    if isinstance(value, Decimal):
        return json_safe(int(value)) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return value.isoformat(sep="T", timespec="auto")
    if isinstance(value, date):
        return value.isoformat()
    return str(value).replace("\0", "")
