"""Small looks at outputs: a table's first rows, a picture, a report, a short text. Large values never enter a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plans import storage
from plans.core.jsontypes import Json
from plans.core.kinds import ValueKind
from plans.models import Artifact
from plans.skills.tables import load_rows
from plans.web.shown.values import Named, named, number, readable

ROWS = 10
COLUMNS = 20
CELL = 200


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputShown:
    """One output: an artifact with its preview, or a small value."""

    name: str
    artifact: Artifact | None = None
    table: TablePreview | None = None
    values: list[Named] = field(default_factory=list)
    text: Named | None = None

    @property
    def is_image(self) -> bool:
        return self.artifact is not None and self.artifact.kind == ValueKind.IMAGE

    @property
    def is_report(self) -> bool:
        return self.artifact is not None and self.artifact.kind == ValueKind.HTML


def output_shown(name: str, artifact: Artifact | None, value: Json) -> OutputShown:
    if artifact is not None:
        table = table_preview(artifact) if artifact.kind == ValueKind.TABLE else None
        return OutputShown(name=name, artifact=artifact, table=table)
    if isinstance(value, dict) and value:
        return OutputShown(name=name, values=[named(str(key), inner) for key, inner in list(value.items())[:COLUMNS]])
    return OutputShown(name=name, text=named(name, value))


def outputs_shown(outputs: Mapping[str, Json] | None, artifacts: Mapping[str, Artifact]) -> list[OutputShown]:
    return [output_shown(name, artifacts.get(name), value) for name, value in (outputs or {}).items()]


def table_preview(artifact: Artifact) -> TablePreview:
    """Return the first rows and columns of a table artifact, each cell cut to a readable length."""
    rows = load_rows(storage.local_path(artifact.blob_id), ROWS)
    described = [str(column["name"]) for column in artifact.meta.get("columns", [])]
    columns = described or (list(rows[0]) if rows else [])
    shown = columns[:COLUMNS]
    count = artifact.meta.get("row_count", len(rows))
    return TablePreview(
        columns=shown,
        rows=[[_cell(row.get(column)) for column in shown] for row in rows],
        row_count=number(count),
        more_rows=count > len(rows),
        more_columns=len(columns) - len(shown),
    )


def _cell(value: Any) -> Cell:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = "" if value is None else readable(value)
    return Cell(text=text if len(text) <= CELL else text[:CELL] + "…", is_number=is_number)
