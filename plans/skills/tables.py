"""Read rows of a table blob for expressions and pages, in a child process like every other parsing."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from plans.core.jsontypes import JsonObject
from plans.skills.computing import call

SECONDS = 30.0


def load_rows(path: Path, limit: int) -> list[JsonObject]:
    """Return the first `limit` rows as JSON-safe dicts: dates as ISO text, decimals as numbers, never NaN."""
    with tempfile.TemporaryDirectory(prefix="rows-") as folder:
        done = call(
            "rows",
            {"limit": limit},
            {"table": path},
            seconds=SECONDS,
            cancelled=lambda: False,
            artifacts_dir=Path(folder),
        )
        loaded: list[JsonObject] = json.loads(done.files["rows.json"].read_bytes())
        return loaded
