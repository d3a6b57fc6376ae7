"""Where the table lies in a file: delimiter, header, titles, broken rows, columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from plans.core.errors import BadInputError
from tests.skills.compute.reading import dropped, notes, types

Load = Callable[..., Any]
Query = Callable[..., list[tuple[Any, ...]]]


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
