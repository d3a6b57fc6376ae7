"""Program behind `plans.skills.tables.load_rows`: the first rows of a Parquet table as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from plans.core.jsontypes import JsonObject
from plans.skills.compute import database
from plans.skills.compute.program import scratch, serve


def rows(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Write `rows.json`; it may be larger than a result is allowed to be."""
    connection = database.connect(scratch(), threads=1)
    source = f"read_parquet({database.literal(str(in_dir / 'table'))})"
    result = connection.execute(f"SELECT * FROM {source} LIMIT {int(params['limit'])}")
    names = [entry[0] for entry in result.description]
    listed = [dict(zip(names, map(database.json_safe, row), strict=True)) for row in result.fetchall()]
    (out_dir / "rows.json").write_text(json.dumps(listed, allow_nan=False), encoding="utf-8")
    return {"count": len(listed)}


def main() -> None:
    """Entry point in the sandbox."""
    serve(rows)
