"""Read a web server's access log (combined or common format, with or without virtual host) into table `data`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import duckdb

from plans.core.errors import BadInputError
from plans.skills.compute.database import literal
from plans.skills.compute.found import Found

# Apache mod_log_config "combined"; nginx writes the same. A quote inside a field is \" in both; old servers left it bare.
LINE = re.compile(
    r"(?:\S+ )?(?P<host>\S+) \S+ (?P<user>\S.*?) \[(?P<time>[^\]]{10,40})\] "
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) (?P<size>\d+|-)'
    r'(?: "(?P<referer>.*?)" "(?P<agent>.*?)")?(?: .*)?'
)
REQUEST = re.compile(r"(?P<method>[A-Za-z]{3,20}) (?P<target>\S.*?)(?: +HTTP/\d(?:\.\d)?)?")
TIME = re.compile(r"(\d{1,2})/([A-Za-z]{3})/(\d{4}):(\d{2}):(\d{2}):(\d{2})(?: ([+-])(\d{2})(\d{2}))?")
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(MONTH_NAMES, 1)}
STATIC = re.compile(
    r".*\.(?:css|js|mjs|map|png|jpe?g|gif|svgz?|ico|webp|avif|bmp|tiff?|woff2?|ttf|eot|otf|mp[34]|m4[av]|webm|og[gv]|wav|flv|swf|cur)"
    r"|/robots\.txt",
    re.IGNORECASE,
)
COLUMNS = {
    "time": "TIMESTAMP",
    "host": "VARCHAR",
    "method": "VARCHAR",
    "path": "VARCHAR",
    "query": "VARCHAR",
    "status": "INTEGER",
    "size": "BIGINT",
    "referer": "VARCHAR",
    "agent": "VARCHAR",
    "is_static": "BOOLEAN",
}


def share(lines: Sequence[str]) -> float:
    """Return which part of the first lines are log lines."""
    sample = [line for line in lines[:400] if line.strip()]
    return sum(LINE.fullmatch(line.rstrip("\r\n")) is not None for line in sample) / len(sample) if sample else 0.0


def read(connection: duckdb.DuckDBPyConnection, lines: Sequence[str], work: Path, found: Found) -> None:
    """Make table `data`. Raises BadInputError("no_log_lines") when not one line is a request."""
    path = work / "log.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(_rows(lines, found))
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in COLUMNS.items())
    connection.execute(
        f"CREATE OR REPLACE TABLE data AS SELECT * FROM read_csv({literal(str(path))}, auto_detect=false, header=false, "
        f"delim=',', quote='\"', escape='\"', new_line='\\r\\n', parallel=false, max_line_size={16 * 1024 * 1024}, "
        f"columns={{'\\line': 'BIGINT', {columns}}})"
    )
    path.unlink()
    row = connection.execute("SELECT count(*), count(time) FROM data").fetchone()
    if not row or not row[0]:
        raise BadInputError("no_log_lines")
    if row[1]:
        found.note("times_in_utc", column="time")


def _rows(lines: Sequence[str], found: Found) -> Iterator[list[str | int | bool]]:
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        match = LINE.fullmatch(text)
        if match is None:
            found.drop("not_a_log_line" if text.strip() else "blank_rows", number)
            continue
        request = REQUEST.fullmatch(match["request"].strip())
        if request is None:
            found.drop("not_a_request", number)
            continue
        path, query = _split(request["target"])
        moment = _moment(match["time"])
        if not moment:
            found.drop("impossible_time", number, of="cells")
        size = "" if match["size"] == "-" else match["size"]
        referer, agent = ("" if value in (None, "-") else value for value in (match["referer"], match["agent"]))
        static = "true" if STATIC.fullmatch(path) else "false"
        yield [
            number,
            moment,
            match["host"],
            request["method"].upper(),
            path,
            query,
            match["status"],
            size,
            referer,
            agent,
            static,
        ]


def _split(target: str) -> tuple[str, str]:
    """Return path and query; a proxy's absolute target gives its path."""
    if target.lower().startswith(("http://", "https://")):
        _, _, rest = target.partition("://")
        _, slash, path = rest.partition("/")
        target = slash + path or "/"
    path, _, query = target.partition("#")[0].partition("?")
    return path, query


def _moment(text: str) -> str:
    """Return the time in UTC as ISO text, empty when there is no such moment."""
    match = TIME.fullmatch(text)
    if match is None:
        return ""
    day, month, year, hour, minute, second, sign, zone_hours, zone_minutes = match.groups()
    offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0)) * (-1 if sign == "-" else 1)
    try:
        zone = timezone(offset)
        local = datetime(
            int(year), MONTHS.get(month.lower(), 0), int(day), int(hour), int(minute), int(second), tzinfo=zone
        )
    except ValueError:
        return ""
    return local.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
