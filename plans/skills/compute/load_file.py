"""Program of skill `load_file`: a file in, a Parquet table and an account of the reading out."""

from __future__ import annotations

from pathlib import Path

from plans.core.jsontypes import JsonObject
from plans.skills.compute import database, reading
from plans.skills.compute.program import scratch, serve


def load(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Write `table.parquet`; return its meta and what was found."""
    work = scratch()
    connection = database.connect(work)
    wanted = params.get("columns")
    done = reading.read(connection, in_dir / "file", dict(params["options"]), work)
    meta = database.write_parquet(connection, reading.selection(connection, wanted), out_dir / "table.parquet")
    facts = done.found
    facts.facts["format"] = done.kind
    facts.facts["period"] = reading.period(connection)
    facts.facts["row_count"] = meta["row_count"]
    facts.facts["columns"] = _columns(done, meta, wanted)
    return {"meta": meta, "found": facts.as_json()}


def _columns(done: reading.Reading, meta: JsonObject, wanted: dict[str, str] | None) -> list[JsonObject]:
    details = {plan.name.casefold(): plan.details for plan in done.plans}
    result = []
    for column in meta["columns"]:
        source = wanted[column["name"]] if wanted else column["name"]
        result.append({**column, "source": source, **details.get(source.casefold(), {})})
    return result


def main() -> None:
    """Entry point in the sandbox."""
    serve(load)
