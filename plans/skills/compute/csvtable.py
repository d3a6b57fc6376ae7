"""Read a delimited file into table `data`: dialect, header, rows, types; everything left out is counted."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject
from plans.skills.compute import columns, dialect, layout
from plans.skills.compute.csvlines import Dialect, Record, records
from plans.skills.compute.database import identifier, literal, scalar
from plans.skills.compute.found import Found

SAMPLE_RECORDS = 1000
MAX_COLUMNS = 1000
MAX_CELL = 1_000_000
TOTAL_WORD = re.compile(
    r"(grand )?totals?\b.*|(gesamt)?summe.*|gesamt.*|totaal.*|suma.*|somme.*|итого.*|összesen.*"
    r"|.*(合计|合計|总计|總計|总额|小计).*",
    re.IGNORECASE,
)


def read(
    connection: duckdb.DuckDBPyConnection, lines: list[str], options: JsonObject, work: Path, found: Found
) -> list[columns.Plan]:
    """Make table `data`; return the column plans. Raises BadInputError when there is nothing to read."""
    skipped, lines = _without_sep_line(lines, options)
    chosen, _ = dialect.find(lines, options.get("suffix", ""), options.get("delimiter"))
    found.facts["delimiter"] = chosen.delimiter
    stream = records(lines, chosen, found)
    stream = (Record(record.line + skipped, record.cells) for record in stream)
    full = _without_blank(stream, found)
    if isinstance(options.get("header"), int) and not isinstance(options.get("header"), bool):
        full = _from_line(full, options["header"], found)
    sample = list(itertools.islice(full, SAMPLE_RECORDS))
    if not sample:
        raise BadInputError("file_empty")
    place = layout.find(sample, bool(options["header"]) if options.get("header") is not None else None)
    if place.width > MAX_COLUMNS:
        raise BadInputError("too_many_columns", count=place.width, limit=MAX_COLUMNS)
    for record in sample[: place.first - (1 if place.header else 0)]:
        found.drop("above_table", record.line)
    found.facts["header_row"] = place.header_line
    if not place.header:
        found.note("no_header")
    body = _rows(itertools.chain(sample[place.first :], full), place, found)
    _load_raw(connection, body, place.width, work)
    return _typed(connection, layout.names(place, found), options, chosen, found)


def _without_sep_line(lines: list[str], options: JsonObject) -> tuple[int, list[str]]:
    mark = dialect.sep_line(lines[0]) if lines else None
    if mark is None:
        return 0, lines
    if not options.get("delimiter"):
        options["delimiter"] = mark
    return 1, lines[1:]


def _without_blank(stream: Iterable[Record], found: Found) -> Iterator[Record]:
    for record in stream:
        if any(not cell.isspace() for cell in record.cells if cell):
            yield record
        else:
            found.drop("blank_rows", record.line)


def _from_line(stream: Iterable[Record], line: int, found: Found) -> Iterator[Record]:
    for record in stream:
        if record.line >= line:
            yield record
        else:
            found.drop("above_table", record.line)


def _rows(stream: Iterable[Record], place: layout.Layout, found: Found) -> Iterator[list[str | int]]:
    """Yield [line, cell, …], all equally wide. One-cell rows are held back: at the end they are notes, not data."""
    waiting: list[Record] = []
    header = [cell.strip() for cell in place.header]
    for record in stream:
        cells = [cell.strip() for cell in record.cells]
        if header and cells[0] == header[0] and cells[: len(header)] == header:
            found.drop("repeated_header", record.line)
            continue
        if place.usual >= 3 and len(cells) - cells.count("") == 1 and len(waiting) < SAMPLE_RECORDS:
            waiting.append(record)
            continue
        for held in waiting:
            yield _fitted([cell.strip() for cell in held.cells], held.line, place.width, found)
        waiting.clear()
        yield _fitted(cells, record.line, place.width, found)
    for held in waiting:
        found.drop("below_table", held.line)


def _fitted(cells: list[str], line: int, width: int, found: Found) -> list[str | int]:
    if len(cells) < width:
        found.note_line("short_rows", line)
        cells = cells + [""] * (width - len(cells))
    elif len(cells) > width:
        if any(cells[width:]):
            found.drop("extra_cells", line, of="cells")
        cells = cells[:width]
    if max(map(len, cells)) > MAX_CELL:
        found.drop("cell_cut", line, of="cells")
        cells = [cell[:MAX_CELL] for cell in cells]
    return [line, *cells]


def _load_raw(connection: duckdb.DuckDBPyConnection, rows: Iterator[list[str | int]], width: int, work: Path) -> None:
    path = work / "raw.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    names = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(width))
    cells = ", ".join(f"nullif(c{number}, '') AS c{number}" for number in range(width))
    connection.execute(
        f"CREATE OR REPLACE TABLE raw AS SELECT line, {cells} FROM read_csv({literal(str(path))}, auto_detect=false, "
        f"header=false, delim=',', quote='\"', escape='\"', new_line='\\r\\n', parallel=false, "
        f"max_line_size={64 * 1024 * 1024}, columns={{'line': 'BIGINT', {names}}})"
    )
    path.unlink()


def _typed(
    connection: duckdb.DuckDBPyConnection, names: list[str], options: JsonObject, chosen: Dialect, found: Found
) -> list[columns.Plan]:
    unnamed = {note["column"] for note in found.notes if note["code"] == "column_named"}
    plans = columns.decide(connection, names, found, decimal=options.get("decimal"), delimiter=chosen.delimiter)
    empty = [
        plan
        for plan in plans
        if plan.name in unnamed and not scalar(connection, f"SELECT count(c{plan.number}) FROM raw")
    ]
    if empty and len(empty) < len(plans):
        found.notes = [note for note in found.notes if note.get("column") not in {plan.name for plan in empty}]
        found.note("empty_columns_left_out", numbers=[plan.number + 1 for plan in empty])
        plans = [plan for plan in plans if plan not in empty]
    columns.build(connection, plans, found)
    _drop_total_row(connection, plans, found)
    if not scalar(connection, "SELECT count(*) FROM data"):
        found.note("header_only")
    return plans


def _drop_total_row(connection: duckdb.DuckDBPyConnection, plans: Sequence[columns.Plan], found: Found) -> None:
    """Leave out a last row that says "Total" and is the sum of what stands above it: it would double every sum."""
    amounts = [plan.name for plan in plans if plan.type in ("number", "integer")]
    last = scalar(connection, 'SELECT max("\\line") FROM data')
    if last is None or not amounts:
        return
    cells = connection.execute(f"SELECT * EXCLUDE (line) FROM raw WHERE line = {last}").fetchone() or ()
    if not any(TOTAL_WORD.fullmatch(cell.strip(" :*")) for cell in cells if cell):
        return
    checks = ", ".join(
        f'abs(sum({identifier(name)}) FILTER ("\\line" < {last}) - any_value({identifier(name)}) FILTER ("\\line" = {last}))'
        f' <= 0.005 * abs(any_value({identifier(name)}) FILTER ("\\line" = {last})) + 0.01'
        for name in amounts
    )
    verdicts = [
        verdict for verdict in connection.execute(f"SELECT {checks} FROM data").fetchone() or () if verdict is not None
    ]
    if sum(verdicts) * 2 > len(verdicts):
        connection.execute(f'DELETE FROM data WHERE "\\line" = {last}')
        found.drop("total_row", last)
    else:
        found.note("maybe_total_row", line=last)
