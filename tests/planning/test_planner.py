"""Each playbook becomes a plan that compiles without a finding and says what it assumes."""

from __future__ import annotations

import pytest

from plans.core.errors import NoPlaybook
from plans.planning import planner, playbooks
from plans.skills import registry
from tests.planning.profiles import CHINESE, EUROPEAN, PEOPLE, SALES, access_log, column, table
from tests.planning.test_inputs import resolve

ODD = table(
    column('quo"te; DROP TABLE lines', "text", distinct=3),
    column("{{ inputs.file }}", "text", distinct=3),
    column("it's }} {{{{", "number"),
    column("日期", "date", "2024-01-01", "2024-05-05"),
)
CASES = [
    ("busiest_pages", {"a.log": access_log()}, "find last month's seven busiest pages"),
    ("sales_by_month", {"s.csv": SALES}, "last quarter's sales by month and region, line chart"),
    ("sales_by_month", {"s.csv": EUROPEAN}, "Umsatz pro Monat"),
    ("sales_by_month", {"s.csv": CHINESE}, "按月统计销售额"),
    ("recent_files", {}, "recent files are missing in Word"),
    ("recent_files", {}, "recent files are missing in File Explorer"),
    ("look_at_table", {"s.csv": SALES}, "what is in this table"),
    ("look_at_table", {"p.csv": PEOPLE}, "what is in this table"),
    ("look_at_table", {"odd.csv": ODD}, "what is in this table"),
]


def planned(name: str, profiles: dict, goal: str):
    params = {"goal": goal, "playbook": name, "inputs": resolve(name, profiles, goal=goal)}
    return planner.from_playbook(params, registry.catalogue({}))


@pytest.mark.parametrize(("name", "profiles", "goal"), CASES)
def test_a_playbook_compiles_without_a_finding(name, profiles, goal):
    expanded = planned(name, profiles, goal)
    assert [finding.as_json() for finding in expanded.findings] == []
    assert expanded.notes["outcome"] == "accepted"
    assert expanded.plan["goal"] == goal


def test_the_plan_says_what_was_guessed_and_why():
    plan = planned("busiest_pages", {"a.log": access_log()}, "find last month's five busiest pages").plan
    assert (
        plan["intent"]["summary"]
        == "Count page views in the access log and report the 5 busiest pages with a bar chart."
    )
    assert plan["intent"]["assumptions"][:3] == [
        'The access log is "a.log".',
        (
            "Period: 2015-05. The goal says “last month's”: the file ends on 2015-05-20, "
            "so this is taken as 2015-05, not counted from today."
        ),
        (
            "A page view is a GET request answered with a status below 400; query strings are dropped; "
            "static files (images, style sheets, scripts, fonts, icons) are not pages."
        ),
    ]


def test_a_chosen_column_is_said_without_a_reason():
    inputs = resolve("sales_by_month", {"s.csv": SALES}, {"date_column": "Ship Date"}, "sales by month")
    plan = planner.from_playbook(
        {"goal": "g", "playbook": "sales_by_month", "inputs": inputs}, registry.catalogue({})
    ).plan
    assert 'Dates are taken from the column "Ship Date".' in plan["intent"]["assumptions"]


def test_a_group_adds_a_task_and_none_leaves_it_out():
    with_group = planned("sales_by_month", {"s.csv": SALES}, "sales by month and region").plan
    without = planned("sales_by_month", {"s.csv": SALES}, "sales by month").plan
    assert [t["id"] for t in with_group["tasks"] if t not in without["tasks"] and t["id"] == "add_up_groups"]
    assert "add_up_groups" not in [t["id"] for t in without["tasks"]]


def test_the_template_is_not_changed_by_planning():
    before = playbooks.get("look_at_table").model_dump()
    planned("look_at_table", {"s.csv": SALES}, "what is in this table")
    assert playbooks.get("look_at_table").model_dump() == before


def test_a_very_wide_table_is_described_in_part_and_says_so():
    wide = table(*[column(f"c{number}", "number") for number in range(200)])
    plan = planned("look_at_table", {"w.csv": wide}, "what is in this table").plan
    assert "Only the first 40 of 200 columns are described." in plan["intent"]["assumptions"]


@pytest.mark.parametrize(("name", "code"), [("nothing", "playbook_unknown"), ("", "no_playbook")])
def test_an_unknown_playbook_is_refused(name, code):
    with pytest.raises(NoPlaybook) as caught:
        planner.plan({"goal": "g", "playbook": name, "inputs": {}}, {})
    assert caught.value.code == code
