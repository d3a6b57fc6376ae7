"""What the tests of reading look at in a table and in what was found."""

from __future__ import annotations

from typing import Any


def types(table: Any) -> dict[str, str]:
    return {column["name"]: column["type"] for column in table.meta["columns"]}


def dropped(found: dict[str, Any]) -> dict[str, tuple[int, list[int]]]:
    return {drop["code"]: (drop["count"], drop["lines"]) for drop in found["dropped"]}


def notes(found: dict[str, Any]) -> set[str]:
    return {note["code"] for note in found["notes"]}
