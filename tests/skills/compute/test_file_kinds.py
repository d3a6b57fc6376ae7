"""Files that are no tables, access logs and plain text."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from plans.core.errors import BadInputError
from tests.skills.compute.reading import dropped

Load = Callable[..., Any]
Query = Callable[..., list[tuple[Any, ...]]]


XLSX_HEAD = b"PK\x03\x04\x14\x00\x00\x00\x08\x00[Content_Types].xml xl/workbook.xml" + b"\x00" * 64


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file_empty"),
        (b"\n \n\r\n", "file_empty"),
        (b"\xef\xbb\xbf", "file_empty"),
        (b"<!DOCTYPE html><html><body>Please log in</body></html>", "not_a_table"),
        (b"\n<html>\n<body>", "not_a_table"),
        (b"%PDF-1.7\n%\xe2\xe3", "not_a_table"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "not_a_table"),
        (bytes(range(256)) * 40, "not_a_table"),
        (XLSX_HEAD, "is_excel"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 512, "is_excel"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00notes.txt" + b"\x00" * 64, "is_zip"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "is_zip"),
        (b'[{"a": 1}, {"a": 2}]', "is_json"),
        (b'{"time": 1, "status": 200}\n{"time": 2}\n', "is_json"),
    ],
)
def test_what_is_no_table_is_refused_by_name(content: bytes, code: str, load: Load) -> None:
    with pytest.raises(BadInputError) as caught:
        load(content)

    assert caught.value.code == code


LOG = """\
203.0.113.1 - - [01/Nov/2026:00:00:01 +0100] "GET /a?x=1 HTTP/1.1" 200 10 "-" "Mozilla/5.0 (X11)"
203.0.113.2 - ann [01/Nov/2026:00:00:02 +0100] "GET /b HTTP/1.1" 304 - "https://example.org/" "curl/8"
nonsense

203.0.113.3 - - [01/Nov/2026:00:00:03 +0100] "\\x16\\x03\\x01" 400 0 "-" "-"
203.0.113.4 - - [31/Nov/2026:25:00:00 +0100] "POST /c HTTP/1.1" 302 5 "-" "x"
203.0.113.5 - - [01/Nov/2026:00:00:05 +0100] "GET /static/site.css?v=2 HTTP/1.1" 200 99
"""


def test_an_access_log_gives_one_row_for_each_request(load: Load, query: Query) -> None:
    table, found = load(LOG, "access.log")

    assert found["format"] == "access_log"
    assert query("SELECT * FROM t", t=table) == [
        ("2026-10-31T23:00:01", "203.0.113.1", "GET", "/a", "x=1", 200, 10, None, "Mozilla/5.0 (X11)", False),
        ("2026-10-31T23:00:02", "203.0.113.2", "GET", "/b", None, 304, None, "https://example.org/", "curl/8", False),
        (None, "203.0.113.4", "POST", "/c", None, 302, 5, None, "x", False),
        ("2026-10-31T23:00:05", "203.0.113.5", "GET", "/static/site.css", "v=2", 200, 99, None, None, True),
    ]
    assert dropped(found) == {
        "not_a_log_line": (1, [3]),
        "blank_rows": (1, [4]),
        "not_a_request": (1, [5]),
        "impossible_time": (1, [6]),
    }
    assert (found["rows_dropped"], found["period"]) == (
        3,
        {"column": "time", "from": "2026-10-31T23:00:01", "to": "2026-10-31T23:00:05"},
    )


def test_a_log_under_another_name_is_still_a_log(load: Load) -> None:
    assert load(LOG, "export.csv")[1]["format"] == "access_log"


def test_a_file_without_a_request_is_no_access_log(load: Load) -> None:
    with pytest.raises(BadInputError) as caught:
        load("day,n\n2026-01-01,1\n", format="access_log")

    assert caught.value.code == "no_log_lines"


def test_prose_becomes_lines(load: Load, query: Query) -> None:
    table, found = load("First, a line.\n\nThen, another; with marks.\n", "notes.txt")

    assert found["format"] == "text"
    assert query("SELECT * FROM t", t=table) == [(1, "First, a line."), (3, "Then, another; with marks.")]
