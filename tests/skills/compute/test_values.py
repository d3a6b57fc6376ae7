"""What cells mean: encodings, numbers, dates, codes and junk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.skills.compute.reading import dropped, notes, types

Load = Callable[..., Any]
Query = Callable[..., list[tuple[Any, ...]]]


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


def test_a_file_may_call_its_columns_as_we_call_ours(load: Load) -> None:
    rows = [f"{n},{n},{n}" for n in range(40)]
    content = "\n".join(["c1,line,data", *rows, "40,x,40", "y,41,z"]).encode()

    table, found = load(content)

    assert types(table) == {"c1": "integer", "line": "integer", "data": "integer"}
    assert sorted(drop["column"] for drop in found["dropped"]) == ["c1", "data", "line"]
