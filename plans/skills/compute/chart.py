"""Program of skill `chart`: a bar or line chart of a table as a PNG."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject
from plans.skills.compute import database
from plans.skills.compute.charting import Picture, draw
from plans.skills.compute.people import cut, tidy
from plans.skills.compute.program import scratch, serve

MAX_POINTS = {"bar": 200, "line": 20_000}


@dataclass(slots=True)
class Data:
    """The points of a chart: x values as read, one list of numbers (or None) per series."""

    xs: list[Any]
    series: dict[str, list[float | None]]
    total: int
    skipped: int


def chart(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Write `chart.png`; return its size and what an alternative text needs."""
    data = _read(in_dir / "table", params)
    size = draw(_picture(params, data), out_dir / "chart.png")
    return {"width": size[0], "height": size[1], **_facts(params, data)}


def _read(path: Path, params: JsonObject) -> Data:
    connection = database.connect(scratch(), threads=1)
    source = f"read_parquet({database.literal(str(path))})"
    known = {name: database.plain_type(kind) for name, kind in database.columns_of(connection, source)}
    x = _column(params["x"], known)
    ys = [_column(name, known) for name in params["y"]]
    for name in ys:
        # An empty table has no numbers to take a type from: it gives an empty chart, not an error.
        if known[name] not in ("number", "integer") and database.scalar(connection, f"SELECT count(*) FROM {source}"):
            raise BadInputError("chart_not_numeric", column=name, type=known[name])
    items = ", ".join(database.identifier(name) for name in [x, *ys])
    limit = min(params["top"] or MAX_POINTS[params["kind"]], MAX_POINTS[params["kind"]])
    rows = connection.execute(f"SELECT {items} FROM {source} LIMIT {limit}").fetchall()
    total = database.scalar(connection, f"SELECT count(*) FROM {source}")
    numbers = [[_number(cell) for cell in row[1:]] for row in rows]
    kept = [index for index, row in enumerate(numbers) if any(cell is not None for cell in row)]
    series = {name: [numbers[index][at] for index in kept] for at, name in enumerate(ys)}
    return Data([rows[index][0] for index in kept], series, total, len(rows) - len(kept))


def _column(name: str, known: dict[str, str]) -> str:
    if name in known:
        return name
    folded = [each for each in known if each.casefold() == name.casefold()]
    if folded:
        return folded[0]
    near = difflib.get_close_matches(name, known, n=1)
    raise BadInputError(
        "column_missing", name=name, nearest=near[0] if near else "", columns=", ".join(list(known)[:30])
    )


def _number(value: Any) -> float | None:
    if value is None or isinstance(value, str | date):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _picture(params: JsonObject, data: Data) -> Picture:
    words = params["words"]
    remarks = []
    if data.skipped:
        remarks.append(words["skipped"].replace("%(count)s", str(data.skipped)))
    shown = len(data.xs) + data.skipped
    if data.total > shown:
        remarks.append(words["first_of"].replace("%(shown)s", f"{shown:,}").replace("%(total)s", f"{data.total:,}"))
    names = list(data.series)
    y_label = params["y_label"] or (names[0] if len(names) == 1 else "")
    return Picture(
        kind=params["kind"],
        title=tidy(params["title"]),
        x_label=tidy(params["x_label"] if params["x_label"] is not None else params["x"]),
        y_label=tidy(y_label),
        xs=data.xs,
        series={cut(tidy(name), 40): values for name, values in data.series.items()},
        remarks=remarks,
        empty=words["no_data"],
    )


def _facts(params: JsonObject, data: Data) -> JsonObject:
    name, values = next(iter(data.series.items()))
    points = [(value, label) for value, label in zip(values, data.xs, strict=True) if value is not None]
    facts: JsonObject = {"points": len(data.xs), "skipped": data.skipped, "total": data.total, "series": name}
    if points:
        for key, (value, label) in (("highest", max(points, key=_first)), ("lowest", min(points, key=_first))):
            facts[key] = {"label": _label(label), "value": value}
    return facts


def _first(point: tuple[float, Any]) -> float:
    return point[0]


def _label(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")
    return cut(tidy(str(value)), 80)


def main() -> None:
    """Entry point in the sandbox."""
    serve(chart)
