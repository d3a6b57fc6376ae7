"""Find the delimiter: the one under which most rows are equally wide and most cells look like values (CleverCSV's idea).

G. van den Burg, A. Nazábal, C. Sutton, "Wrangling messy CSV files by detecting row and type patterns", 2019.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from plans.skills.compute.csvlines import Dialect, Record, records

DELIMITERS = (",", ";", "\t", "|")
BY_SUFFIX = {".tsv": "\t", ".tab": "\t", ".psv": "|", ".ssv": ";"}
SAMPLE_RECORDS = 500
SAMPLE_LINES = 3000
SEP_LINE = re.compile(r'"?sep=(.)"?\s*$', re.IGNORECASE)
VALUE = re.compile(
    r"\s*(?:|[-+(]?\s*[^\w\s]?\s*\d[\d.,' \u00a0]*\s*[%)€$£]?|\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}[.日]?([ T]\d.*)?"
    r"|[\w.+-]+@[\w.-]+|https?://\S+|true|false|n/?a|null|none|-|[^,;|\t]{1,40})\s*",
    re.IGNORECASE,
)


def find(lines: Sequence[str], suffix: str, delimiter: str | None) -> tuple[Dialect, float]:
    """Return the best dialect and its score between 0 and 1; 0 means that no delimiter makes a table."""
    escapes: tuple[str | None, ...] = (None, "\\") if any('\\"' in line for line in lines[:SAMPLE_LINES]) else (None,)
    wanted = (delimiter,) if delimiter else DELIMITERS
    scored = []
    for number, (mark, escape) in enumerate(itertools.product(wanted, escapes)):
        dialect = Dialect(delimiter=mark, escape=escape)
        score = _score(list(itertools.islice(records(lines[:SAMPLE_LINES], dialect), SAMPLE_RECORDS)))
        if BY_SUFFIX.get(suffix) == mark:
            score *= 1.2
        # Earlier candidates win ties.
        scored.append((score, -number, dialect))
    score, _, best = max(scored, key=lambda entry: entry[:2])
    return best, min(score, 1.0)


def sep_line(line: str) -> str | None:
    """Return the delimiter that Excel's first line `sep=;` names."""
    match = SEP_LINE.match(line.lstrip("\ufeff"))
    return match.group(1) if match else None


def _score(sample: list[Record]) -> float:
    rows = [record.cells for record in sample if any(cell.strip() for cell in record.cells)]
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0.0
    width, count = max(widths.items(), key=lambda item: (item[1] * (item[0] - 1) / item[0], item[0]))
    coverage = count / len(rows)
    if coverage < 0.5 and not (width >= 3 and _is_one_block([len(row) == width for row in rows])):
        return 0.0
    cells = [cell for row in rows if len(row) == width for cell in row]
    values = sum(VALUE.fullmatch(cell[:200]) is not None for cell in cells) / len(cells)
    return coverage * (width - 1) / width * (0.5 + 0.5 * values)


def _is_one_block(flags: list[bool]) -> bool:
    """A table under a preamble: rows of the right width stand together."""
    inside = flags[flags.index(True) : len(flags) - flags[::-1].index(True)]
    return sum(inside) >= 3 and sum(inside) >= 0.7 * len(inside)
