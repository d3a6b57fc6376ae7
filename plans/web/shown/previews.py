"""Small looks at outputs: a table's first rows, a picture, a report, a short text. Large values never enter a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.cache import cache

from plans import storage
from plans.core.errors import SkillError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.models import Artifact
from plans.skills.tables import load_rows
from plans.web.shown.values import Named, named, number, readable
from plans.wording import sentence

ROWS = 10
COLUMNS = 20
CELL = 200
CSV_ROWS = 100_000
PAGE_ROWS = 100
PAGE_COLUMNS = 100
# Beyond, a page would read for long: the whole table is a download.
LAST_ROW = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: str
    is_number: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePreview:
    columns: list[str]
    rows: list[list[Cell]]
    row_count: str
    more_rows: bool
    more_columns: int
    is_small: bool

    @property
    def heads(self) -> list[Cell]:
        """Return the column names, those over numbers aligned as numbers are."""
        return [
            Cell(text=name, is_number=any(row[index].is_number for row in self.rows))
            for index, name in enumerate(self.columns)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputShown:
    """One output: an artifact with its preview, or a small value."""

    name: str
    artifact: Artifact | None = None
    table: TablePreview | None = None
    values: list[Named] = field(default_factory=list)
    text: Named | None = None
    problem: str = ""

    @property
    def has_csv(self) -> bool:
        return self.table is not None and self.table.is_small

    @property
    def is_image(self) -> bool:
        return self.artifact is not None and self.artifact.kind == ValueKind.IMAGE

    @property
    def is_report(self) -> bool:
        return self.artifact is not None and self.artifact.kind == ValueKind.HTML


def output_shown(name: str, artifact: Artifact | None, value: Json) -> OutputShown:
    if artifact is not None:
        if artifact.kind != ValueKind.TABLE:
            return OutputShown(name=name, artifact=artifact)
        try:
            return OutputShown(name=name, artifact=artifact, table=table_preview(artifact))
        except SkillError as error:
            return OutputShown(name=name, artifact=artifact, problem=sentence(error.code, error.params))
    if isinstance(value, dict) and value:
        return OutputShown(name=name, values=[named(str(key), inner) for key, inner in list(value.items())[:COLUMNS]])
    return OutputShown(name=name, text=named(name, value))


def outputs_shown(outputs: Mapping[str, Json] | None, artifacts: Mapping[str, Artifact]) -> list[OutputShown]:
    return [output_shown(name, artifacts.get(name), value) for name, value in (outputs or {}).items()]


def table_preview(artifact: Artifact) -> TablePreview:
    """Return the first rows and columns of a table artifact. Raises SkillError when they cannot be read."""
    return _preview(artifact, _first_rows(artifact), columns=COLUMNS)


def _preview(artifact: Artifact, rows: list[JsonObject], *, columns: int) -> TablePreview:
    described = [str(column["name"]) for column in artifact.meta.get("columns", [])]
    names = described or (list(rows[0]) if rows else [])
    shown = names[:columns]
    count = artifact.meta.get("row_count", len(rows))
    return TablePreview(
        columns=shown,
        rows=[[_cell(row.get(column)) for column in shown] for row in rows],
        row_count=number(count),
        more_rows=count > len(rows),
        more_columns=len(names) - len(shown),
        is_small=count <= CSV_ROWS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPage:
    """Some rows of a table, `first` to `last` (from 1); `before` and `after` are the starts of its neighbours."""

    table: TablePreview
    first: int
    last: int
    before: int | None
    after: int | None


def rows_page(artifact: Artifact, start: int) -> RowsPage:
    """Return the rows after `start`. Raises SkillError when they cannot be read."""
    start = min(start - start % PAGE_ROWS, LAST_ROW - PAGE_ROWS)
    found = load_rows(storage.local_path(artifact.blob_id), start + PAGE_ROWS)[start:]
    rows: list[JsonObject] = [{name: _short(value) for name, value in row.items()} for row in found]
    preview = _preview(artifact, rows, columns=PAGE_COLUMNS)
    last = start + len(rows)
    has_more = artifact.meta.get("row_count", last) > last and last < LAST_ROW
    return RowsPage(
        table=preview,
        first=start + 1 if rows else 0,
        last=last,
        before=max(start - PAGE_ROWS, 0) if start else None,
        after=last if has_more else None,
    )


def _first_rows(artifact: Artifact) -> list[JsonObject]:
    """Return the first rows with long cells cut. A blob never changes, so what was read once is kept in memory."""
    key = f"rows:{ROWS}:{artifact.blob_id}"
    found: list[JsonObject] | None = cache.get(key)
    if found is None:
        rows = load_rows(storage.local_path(artifact.blob_id), ROWS)
        found = [{name: _short(value) for name, value in list(row.items())[:COLUMNS]} for row in rows]
        cache.set(key, found, timeout=None)
    return found


def _short(value: Json) -> Json:
    if value is None or isinstance(value, int | float):
        return value
    text = readable(value)
    return text if len(text) <= CELL else text[:CELL] + "…"


def _cell(value: Any) -> Cell:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(text="" if value is None else readable(value), is_number=is_number)
