"""Files nobody of us wrote, against the right answers that came with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from plans.core.errors import BadInputError

Load = Callable[..., Any]
Query = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def data(corpora: Path) -> Path:
    return corpora / "data"


@pytest.fixture
def answers(data: Path) -> dict[str, Any]:
    manifest = json.loads((data / "manifest.json").read_text())
    return {file["name"]: file for file in manifest["files"]}


def by_key(rows: list[tuple[Any, ...]]) -> dict[str, Decimal]:
    return {key: Decimal(value) for key, value in rows}


def exact(wanted: dict[str, Any]) -> dict[str, Decimal]:
    return {key: Decimal(str(value)) for key, value in wanted.items()}


def test_busiest_pages_of_the_access_log(data: Path, answers: dict[str, Any], load: Load, query: Query) -> None:
    wanted = answers["logs/apache_access_combined.log"]["right_answers"]
    pages = next(value for key, value in wanted.items() if key.startswith("C."))

    table, found = load(data / "logs/apache_access_combined.log")
    rows = query(
        "SELECT path, count(*) FROM log WHERE method = 'GET' AND status < 400 AND NOT is_static "
        "GROUP BY path ORDER BY count(*) DESC LIMIT 8",
        log=table,
    )

    assert rows == [tuple(page) for page in pages]
    assert (found["row_count"], found["rows_dropped"]) == (wanted["lines"], 0)
    assert query("SELECT sum(size), count(DISTINCT host) FROM log", log=table) == [
        (int(wanted["bytes sum"]), wanted["distinct clients"])
    ]


def test_sales_by_month_agree_to_the_fourth_decimal(
    data: Path, answers: dict[str, Any], load: Load, query: Query
) -> None:
    wanted = answers["sales/superstore_last_year.csv"]["right_answers"]

    table, _ = load(data / "sales/superstore_last_year.csv")
    months = """SELECT strftime("Order Date", '%Y-%m'), CAST(sum(Sales) AS VARCHAR) FROM s GROUP BY 1"""
    total = "SELECT CAST(sum(Sales) AS VARCHAR), CAST(sum(Profit) AS VARCHAR) FROM s"

    assert by_key(query(months, s=table)) == exact(wanted["sales by month"])
    assert query(total, s=table) == [(wanted["total"], wanted["total profit"])]


def test_european_sales_agree_to_the_cent(data: Path, answers: dict[str, Any], load: Load, query: Query) -> None:
    wanted = answers["sales/superstore_q4_european.csv"]["right_answers"]["Umsatz by month (sum of 2-decimals values)"]

    table, found = load(
        data / "sales/superstore_q4_european.csv", columns={"day": "Bestelldatum", "sales": "Umsatz (€)"}
    )

    assert (found["encoding"], found["delimiter"], found["decimal"]) == ("cp1252", ";", ",")
    assert by_key(
        query("SELECT strftime(day, '%Y-%m'), CAST(sum(sales) AS VARCHAR) FROM s GROUP BY 1", s=table)
    ) == exact(wanted)


@pytest.mark.parametrize("day", ["14", "15", "16", "17"])
def test_a_week_of_daily_files(day: str, data: Path, answers: dict[str, Any], load: Load, query: Query) -> None:
    name = f"sales/online_retail_week/2011-11-{day}.csv"
    wanted = answers[name]["right_answers"]

    table, _ = load(data / name)

    assert query(
        "SELECT CAST(sum(Quantity * UnitPrice) AS VARCHAR), count(*) FILTER (Quantity < 0), "
        "count(*) FILTER (CustomerID IS NULL), count(*) FROM t",
        t=table,
    ) == [
        (
            wanted["sum Quantity*UnitPrice"],
            wanted["negative quantity rows"],
            wanted["rows without CustomerID"],
            wanted["rows"],
        )
    ]


@pytest.mark.parametrize(
    ("name", "query_text", "expected"),
    [
        ("edge/semicolon_named_csv.csv", "SELECT CAST(sum(betrag) AS VARCHAR) FROM t", "3500.50"),
        ("edge/bom_utf16_semicolon.csv", "SELECT CAST(sum(summe) AS VARCHAR) FROM t", "20.00"),
        ("edge/rows_100k.csv", "SELECT sum(amount) FROM t", 49937703),
        ("edge/big5_sales.csv", 'SELECT sum("金額") FROM t WHERE month("日期") = 1', 2000),
        ("edge/ragged_no_newline_at_end.csv", "SELECT count(*) FROM t", 4),
        ("edge/header_only.csv", "SELECT count(*) FROM t", 0),
        ("edge/duplicate_columns.csv", 'SELECT sum(id + amount + amount_2 + "Amount_3" + amount_4) FROM t', 207),
        (
            "edge/formula_cells.csv",
            "SELECT sum(amount) FROM t WHERE name LIKE '=%' OR note LIKE '@%' OR name = '-5'",
            100,
        ),
        ("edge/script_in_cells.csv", "SELECT sum(amount) FROM t", 12),
        ("edge/mixed_dates.csv", 'SELECT sum(amount) FROM t WHERE "when" IS NOT NULL', 511),
        ("edge/access_log_mixed.log", "SELECT count(*) FROM t", 5),
        ("edge/access_log_mixed.log", "SELECT count(*) FROM t WHERE path = '/a'", 2),
        ("messy/csvkit_FY09_EDU_Recipients_by_State.csv", "SELECT sum(TOTAL) FROM t", 506914),
        ("messy/csvkit_FY09_EDU_Recipients_by_State.csv", "SELECT count(*) FROM t WHERE Code LIKE '0%'", 7),
        ("messy/messytables_excel_pasting.csv", 'SELECT sum("2007") FROM t', 108610),
        ("messy/messytables_characters.csv", 'SELECT count("景點中文名稱") FROM t', 382),
        ("messy/spectrum_comma_in_quotes.csv", "SELECT zip FROM t", "08123"),
        ("messy/csvkit_mac_newlines.csv", "SELECT count(*) FROM t", 2),
        ("feedback/airline_tweets_week.csv", "SELECT count(*) FROM t WHERE sentiment = 'negative'", 3444),
        (
            "feedback/alexa_reviews.tsv",
            "SELECT CAST(min(date) AS VARCHAR) FROM t WHERE feedback IS NOT NULL",
            "2018-05-16",
        ),
        ("feedback/waimai_reviews_zh.csv", "SELECT count(*) FROM t WHERE label = 0", 1968),
        ("feedback/complaints_zh.txt", "SELECT count(*) FROM t", 1500),
        ("finance/dim_account.csv", "SELECT count(*) FROM t", 99),
    ],
)
def test_counts_and_sums(name: str, query_text: str, expected: Any, data: Path, load: Load, query: Query) -> None:
    table, _ = load(data / name)

    assert query(query_text, t=table) == [(expected,)]


def test_a_statement_with_a_long_preamble(data: Path, answers: dict[str, Any], load: Load, query: Query) -> None:
    name = "finance/bank/alipay_example-alipay-records.csv"
    wanted = answers[name]["right_answers"]

    table, found = load(data / name)

    assert (found["encoding"], found["header_row"], found["row_count"]) == (
        "gb18030",
        wanted["header_line_1_based"],
        wanted["rows"],
    )
    sums = query('SELECT "收/支", CAST(sum("金额") AS VARCHAR) FROM t GROUP BY 1', t=table)
    assert by_key(sums) == exact(wanted["sum_by_direction"])


def test_a_ledger_by_month(data: Path, answers: dict[str, Any], load: Load, query: Query) -> None:
    facts, _ = load(data / "finance/fact_finance_2012_actual.psv")
    accounts, _ = load(data / "finance/dim_account.csv")
    wanted = answers["finance/fact_finance_2012_actual.psv"]["right_answers"]["amount by month and AccountType"]

    rows = query(
        "SELECT strftime(DateKey, '%Y-%m'), printf('%.2f', sum(Amount)) FROM facts JOIN accounts USING (AccountKey) "
        "WHERE AccountType = 'Revenue' GROUP BY 1",
        facts=facts,
        accounts=accounts,
    )

    assert dict(rows) == {month: values["Revenue"] for month, values in wanted.items()}


def test_every_text_is_decoded_and_split_as_the_manifest_says(data: Path, answers: dict[str, Any], load: Load) -> None:
    different = {}
    for name, file in answers.items():
        facts = file.get("facts") or {}
        truth = facts.get("decodes_as") if name.endswith((".csv", ".CSV", ".tsv", ".psv", ".ssv")) else None
        delimiter = facts.get("delimiter") if facts.get("csv_records", 0) >= 2 else None
        if file["size"] < 3 or (truth is None and delimiter is None):
            continue
        try:
            _, found = load(data / name)
        except BadInputError:
            continue
        content = (data / name).read_bytes()
        if truth is not None and content.decode(found["encoding"]) != content.decode(truth):
            different[name] = (found["encoding"], truth)
        if delimiter is not None and found["delimiter"] != {"tab": "\t"}.get(delimiter, delimiter):
            different[name] = (found["delimiter"], delimiter)

    assert different == {}


def test_what_cannot_be_a_table_is_refused_by_name(data: Path, load: Load) -> None:
    expected = {
        "edge/zero_bytes.csv": "file_empty",
        "edge/looks_like_csv_is_html.csv": "not_a_table",
        "edge/xlsx_named.csv": "is_excel",
        "edge/truncated.xlsx": "is_excel",
        "edge/truncated.json": "is_json",
        "messy/messytables_encrypted_no_password.xls": "is_excel",
        "messy/csvkit_empty.csv": "file_empty",
        "logs/nginx_plus_status.jsonl": "is_json",
    }

    codes = {}
    for name in expected:
        with pytest.raises(BadInputError) as caught:
            load(data / name)
        codes[name] = caught.value.code

    assert codes == expected
