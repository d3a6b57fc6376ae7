"""Program of skill `sql`: one SELECT over named tables, in a database that can reach nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject
from plans.skills.compute import database
from plans.skills.compute.program import scratch, serve

RESULT = "\\result"  # no query names this by accident
PLACE = re.compile(r"\n\nLINE (\d+): (.*)\n( *)\^", re.DOTALL)
MAX_SPILL = "2GiB"


def query(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Write `result.parquet`; return its meta."""
    connection = database.connect(scratch())
    for number, name in enumerate(params["tables"]):
        # A copy, not a view: after the lock no file can be read any more.
        source = f"read_parquet({database.literal(str(in_dir / f't{number}.parquet'))})"
        connection.execute(f"CREATE TABLE {database.identifier(name)} AS SELECT * FROM {source}")
    target = out_dir / "result.parquet"
    _lock(connection, target)
    text = params["query"]
    try:
        statement = _only_select(connection, text)
        values = _values(statement.named_parameters, params["inputs"])
        # Its own table first: the order of rows is kept, and too many of them are noticed before they are written.
        connection.execute(f"CREATE TEMP TABLE {database.identifier(RESULT)} AS\n{text}", values or None)
        _check_size(connection, params["row_limit"])
        return database.write_parquet(connection, database.identifier(RESULT), target)
    except duckdb.OutOfMemoryException as error:
        raise BadInputError("sql_too_big") from error
    except duckdb.Error as error:
        raise _problem(error) from error


def _lock(connection: duckdb.DuckDBPyConnection, target: Path) -> None:
    """From here on the database reads and writes nothing but our result, and nobody can change that."""
    connection.execute(f"SET max_temp_directory_size = '{MAX_SPILL}'")
    connection.execute(f"SET allowed_paths = [{database.literal(str(target))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _only_select(connection: duckdb.DuckDBPyConnection, text: str) -> duckdb.Statement:
    statements = connection.extract_statements(text)
    if len(statements) != 1:
        raise BadInputError("sql_not_one_statement", count=len(statements))
    kind = str(statements[0].type).rpartition(".")[2].upper()
    if kind != "SELECT":
        raise BadInputError("sql_not_a_select", kind=kind)
    return statements[0]


def _values(wanted: set[str], inputs: JsonObject) -> JsonObject:
    """Return the inputs the query names, and only those. Raises BadInputError for a name that has no value."""
    for name in sorted(wanted):
        if name not in inputs:
            raise BadInputError("sql_input_missing", name=name, known=", ".join(sorted(inputs)))
    return {name: inputs[name] for name in wanted}


def _check_size(connection: duckdb.DuckDBPyConnection, row_limit: int) -> None:
    count = database.scalar(connection, f"SELECT count(*) FROM {database.identifier(RESULT)}")
    if count > row_limit:
        raise BadInputError("sql_too_many_rows", count=count, limit=row_limit)


def _problem(error: duckdb.Error) -> BadInputError:
    """Return DuckDB's own words and, where it says so, the place in the query."""
    text = str(error)
    message = text.split("\n\nLINE ")[0].replace("\n", " ").strip()[:500]
    place = PLACE.search(text)
    if place is None:
        return BadInputError("sql_failed", message=message, line=None, column=None)
    prefix = len(f"LINE {place[1]}: ")
    # Our CREATE TABLE is line 1 where the error comes from running; parsing alone sees the bare query.
    shift = 0 if isinstance(error, duckdb.ParserException) else 1
    line, column = max(1, int(place[1]) - shift), max(1, len(place[3]) - prefix + 1)
    return BadInputError("sql_failed_at", message=message, line=line, column=column)


def main() -> None:
    """Entry point in the sandbox."""
    serve(query)
