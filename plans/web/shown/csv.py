"""A table artifact as CSV text that a spreadsheet opens safely."""

from __future__ import annotations

import csv
import io
import re

from plans import storage
from plans.core.jsontypes import Json
from plans.models import Artifact
from plans.skills.tables import load_rows
from plans.web.shown.previews import CSV_ROWS

# What a spreadsheet would run as a formula when the file is opened.
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*%?")


def as_csv(artifact: Artifact) -> str:
    """Return up to CSV_ROWS rows of a table with a byte order mark, so that spreadsheets read it as UTF-8.

    Raises SkillError when the table cannot be read.
    """
    rows = load_rows(storage.local_path(artifact.blob_id), CSV_ROWS)
    described = [str(column["name"]) for column in artifact.meta.get("columns", [])]
    columns = described or (list(rows[0]) if rows else [])
    text = io.StringIO()
    text.write("\ufeff")
    writer = csv.writer(text)
    writer.writerow([safe(column) for column in columns])
    writer.writerows([safe(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def safe(value: Json) -> Json:
    """Return a cell that stays text: what begins like a formula gets an apostrophe, unless it is a number."""
    if isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value):
        return f"'{value}"
    return "" if value is None else value
