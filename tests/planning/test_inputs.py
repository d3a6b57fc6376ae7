"""What was given becomes inputs, or every wrong field is named at once."""

from __future__ import annotations

import pytest

from plans.planning import playbooks
from plans.planning.playbooks import InputErrors
from plans.wording import sentence
from tests.planning.profiles import PEOPLE, SALES, access_log, table


def ref(name: str) -> dict:
    return {"$artifact": "0" * 64, "kind": "file", "name": name, "filename": name, "size": 1, "meta": {}}


def resolve(name: str, profiles: dict, given: dict | None = None, goal: str = "") -> dict:
    attachments = {key: ref(key) for key in profiles}
    return playbooks.resolve_inputs(playbooks.get(name), given or {}, profiles, attachments, goal)


def refused(name: str, profiles: dict, given: dict | None = None, goal: str = "") -> dict[str, str]:
    with pytest.raises(InputErrors) as caught:
        resolve(name, profiles, given, goal)
    return {field: error.code for field, error in caught.value.errors.items()}


def test_everything_can_be_guessed():
    inputs = resolve("sales_by_month", {"s.csv": SALES}, goal="last quarter's sales by month as a line chart")
    assert inputs.pop("file")["meta"]["columns"][2]["name"] == "Order Date"
    assert inputs == {
        "date_column": "Order Date",
        "amount_column": "Sales",
        "group_column": None,
        "period": {"value": "2019-Q4", "from": "2019-10-01", "to": "2019-12-31", "label": "2019 Q4"},
        "chart": "line",
    }


def test_what_is_given_is_not_guessed_over():
    inputs = resolve("busiest_pages", {"a.log": access_log()}, {"top": "7", "period": "2015-05-18"}, "top 3 pages")
    assert inputs["top"] == 7
    assert (inputs["period"]["from"], inputs["period"]["to"]) == ("2015-05-18", "2015-05-18")


def test_the_whole_file_has_no_bounds():
    inputs = resolve("busiest_pages", {"a.log": access_log()}, {"period": ""})
    assert inputs["period"] == {"value": "all", "from": None, "to": None, "label": "the whole file"}


def test_a_missing_file_is_named():
    assert refused("busiest_pages", {}) == {"log": "file_missing"}


def test_the_wrong_kind_of_file_is_named_from_its_profile():
    assert refused("busiest_pages", {"s.csv": SALES}) == {"log": "file_wrong_kind"}
    assert refused("sales_by_month", {"a.log": access_log()}) == {"file": "file_wrong_kind"}


def test_a_file_without_rows_is_refused_before_anything_runs():
    assert refused("sales_by_month", {"s.csv": {**SALES, "row_count": 0}}) == {"file": "file_no_rows"}


def test_a_problem_of_the_profile_is_passed_on():
    broken = {**table(), "problem": {"code": "not_a_table", "params": {"looks_like": "html"}}}
    assert refused("look_at_table", {"x.csv": broken}) == {"file": "not_a_table"}


def test_every_wrong_field_is_named_at_once():
    given = {"date_column": "When", "amount_column": "Region", "chart": "pie", "colour": "red"}
    assert refused("sales_by_month", {"s.csv": SALES}, given) == {
        "colour": "parameter_unknown",
        "date_column": "column_unknown",
        "amount_column": "column_wrong_type",
        "chart": "choice_unknown",
    }


def test_a_table_without_dates_is_refused_by_name():
    assert refused("sales_by_month", {"p.csv": PEOPLE}) == {
        "date_column": "column_none_fits",
        "amount_column": "column_none_fits",
    }


@pytest.mark.parametrize(
    ("value", "code"),
    [("0", "number_out_of_limits"), ("51", "number_out_of_limits"), ("many", "number_invalid"), ("", "value_missing")],
)
def test_a_bad_number_is_refused(value, code):
    assert refused("busiest_pages", {"a.log": access_log()}, {"top": value}) == {"top": code}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("2014", "period_outside_file"),
        ("2015-Q3", "period_outside_file"),
        ("soon", "period_invalid"),
        ("2015-13", "period_invalid"),
        ("2015-05-20..2015-05-01", "period_invalid"),
    ],
)
def test_a_bad_period_is_refused(value, code):
    assert refused("busiest_pages", {"a.log": access_log()}, {"period": value}) == {"period": code}


def test_a_period_the_goal_names_outside_the_file_is_refused_not_ignored():
    assert refused("sales_by_month", {"s.csv": SALES}, goal="sales in 2022 by month") == {
        "period": "period_outside_file"
    }


def test_a_file_that_was_looked_at_in_part_may_cover_more():
    inputs = resolve("busiest_pages", {"a.log": {**access_log(), "partial": True}}, {"period": "2015-07"})
    assert inputs["period"]["from"] == "2015-07-01"


def test_errors_have_sentences():
    with pytest.raises(InputErrors) as caught:
        resolve("busiest_pages", {"s.csv": SALES})
    error = caught.value.errors["log"]
    assert sentence(error.code, error.params) == "“s.csv” is a table; this playbook needs an access log."
