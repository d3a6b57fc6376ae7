"""Read any text into table `data`: line number and text."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from plans.skills.compute.database import literal
from plans.skills.compute.found import Found

MAX_LINE = 1_000_000


def read(connection: duckdb.DuckDBPyConnection, lines: Sequence[str], work: Path, found: Found) -> None:
    """Make table `data` with the lines that hold anything."""
    path = work / "text.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_rows(lines, found))
    connection.execute(
        f'CREATE OR REPLACE TABLE data AS SELECT line AS "\\line", line, text FROM read_csv({literal(str(path))}, '
        f"auto_detect=false, header=false, delim=',', quote='\"', escape='\"', new_line='\\r\\n', parallel=false, "
        f"max_line_size={16 * 1024 * 1024}, columns={{'line': 'BIGINT', 'text': 'VARCHAR'}})"
    )
    path.unlink()


def _rows(lines: Sequence[str], found: Found) -> Iterator[list[str | int]]:
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if not text.strip():
            found.drop("blank_rows", number)
            continue
        if len(text) > MAX_LINE:
            found.drop("cell_cut", number, of="cells")
        yield [number, text[:MAX_LINE]]
