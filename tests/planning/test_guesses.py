"""What is guessed from a goal and a file: columns, periods, numbers, choices."""

from __future__ import annotations

from datetime import date

import pytest

from plans.planning import playbooks
from plans.planning.dates_said import guess_period
from plans.planning.periods import Span
from tests.planning.profiles import CHINESE, EUROPEAN, PEOPLE, SALES, access_log, column, table

YEAR_2019 = Span(start=date(2019, 1, 1), end=date(2019, 12, 30))
MAY_2015 = Span(start=date(2015, 5, 17), end=date(2015, 5, 20))


def guessed(name: str, goal: str, profiles: dict) -> dict:
    return {field.name: field.value for field in playbooks.fields(playbooks.get(name), goal, profiles)}


@pytest.mark.parametrize(
    ("profile", "when", "amount"),
    [
        (SALES, "Order Date", "Sales"),
        (EUROPEAN, "Bestelldatum", "Umsatz (€)"),
        (CHINESE, "下单日期", "销售额"),
        (
            table(column("fecha", "date"), column("cantidad", "integer"), column("importe", "number")),
            "fecha",
            "importe",
        ),
        (
            table(column("InvoiceDate", "datetime"), column("UnitPrice", "number"), column("Amount", "number")),
            "InvoiceDate",
            "Amount",
        ),
        (
            table(column("wann", "date"), column("kundennr", "integer", distinct=100), column("wieviel", "number")),
            "wann",
            "wieviel",
        ),
        (
            table(
                column("Delivered", "date"),
                column("Sold at", "date"),
                column("Price", "number"),
                column("Total", "number"),
            ),
            "Sold at",
            "Total",
        ),
        (
            table(column("date", "date"), column("tax_amount", "number"), column("total_amount", "number")),
            "date",
            "total_amount",
        ),
    ],
)
def test_date_and_amount_are_found_in_many_languages(profile, when, amount):
    found = guessed("sales_by_month", "sales by month", {"f.csv": profile})
    assert (found["date_column"], found["amount_column"]) == (when, amount)


def test_a_column_the_goal_names_beats_the_usual_one():
    found = guessed("sales_by_month", "monthly profit by region", {"f.csv": SALES})
    assert (found["amount_column"], found["group_column"]) == ("Profit", "Region")


def test_an_optional_column_is_left_out_unless_named():
    assert guessed("sales_by_month", "sales by month", {"f.csv": SALES})["group_column"] is None


def test_candidates_are_ranked_and_of_a_fitting_type():
    form = {
        field.name: field
        for field in playbooks.fields(playbooks.get("sales_by_month"), "sales by month", {"f.csv": SALES})
    }
    assert [value for value, _ in form["date_column"].choices] == ["Order Date", "Ship Date"]
    assert form["amount_column"].choices[0] == ("Sales", "Sales")
    assert form["amount_column"].guess.reason.startswith("The goal names this column.")


def test_the_form_follows_a_column_that_was_changed():
    given = {"date_column": "Ship Date"}
    form = {
        f.name: f for f in playbooks.fields(playbooks.get("sales_by_month"), "sales by month", {"f.csv": SALES}, given)
    }
    assert form["date_column"].value == "Ship Date"
    assert ("2020-01", "2020-01") in form["period"].choices


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        ("sales by month", "all"),
        ("last quarter's sales", "2019-Q4"),
        ("sales of the last quarter by month", "2019-Q4"),
        ("sales of Q3 2019", "2019-Q3"),
        ("2019 Q2 revenue", "2019-Q2"),
        ("revenue in the second quarter", "2019-Q2"),
        ("上个季度的销售额", "2019-Q4"),
        ("2019年第三季度的销售额", "2019-Q3"),
        ("last month's sales", "2019-12"),
        ("上个月的销售额", "2019-12"),
        ("sales in October", "2019-10"),
        ("sales of October 2019", "2019-10"),
        ("sales for Oct 2019", "2019-10"),
        ("10月的销售额", "2019-10"),
        ("sales in May", "2019-05"),
        ("you may add up the sales", "all"),
        ("last year's sales by month", "2019"),
        ("去年每月销售额", "2019"),
        ("sales in 2019 by month", "2019"),
        ("sales in 2018 by month", "2018"),
        ("top 2000 sales by month", "all"),
        ("sales from 2019-02-03 to 2019-04-05", "2019-02-03..2019-04-05"),
        ("sales of the last 3 months", "2019-10-01..2019-12-30"),
        ("最近三个月的销售额", "2019-10-01..2019-12-30"),
        ("sales by month compared to the previous month", "all"),
        ("monthly sales and growth over the previous month", "all"),
        ("按月统计销售额，与上月相比的增长率", "all"),
        ("compare Q1 2019 with Q2 2019", "all"),
    ],
)
def test_a_period_is_read_from_the_goal_against_the_file(goal, value):
    assert guess_period(goal, YEAR_2019).value == value


def test_last_month_of_an_old_log_is_the_month_the_log_ends_in():
    guess = guess_period("find last month's five busiest pages", MAY_2015)
    assert guess.value == "2015-05"
    assert guess.reason == (
        "The goal says “last month's”: the file ends on 2015-05-20, so this is taken as 2015-05, not counted from today."
    )


@pytest.mark.parametrize(
    ("goal", "top"),
    [
        ("top pages", 5),
        ("find the five pages with most traffic", 5),
        ("top 10 pages", 10),
        ("the ten most visited pages", 10),
        ("3 busiest urls of May 2015", 3),
        ("前十个页面", 10),
        ("访问量最大的三个页面", 3),
        ("访问量最高的前20个页面", 20),
        ("top twelve pages", 12),
        ("last 3 months: most visited pages", 5),
        ("most visited pages of the last 3 months", 5),
        ("最近三个月访问量最大的页面", 5),
    ],
)
def test_the_number_of_pages_is_read_from_the_goal(goal, top):
    assert guessed("busiest_pages", goal, {"a.log": access_log()})["top"] == top


@pytest.mark.parametrize(
    ("goal", "program"),
    [
        ("recent files are missing in Word", "Word"),
        ("最近使用的文件列表不见了", "an Office program"),
        ("recent items gone from the Start menu", "the Start menu"),
        ("Excel recent list is empty", "Excel"),
    ],
)
def test_the_program_is_read_from_the_goal(goal, program):
    assert guessed("recent_files", goal, {})["program"] == program


def test_the_fitting_file_is_chosen_among_several():
    profiles = {"people.csv": PEOPLE, "access.log": access_log()}
    assert guessed("busiest_pages", "top pages", profiles)["log"] == "access.log"
    two = {"a.csv": SALES, "b.csv": SALES}
    assert guessed("sales_by_month", "sales by month of b.csv", two)["file"] == "b.csv"
