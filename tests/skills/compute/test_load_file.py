"""Loading files of every kind a person attaches, written by the tests themselves."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from plans.core.errors import BadInputError

Load = Callable[..., Any]
Query = Callable[..., list[tuple[Any, ...]]]


def types(table: Any) -> dict[str, str]:
    return {column["name"]: column["type"] for column in table.meta["columns"]}


def dropped(found: dict[str, Any]) -> dict[str, tuple[int, list[int]]]:
    return {drop["code"]: (drop["count"], drop["lines"]) for drop in found["dropped"]}


def notes(found: dict[str, Any]) -> set[str]:
    return {note["code"] for note in found["notes"]}


def test_a_plain_file_gives_typed_columns_and_an_account_of_the_reading(load: Load, query: Query) -> None:
    table, found = load("day,name,amount,rate,open\n2026-01-05,Ada,3,1.50,true\n2026-01-06,Bo,,2.25,false\n")

    assert table.meta == {
        "columns": [
            {"name": "day", "type": "date"},
            {"name": "name", "type": "text"},
            {"name": "amount", "type": "integer"},
            {"name": "rate", "type": "number"},
            {"name": "open", "type": "boolean"},
        ],
        "row_count": 2,
    }
    assert (found["format"], found["encoding"], found["delimiter"], found["header_row"]) == ("csv", "utf-8", ",", 1)
    assert (found["dropped"], found["rows_dropped"], found["row_count"]) == ([], 0, 2)
    assert found["period"] == {"column": "day", "from": "2026-01-05", "to": "2026-01-06"}
    assert query("SELECT * FROM t", t=table) == [
        ("2026-01-05", "Ada", 3, 1.5, True),
        ("2026-01-06", "Bo", None, 2.25, False),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(delimiter: str, end: str, load: Load, query: Query) -> None:
    rows = [["when", "what", "how many"], ["2026-02-03", "tea", "4"], ["2026-02-04", "a, b; c | d", "5"]]
    text = end.join(delimiter.join(f'"{cell}"' for cell in row) for row in rows) + end

    table, found = load(text)

    assert (found["delimiter"], table.meta["row_count"]) == (delimiter, 2)
    assert query('SELECT what, "how many" FROM t', t=table) == [("tea", 4), ("a, b; c | d", 5)]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Größe €"),
        ("utf-8-sig", "Größe €"),
        ("utf-16", "Größe €"),
        ("utf-16-le", "Größe €"),
        ("utf-16-be", "Größe €"),
        ("cp1252", "Größe €"),
        ("latin-1", "Señor Peña, ¿qué?"),
        ("gb18030", "日期 销售金额 深圳"),
        ("big5", "日期 銷售金額 許功蓋"),
        ("shift_jis", "日付と売上の表です"),
        ("euc_jp", "日付と売上の表です"),
        ("euc_kr", "날짜와 매출 금액은 서울"),
        ("cp1251", "Продажи по месяцам за прошлый год составили"),
        ("cp1250", "Łódź żółw ćma"),
    ],
)
def test_no_encoding_becomes_mojibake(encoding: str, text: str, load: Load, query: Query) -> None:
    content = f"name;value\n{text};1\n{text};2\n".encode(encoding)

    table, _ = load(content)

    assert query("SELECT DISTINCT name FROM t", t=table) == [(text,)]


def test_a_few_damaged_bytes_do_not_change_the_encoding_and_are_counted(load: Load) -> None:
    lines = ["name,n"] + [f"Zoë Müller,{n}" for n in range(30)]
    content = "\n".join(lines).encode() + b"\nbr\xffken,31\n"

    _, found = load(content)

    assert found["encoding"] == "utf-8"
    assert dropped(found)["damaged_characters"] == (1, [32])


def test_nul_bytes_are_taken_out_and_counted(load: Load, query: Query) -> None:
    table, found = load(b"a,b\nx\x00y,1\nz,2\n")

    assert query("SELECT a FROM t", t=table) == [("xy",), ("z",)]
    assert dropped(found)["nul_characters"] == (1, [2])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1.234,56", "7,50"], [1234.56, 7.5]),
        (["1,234.56", "7.50"], [1234.56, 7.5]),
        (["1.234.567", "2.000.000"], [1234567, 2000000]),
        (["1,234,567", "2,000,000"], [1234567, 2000000]),
        (["1 234,56", "1\u00a0000,00"], [1234.56, 1000.0]),
        (["1'234.50", "2'000.00"], [1234.5, 2000.0]),
        (["€ 12.50", "€ 1,000.00"], [12.5, 1000.0]),
        (["12,50 €", "1.000,00 €"], [12.5, 1000.0]),
        (["(1,250.00)", "10.00"], [-1250.0, 10.0]),
        (["-1.5", "+2.5"], [-1.5, 2.5]),
        (["−3,5", "4,25"], [-3.5, 4.25]),
        (["100-", "20"], [-100, 20]),
        (["1.5e3", "2E-2"], [1500.0, 0.02]),
        (["18211.0", "7.0"], [18211, 7]),
        (["0,250", "1,125"], [0.25, 1.125]),
        (["12.5%", "7%"], [12.5, 7.0]),
    ],
)
def test_numbers_as_people_write_them(cells: list[str], expected: list[float], load: Load, query: Query) -> None:
    table, _ = load("what;value\n" + "".join(f"x;{cell}\n" for cell in cells))

    assert query("SELECT value FROM t", t=table) == [(value,) for value in expected]


def test_money_keeps_its_cents(load: Load, query: Query) -> None:
    table, found = load("n,amount\n" + "".join(f"{n},0.1\n" for n in range(1000)))

    assert query("SELECT CAST(sum(amount) AS VARCHAR) FROM t", t=table) == [("100.0",)]
    assert found["columns"][1]["stored_as"] == "DECIMAL(18,1)"


def test_the_decimal_mark_is_decided_by_the_file_where_a_column_cannot(load: Load, query: Query) -> None:
    table, found = load("stück;preis\n1.500;2,75\n2.250;3,10\n")

    assert query("SELECT * FROM t", t=table) == [(1500, 2.75), (2250, 3.1)]
    assert (found["decimal"], "decimal_ambiguous" in notes(found)) == (",", True)


def test_codes_keep_their_zeros_and_long_digits_stay_text(load: Load, query: Query) -> None:
    table, _ = load(
        "zip,card,sku\n01067,6222021234567890123,1001\n80331,6222021234567890124,A17\n10115,6222021234567890125,B2\n"
    )

    assert types(table) == {"zip": "text", "card": "text", "sku": "text"}
    assert query("SELECT zip, card FROM t LIMIT 1", t=table) == [("01067", "6222021234567890123")]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["3/14/2026", "12/1/2026"], ["2026-03-14", "2026-12-01"]),
        (["14/3/2026", "1/12/2026"], ["2026-03-14", "2026-12-01"]),
        (["14.03.2026", "01.12.2026"], ["2026-03-14", "2026-12-01"]),
        (["14.3.26", "1.12.26"], ["2026-03-14", "2026-12-01"]),
        (["2026-03-14", "2026-12-01"], ["2026-03-14", "2026-12-01"]),
        (["2026/3/14", "2026/12/1"], ["2026-03-14", "2026-12-01"]),
        (["2026.03.14.", "2026.12.01."], ["2026-03-14", "2026-12-01"]),
        (["14-Mar-26", "01-Dec-26"], ["2026-03-14", "2026-12-01"]),
        (["14 March 2026", "1 December 2026"], ["2026-03-14", "2026-12-01"]),
        (["March 14, 2026", "Dec 1, 2026"], ["2026-03-14", "2026-12-01"]),
        (["2026年3月14日", "2026年12月1日"], ["2026-03-14", "2026-12-01"]),
        (["2026-03-14T08:15:00Z", "2026-12-01T23:30:00+02:00"], ["2026-03-14T08:15:00", "2026-12-01T21:30:00"]),
        (["3/14/2026 8:15 AM", "12/1/2026 11:30 PM"], ["2026-03-14T08:15:00", "2026-12-01T23:30:00"]),
        (["2026-03", "2026-12"], ["2026-03-01", "2026-12-01"]),
    ],
)
def test_dates_as_people_write_them(cells: list[str], expected: list[str], load: Load, query: Query) -> None:
    table, _ = load("what;day\n" + "".join(f"x;{cell}\n" for cell in cells))

    assert query("SELECT day FROM t", t=table) == [(value,) for value in expected]


def test_the_order_of_day_and_month_is_decided_by_the_whole_column(load: Load, query: Query) -> None:
    rows = [f"{month}/{day}/2026,{day}" for month in (1, 2, 3) for day in (1, 2, 3)] + ["3/25/2026,25"]

    table, found = load("day,n\n" + "\n".join(rows) + "\n")

    assert query("SELECT count(*) FROM t WHERE extract(day FROM day) = n", t=table) == [(10,)]
    assert "date_order_ambiguous" not in notes(found)


def test_dates_that_fit_both_orders_are_read_and_said_to(load: Load) -> None:
    _, found = load("day,n\n01/02/2026,1\n03/04/2026,2\n")

    assert found["notes"] == [
        {"code": "date_order_ambiguous", "column": "day", "columns": ["day"], "order": "month_first"}
    ]


def test_another_column_of_the_file_settles_the_order(load: Load, query: Query) -> None:
    table, _ = load("ordered,shipped\n01/02/2026,25/02/2026\n03/02/2026,26/02/2026\n")

    assert query("SELECT ordered FROM t", t=table) == [("2026-02-01",), ("2026-02-03",)]


def test_junk_in_a_column_of_numbers_becomes_nothing_and_is_reported(load: Load, query: Query) -> None:
    rows = [f"{n},{n}.50" for n in range(1, 20)] + ["20,see below", "21,n/a", "22,"]

    table, found = load("id,amount\n" + "\n".join(rows) + "\n")

    assert types(table)["amount"] == "number"
    assert query("SELECT count(amount) FROM t", t=table) == [(19,)]
    assert found["dropped"] == [
        {
            "code": "not_a_number",
            "count": 1,
            "of": "cells",
            "lines": [21],
            "column": "amount",
            "samples": ["see below"],
        }
    ]


def test_titles_above_and_notes_below_are_no_rows(load: Load, query: Query) -> None:
    text = (
        'Sales report 2026,,\nIn thousand euros,,\n,,\nRegion,Q1,Q2\nNorth,"1,200","1,300"\nSouth,800,750\n'
        'Total,"2,000","2,050"\n,,\nSource: our own books,,\n'
    )

    table, found = load(text)

    assert query("SELECT * FROM t", t=table) == [("North", 1200, 1300), ("South", 800, 750)]
    assert found["header_row"] == 4
    assert dropped(found) == {
        "blank_rows": (2, [3, 8]),
        "above_table": (2, [1, 2]),
        "below_table": (1, [9]),
        "total_row": (1, [7]),
    }


def test_a_last_row_that_only_looks_like_a_total_is_kept(load: Load) -> None:
    table, found = load("Region,Amount\nNorth,100\nTotal Wine,7\n")

    assert table.meta["row_count"] == 2
    assert "maybe_total_row" in notes(found)


def test_a_file_without_header_gets_numbered_columns(load: Load) -> None:
    table, found = load("2026-01-05,12.50,tea\n2026-01-06,3.00,milk\n")

    assert list(types(table)) == ["column_1", "column_2", "column_3"]
    assert (found["header_row"], table.meta["row_count"], notes(found)) == (None, 2, {"no_header"})


def test_years_may_be_column_names(load: Load) -> None:
    table, _ = load("Region,2024,2025,2026\nNorth,1200,1300,1400\nSouth,900,800,700\n")

    assert list(types(table)) == ["Region", "2024", "2025", "2026"]


def test_columns_with_the_same_or_no_name_are_all_kept(load: Load, query: Query) -> None:
    table, found = load("id,Amount,amount,,amount \n1,2,3,4,5\n2,3,4,5,6\n")

    assert list(types(table)) == ["id", "Amount", "amount_2", "column_4", "amount_3"]
    assert query("SELECT * FROM t LIMIT 1", t=table) == [(1, 2, 3, 4, 5)]
    assert [note["code"] for note in found["notes"]] == ["column_renamed", "column_named", "column_renamed"]


def test_short_rows_are_filled_and_long_rows_cut_and_both_are_said(load: Load, query: Query) -> None:
    table, found = load("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12")

    assert query("SELECT * FROM t", t=table) == [(1, 2, 3), (4, 5, None), (6, 7, 8), (10, 11, 12)]
    assert dropped(found) == {"extra_cells": (1, [4])}
    assert found["notes"] == [{"code": "short_rows", "count": 1, "lines": [3]}]


def test_a_file_cut_within_a_quote_says_so(load: Load) -> None:
    table, found = load('id,text\n1,"one"\n2,"two"\n3,"thr')

    assert table.meta["row_count"] == 2
    assert dropped(found) == {"cut_off": (1, [4])}


def test_a_quote_that_never_closes_does_not_swallow_the_table(load: Load, query: Query) -> None:
    lines = ["id,text,n"] + [f"{n},word,{n}" for n in range(1, 40)]
    lines[10] = '10,"broken,10'

    table, found = load("\n".join(lines) + "\n")

    assert query("SELECT count(*), sum(n) FROM t", t=table) == [(39, sum(range(1, 40)))]
    assert {"code": "stray_quote", "line": 11} in found["notes"]


def test_quoted_line_breaks_and_doubled_quotes_stay_in_their_cell(load: Load, query: Query) -> None:
    table, _ = load('id,text\n1,"two\nlines"\n2,"say ""hi"""\n')

    assert query("SELECT text FROM t", t=table) == [("two\nlines",), ('say "hi"',)]


