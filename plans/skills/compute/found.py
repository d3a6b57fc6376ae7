"""What reading a file brought to light: how it was read, what was dropped and what a reader should know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from plans.core.jsontypes import JsonObject

MAX_LINES = 5


@dataclass(slots=True)
class Drop:
    """Rows, lines or cells that did not make it into the table, for one reason."""

    code: str
    of: str
    params: JsonObject
    count: int = 0
    lines: list[int] = field(default_factory=list)


class Found:
    """Collects remarks while a file is read."""

    def __init__(self) -> None:
        self.facts: JsonObject = {}
        self.notes: list[JsonObject] = []
        self._drops: dict[str, Drop] = {}

    def drop(self, code: str, line: int, *, of: str = "rows") -> None:
        """Count one dropped row, or something of it (`of`: cells, characters)."""
        self.drop_many(code, 1, [line], of=of)

    def drop_many(self, code: str, count: int, lines: Sequence[int], *, of: str = "rows", **params: Any) -> None:
        """Count things dropped; the first few line numbers are kept. Same code and params add up."""
        drop = self._drops.setdefault(f"{code} {sorted(params.items())}", Drop(code, of, params))
        drop.count += count
        drop.lines += lines[: MAX_LINES - len(drop.lines)]

    def note(self, code: str, **params: Any) -> None:
        """Remember something that was decided, not lost."""
        self.notes.append({"code": code, **params})

    def note_column(self, code: str, column: str, **params: Any) -> None:
        """Remember a decision about a column; columns decided alike share one note."""
        for note in self.notes:
            if note["code"] == code and all(note.get(key) == value for key, value in params.items()):
                note["columns"].append(column)
                note["column"] = ", ".join(note["columns"])
                return
        self.notes.append({"code": code, "column": column, "columns": [column], **params})

    def note_line(self, code: str, line: int) -> None:
        """Remember a line that was mended; lines of one code are counted in one note."""
        for note in self.notes:
            if note["code"] == code:
                note["count"] += 1
                if len(note["lines"]) < MAX_LINES:
                    note["lines"].append(line)
                return
        self.notes.append({"code": code, "count": 1, "lines": [line]})

    def dropped(self) -> list[JsonObject]:
        """Return what was dropped, most first."""
        drops = sorted(self._drops.values(), key=lambda drop: -drop.count)
        return [
            {"code": drop.code, "count": drop.count, "of": drop.of, "lines": drop.lines, **drop.params}
            for drop in drops
        ]

    def as_json(self) -> JsonObject:
        """Return facts, drops and notes as one JSON object."""
        dropped = self.dropped()
        rows = sum(drop["count"] for drop in dropped if drop["of"] == "rows")
        return {**self.facts, "rows_dropped": rows, "dropped": dropped, "notes": self.notes}
