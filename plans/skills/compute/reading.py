"""Open a file of any supported kind and make table `data` of it: the common part of loading and profiling."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import duckdb

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject
from plans.skills.compute import accesslog, csvtable, dialect, encoding, filekind, plaintext
from plans.skills.compute.columns import Plan
from plans.skills.compute.database import identifier, plain_type
from plans.skills.compute.found import Found

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv", ".ssv"})
LINE_COLUMN = "\\line"
HEAD_BYTES = 1024 * 1024
TABLE_SCORE = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Table `data` is in the connection; `plans` only for delimited files."""

    kind: str
    found: Found
    plans: tuple[Plan, ...] = ()
    partial: bool = False


def read(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    options: JsonObject,
    work: Path,
    *,
    limit_bytes: int | None = None,
) -> Reading:
    """Read the file. Raises BadInputError saying what is wrong with it; `limit_bytes` reads only whole first lines."""
    data, partial = _bytes(path, limit_bytes)
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise BadInputError("file_empty")
    wanted = options.get("format") or "auto"
    filekind.refuse_other_kinds(data[:HEAD_BYTES], json_is_text=wanted in ("text", "access_log"))
    found = Found()
    lines = _lines(data, options, found, partial)
    kind = wanted if wanted != "auto" else _kind(lines, options)
    plans: list[Plan] = []
    if kind == "access_log":
        accesslog.read(connection, lines, work, found)
    elif kind == "text":
        plaintext.read(connection, lines, work, found)
    else:
        plans = csvtable.read(connection, lines, options, work, found)
    return Reading(kind=kind, found=found, plans=tuple(plans), partial=partial)


def _bytes(path: Path, limit_bytes: int | None) -> tuple[bytes, bool]:
    size = path.stat().st_size
    with path.open("rb") as file:
        data = file.read() if limit_bytes is None else file.read(limit_bytes)
    if len(data) == size:
        return data, False
    # Cut after a line end: the rest of a line would look like damage.
    end = max(data.rfind(b"\n"), data.rfind(b"\r"))
    return (data[: end + 1] if end > 0 else data), True


def _lines(data: bytes, options: JsonObject, found: Found, partial: bool) -> list[str]:
    name = options.get("encoding") or encoding.detect(data)
    filekind.refuse_binary(data, name)
    try:
        text = data.decode(name, "replace")
    except LookupError:
        raise BadInputError("unknown_encoding", encoding=name) from None
    found.facts["encoding"] = name
    text = text.removeprefix("\ufeff")
    lines = split_lines(text.replace("\0", ""))
    if partial and name.startswith("utf-16"):
        lines = lines[:-1]
    # A file may rightly hold U+FFFD; what decoding put in is on top of that.
    own = data.count("\ufffd".encode()) if name.startswith("utf-8") else 0
    if (damaged := text.count("\ufffd") - own) > 0:
        places = [at for at, line in enumerate(lines, 1) if "\ufffd" in line]
        found.drop_many("damaged_characters", damaged, places, of="characters")
    if nuls := text.count("\0"):
        places = [at for at, line in enumerate(split_lines(text), 1) if "\0" in line]
        found.drop_many("nul_characters", nuls, places, of="characters")
    return lines


def split_lines(text: str) -> list[str]:
    """Split at LF, CR and CRLF only, ends kept as LF: `str.splitlines` also splits at form feeds and the like."""
    parts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _kind(lines: list[str], options: JsonObject) -> str:
    suffix = options.get("suffix", "")
    logged = accesslog.share(lines)
    if logged >= 0.5 or (logged >= 0.1 and suffix == ".log"):
        return "access_log"
    if suffix in TABLE_SUFFIXES or options.get("delimiter"):
        return "csv"
    if suffix == ".log":
        return "text"
    return "csv" if dialect.find(lines, suffix, None)[1] >= TABLE_SCORE else "text"


def table_columns(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return (name, plain type) of `data` without the line number."""
    described = connection.execute("DESCRIBE data").fetchall()
    return [(row[0], plain_type(row[1])) for row in described if row[0] != LINE_COLUMN]


def period(connection: duckdb.DuckDBPyConnection) -> JsonObject | None:
    """Return the span of the first column of dates that holds any: {column, from, to}."""
    for name, kind in table_columns(connection):
        if kind in ("date", "datetime"):
            quoted = identifier(name)
            row = connection.execute(f"SELECT min({quoted}), max({quoted}) FROM data").fetchone()
            if row and row[0] is not None:
                return {"column": name, "from": row[0].isoformat(), "to": row[1].isoformat()}
    return None


def selection(connection: duckdb.DuckDBPyConnection, wanted: dict[str, str] | None) -> str:
    """Return the query that gives the table its final columns: all, or the `wanted` ones under their new names."""
    existing = [name for name, _ in table_columns(connection)]
    pairs = (
        [(name, name) for name in existing]
        if wanted is None
        else [(new, _nearest_column(source, existing)) for new, source in wanted.items()]
    )
    items = ", ".join(f"{identifier(source)} AS {identifier(new)}" for new, source in pairs)
    return f"(SELECT {items} FROM data)"


def _nearest_column(source: str, existing: list[str]) -> str:
    """Return the column meant. Raises BadInputError("column_missing") with what there is."""
    if source in existing:
        return source
    folded = [name for name in existing if name.casefold() == " ".join(source.split()).casefold()]
    if len(folded) == 1:
        return folded[0]
    near = difflib.get_close_matches(source, existing, n=1, cutoff=0.6)
    raise BadInputError(
        "column_missing", name=source, nearest=near[0] if near else "", columns=", ".join(existing[:30])
    )