def test_excels_sep_line_is_obeyed_and_not_a_row(load: Load) -> None:
    table, found = load("sep=|\na|b\n1|2\n")

    assert (found["delimiter"], found["header_row"], table.meta["row_count"]) == ("|", 2, 1)


def test_a_header_without_rows_is_an_empty_table(load: Load) -> None:
    table, found = load("date,amount,region\n")

    assert table.meta["row_count"] == 0
    assert list(types(table)) == ["date", "amount", "region"]
    assert notes(found) == {"header_only"}


def test_columns_are_selected_and_renamed(load: Load, query: Query) -> None:
    table, found = load(
        "Order Date;Umsatz (€);x\n03.11.2026;1.234,50;y\n", columns={"day": "order date", "amount": "Umsatz (€)"}
    )

    assert types(table) == {"day": "date", "amount": "number"}
    assert [column["source"] for column in found["columns"]] == ["order date", "Umsatz (€)"]
    assert query("SELECT * FROM t", t=table) == [("2026-11-03", 1234.5)]


def test_a_missing_column_names_the_nearest(load: Load) -> None:
    with pytest.raises(BadInputError) as caught:
        load("date,amount\n2026-01-01,1\n", columns={"a": "amout"})

    assert caught.value.code == "column_missing"
    assert caught.value.params == {"name": "amout", "nearest": "amount", "columns": "date, amount"}


def test_what_is_said_overrides_what_is_detected(load: Load, query: Query) -> None:
    content = "title line\nname;value\nGrün;1,500\n".encode("cp1252")

    table, found = load(content, encoding="cp1252", delimiter=";", decimal=".", header=2)

    assert query("SELECT * FROM t", t=table) == [("Grün", 1500)]
    assert (found["encoding"], found["decimal"], found["header_row"]) == ("cp1252", ".", 2)


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
        (gzip.compress(b"a,b\n1,2\n"), "is_zip"),
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
