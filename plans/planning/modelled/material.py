"""What people handed in, as bounded text for a model: always fenced, so that none of it can read as an instruction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plans.core import fencing
from plans.core.jsontypes import Json, JsonObject
from plans.core.values import is_ref

MOST_FILES = 10
MOST_COLUMNS = 40
MOST_ROWS = 5
LONGEST_CELL = 60
LONGEST_FILE = 6000
LONGEST_TEXT = 8000
MOST_TOKENS = 60_000


def fenced(name: str, text: str) -> str:
    """Return `text` as a block of material, without characters nobody sees, cut at what any prompt has room for."""
    return fencing.fence({name: text.strip("\n")}, MOST_TOKENS).text


def bounded(text: str, most: int = LONGEST_TEXT) -> str:
    """Return the beginning of a long text, and say that it is only that."""
    return text if len(text) <= most else f"{text[:most]}\n[cut: {len(text) - most} more characters]"


def as_json(value: Json, most: int = LONGEST_TEXT) -> str:
    return bounded(json.dumps(value, ensure_ascii=False, indent=1, default=str), most)


def files(inputs: Mapping[str, Json], profiles: Mapping[str, Any], *, sees_rows: bool) -> str:
    """Return the attachments and other inputs by the names a plan reads them by; without rows, names and types only."""
    told: list[str] = []
    attached = [name for name, value in inputs.items() if is_ref(value)]
    for name in attached[:MOST_FILES]:
        told.append(
            bounded(_file(name, inputs[name], profile_of(inputs[name], profiles.get(name)), sees_rows), LONGEST_FILE)
        )
    if len(attached) > MOST_FILES:
        rest = ", ".join(f"inputs.{name}" for name in attached[MOST_FILES:])
        told.append(f"Attached as well, not described here: {bounded(rest, 1000)}")
    for name, value in inputs.items():
        if name not in attached:
            told.append(f"inputs.{name} = {bounded(json.dumps(value, ensure_ascii=False, default=str), 500)}")
    return "\n\n".join(told) or "Nothing is attached."


def profile_of(value: Any, profile: Any) -> JsonObject:
    """Return what is known of an attachment: its profile, else the part of it that travels with the reference."""
    return dict(profile or value.get("meta") or {})


def _file(name: str, value: Any, profile: JsonObject, sees_rows: bool) -> str:
    lines = [f"inputs.{name}: file {json.dumps(value.get('filename') or name, ensure_ascii=False)}"]
    facts = [("kind", profile.get("kind")), ("rows", profile.get("row_count"))]
    period = profile.get("period") or {}
    if sees_rows and period.get("from"):
        facts.append(("covers", f"{period['from']} to {period.get('to')}"))
    lines.append("; ".join(f"{key}: {fact}" for key, fact in facts if fact is not None))
    columns = profile.get("columns") or []
    lines += [_column(column, sees_rows) for column in columns[:MOST_COLUMNS]]
    if len(columns) > MOST_COLUMNS:
        lines.append(f"- and {len(columns) - MOST_COLUMNS} more columns")
    rows = profile.get("sample_rows") or []
    if sees_rows and rows:
        lines.append("First rows:")
        lines += [json.dumps(_row(row), ensure_ascii=False, default=str) for row in rows[:MOST_ROWS]]
    return "\n".join(line for line in lines if line)


def _column(column: Mapping[str, Any], sees_rows: bool) -> str:
    said = f"- column {json.dumps(str(column.get('name'))[:LONGEST_CELL], ensure_ascii=False)} {column.get('type')}"
    if not sees_rows:
        return said
    facts = [
        f"{key} {_cell(column[key])}" for key in ("min", "max", "distinct", "missing") if column.get(key) is not None
    ]
    return f"{said} ({', '.join(facts)})" if facts else said


def _row(row: Any) -> Any:
    if isinstance(row, Mapping):
        return {str(key)[:LONGEST_CELL]: _cell(value) for key, value in list(row.items())[:MOST_COLUMNS]}
    return [_cell(value) for value in list(row)[:MOST_COLUMNS]] if isinstance(row, list) else _cell(row)


def _cell(value: Any) -> Any:
    return value[:LONGEST_CELL] + "…" if isinstance(value, str) and len(value) > LONGEST_CELL else value
