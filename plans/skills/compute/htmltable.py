"""A Parquet table as an HTML table for people: separators, sensible decimals, numbers to the right, long tables cut."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Any

from plans.skills.compute import database
from plans.skills.compute.people import day_form, decimals_of, number, tidy
from plans.skills.compute.program import scratch

MAX_ROWS = 200
MAX_TEXT = 500
SHORT_TEXT = 20
NUMERIC, KEPT = ' class="num"', ' class="keep"'
NOTHING, NOTHING_NUMERIC = '<td class="none">–</td>', '<td class="none num">–</td>'
NAME_OF_NUMBERS = re.compile(
    r"(^|[\s_.-])(id|key|code|nr|no|year|jahr|année|año|zip|plz|postal ?code|phone|line)([\s_.-]|$)|id$|年|号|编号|編號",
    re.IGNORECASE,
)

Form = Callable[[Any], str]


def table_html(path: Path, words: dict[str, str]) -> str:
    """Return the first rows as a figure; a caption says when there are more, or none."""
    connection = database.connect(scratch(), threads=1)
    source = f"read_parquet({database.literal(str(path))})"
    columns = database.columns_of(connection, source)
    rows = connection.execute(f"SELECT * FROM {source} LIMIT {MAX_ROWS}").fetchall()
    total = database.scalar(connection, f"SELECT count(*) FROM {source}")
    kinds = [database.plain_type(kind) for _, kind in columns]
    forms = [
        _form(name, kind, [row[at] for row in rows], words)
        for at, ((name, _), kind) in enumerate(zip(columns, kinds, strict=True))
    ]
    numeric = [kind in ("number", "integer") for kind in kinds]
    head = "".join(
        f"<th{NUMERIC if right else ''}>{escape(tidy(name))}</th>"
        for (name, _), right in zip(columns, numeric, strict=True)
    )
    # A date or a short name that is broken over lines is hard to read; long texts must break.
    looks = [
        NUMERIC if right else KEPT if _is_short([row[at] for row in rows]) else "" for at, right in enumerate(numeric)
    ]
    body = "".join(f"<tr>{_cells(row, forms, looks)}</tr>\n" for row in rows)
    caption = _caption(len(rows), total, words)
    return f'<figure class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>{caption}</figure>\n'


def _is_short(values: Sequence[Any]) -> bool:
    return all(not isinstance(value, str) or len(value) <= SHORT_TEXT for value in values)


def _cells(row: Sequence[Any], forms: Sequence[Form], looks: Sequence[str]) -> str:
    cells = []
    for value, form, look in zip(row, forms, looks, strict=True):
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            cells.append(NOTHING_NUMERIC if look == NUMERIC else NOTHING)
        else:
            cells.append(f"<td{look}>{escape(form(value))}</td>")
    return "".join(cells)


def _form(name: str, kind: str, values: Sequence[Any], words: dict[str, str]) -> Form:
    """Return how a column's values are written; decided once, so that a column reads evenly."""
    if kind in ("number", "integer"):
        finite = [v for v in values if v is not None and not (isinstance(v, float) and not math.isfinite(v))]
        if kind == "integer" and NAME_OF_NUMBERS.search(name):
            return lambda value: str(int(value))
        decimals = decimals_of(finite)
        return lambda value: number(value if isinstance(value, int | Decimal) else float(value), decimals)
    if kind == "boolean":
        return lambda value: words["yes"] if value else words["no"]
    if kind in ("date", "datetime"):
        form = day_form(values)
        return lambda value: value.strftime(form) if isinstance(value, date) else str(value)
    return lambda value: value if len(value) <= MAX_TEXT else value[: MAX_TEXT - 1] + "…"


def _caption(shown: int, total: int, words: dict[str, str]) -> str:
    if not total:
        return f"<figcaption>{escape(words['no_rows'])}</figcaption>"
    if total > shown:
        text = words["first_of"].replace("%(shown)s", f"{shown:,}").replace("%(total)s", f"{total:,}")
        return f"<figcaption>{escape(text)}</figcaption>"
    return ""
