"""Find where the table starts in its records, whether it has a header, and what its columns are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plans.skills.compute.csvlines import Record
from plans.skills.compute.found import Found

TYPED = re.compile(
    r"[-+(]?\s*[€$£¥]?\s*\d[\d.,' \u00a0]*\s*[%€$£)]?|\d{1,4}[-/.年]\d{1,2}([-/.月]\d{1,4})?[.日]?([ T]\d.*)?"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}|true|false|null|n/?a|nan",
    re.IGNORECASE,
)
YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """`first` is the index of the first data record in the sample; `header_line` is None for a table without header."""

    first: int
    header_line: int | None
    header: tuple[str, ...]
    width: int
    usual: float
    """How many cells of a row hold something."""


def filled(cells: Sequence[str]) -> int:
    """Return how many cells hold something."""
    return sum(1 for cell in cells if cell and not cell.isspace())


def find(sample: Sequence[Record], has_header: bool | None) -> Layout:
    """Look at the first records (blank ones left out). The sample is not empty."""
    top = _top(sample)
    rows = [record.cells for record in sample[top:]]
    named = has_header if has_header is not None else _is_header(rows)
    body = rows[1:] if named else rows
    width = _width(rows[0], body)
    usual = median([filled(row) for row in body] or [0])
    if not named:
        return Layout(first=top, header_line=None, header=(), width=width, usual=usual)
    return Layout(first=top + 1, header_line=sample[top].line, header=tuple(rows[0]), width=width, usual=usual)


def _top(sample: Sequence[Record]) -> int:
    """Return the first record that is about as full as the table's rows: titles above a table fill a cell or two."""
    counts = [filled(record.cells) for record in sample]
    usual = _weighted_median(counts)
    for index, count in enumerate(counts):
        if count >= max(2, 0.6 * usual) or (usual <= 1 and count >= 1):
            return index
    return 0


def _weighted_median(counts: Sequence[int]) -> int:
    """Return the fullness that half of all filled cells live in: a long preamble of one-cell lines hardly weighs."""
    half, passed = sum(counts) / 2, 0
    for count in sorted(counts):
        passed += count
        if passed >= half:
            return count
    return 0


def _width(first: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    """The header's width, or more when most rows are wider: then some columns have no name."""
    own = len(first)
    if not body:
        return own
    widths = sorted(len(row) for row in body)
    usual = widths[len(widths) // 2]
    extra = any(cell.strip() for row in body if len(row) >= usual for cell in row[own:usual])
    return max(own, usual) if extra else own


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """A header names things; a row of values has numbers or dates where the rows below have them too."""
    cells = [cell.strip() for cell in rows[0]]
    named = [cell for cell in cells if cell]
    typed = [index for index, cell in enumerate(cells) if cell and TYPED.fullmatch(cell)]
    if not typed:
        return True
    if len(typed) < len(named) and all(YEAR.fullmatch(cells[index]) for index in typed):
        # "Region,2022,2023,2024": years as names. As values they would not rise from column to column.
        years = [cells[index] for index in typed]
        return years == sorted(set(years)) and len(years) > 1
    body = rows[1:51]
    if not body:
        return False
    alike = sum(1 for index in typed if _mostly_typed([row[index] for row in body if index < len(row)]))
    return alike * 2 < len(typed)


def _mostly_typed(cells: Sequence[str]) -> bool:
    values = [cell.strip() for cell in cells if cell.strip()]
    return sum(TYPED.fullmatch(value) is not None for value in values) * 2 >= len(values) > 0


def names(layout: Layout, found: Found) -> list[str]:
    """Return one name per column: unique without regard to case, none empty. Every change is noted."""
    taken: dict[str, int] = {}
    result = []
    for index in range(layout.width):
        original = layout.header[index] if index < len(layout.header) else ""
        name = " ".join(original.replace("\0", "").split())[:200]
        if not name:
            name = f"column_{index + 1}"
            if layout.header:
                found.note("column_named", column=name, number=index + 1)
        unique, number = name, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{name}_{number}"
        if number > 1:
            found.note("column_renamed", column=unique, original=name, number=index + 1)
        taken[unique.casefold()] = index
        result.append(unique)
    return result
