"""Cut decoded lines into records with the csv module, and survive quotes that never close."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plans.skills.compute.found import Found

# A line of our own after the last one: if it ends up inside a cell, a quote was left open.
SENTINEL = "\x02end of file\x03"
MAX_RECOVERIES = 50
csv.field_size_limit(2**30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How cells are told apart. `escape` is a backslash in files whose quotes are escaped by one."""

    delimiter: str
    quoted: bool = True
    escape: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Cells and the 1-based number of the line they start on."""

    line: int
    cells: list[str]


def records(lines: Sequence[str], dialect: Dialect, found: Found | None = None) -> Iterator[Record]:
    """Yield the records that hold anything. A record that swallows the rest of the file is mended or said to be cut."""
    start, recoveries = 0, 0
    typical = _typical_count(lines, dialect.delimiter)
    quoted = dialect.quoted
    while start < len(lines):
        reader = _reader(_with_sentinel(lines, start), dialect, quoted=quoted)
        before = 0
        for cells in reader:
            line, before = start + before + 1, reader.line_num
            if start + reader.line_num > len(lines):
                break
            yield Record(line, cells)
        else:
            return
        if cells == [SENTINEL]:
            return
        # The record from `line` on has an open quote.
        if not _goes_on_like_a_table(lines[line : line + 20], dialect.delimiter, typical):
            if found is not None:
                found.drop("cut_off", line)
            return
        if found is not None:
            found.note("stray_quote", line=line)
        yield Record(line, next(_reader(iter([lines[line - 1]]), dialect, quoted=False)))
        start, recoveries = line, recoveries + 1
        quoted = quoted and recoveries < MAX_RECOVERIES


def _with_sentinel(lines: Sequence[str], start: int) -> Iterator[str]:
    for index in range(start, len(lines)):
        yield lines[index]
    yield SENTINEL


def _reader(lines: Iterator[str], dialect: Dialect, *, quoted: bool) -> csv._reader:  # type: ignore[name-defined]
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar='"',
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        doublequote=dialect.escape is None,
        escapechar=dialect.escape,
        skipinitialspace=True,
    )


def _typical_count(lines: Sequence[str], delimiter: str) -> int:
    counts = Counter(line.count(delimiter) for line in lines[:2000])
    return counts.most_common(1)[0][0] if counts else 0


def _goes_on_like_a_table(following: Sequence[str], delimiter: str, typical: int) -> bool:
    alike = sum(line.count(delimiter) >= typical for line in following)
    return typical > 0 and len(following) > 0 and alike * 2 > len(following)
