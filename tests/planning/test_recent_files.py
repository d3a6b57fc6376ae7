"""The diagnosis: what is asked, what an answer makes needless, and what the report then says."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.scope import Scope, is_true, render_params
from plans.planning import planner
from plans.skills import registry
from tests.planning.test_inputs import resolve

FINE: dict[str, dict[str, Any]] = {
    "ask_office_number": {"number": 25},
    "ask_windows_setting": {"shown": "On"},
    "ask_policy": {"value": "Neither"},
    "ask_profile": {"rebuilt": "Nothing of that"},
    "ask_place": {"place": "On this computer", "signed_in": "The same account"},
    "ask_new_entry": {"appears": "Does not appear"},
}


def diagnose(program: str, **answers: dict[str, Any]) -> tuple[list[str], str]:
    """Walk through the plan as the engine would; return the questions asked and the report's text."""
    inputs = resolve("recent_files", {}, {"program": program})
    plan = planner.plan({"goal": "g", "playbook": "recent_files", "inputs": inputs}, registry.catalogue({})).plan
    upstream: dict[str, dict[str, Any]] = {}
    asked: list[str] = []
    for task in plan["tasks"]:
        scope = Scope(inputs=inputs, upstream=upstream)
        if task["skill"] == "report":
            return asked, render_params(task["params"], scope, frozenset())["body"]
        name = next(iter(task["outputs"]))
        runs = task["run_if"] is None or is_true(task["run_if"], scope)
        upstream[task["id"]] = {name: {**FINE, **answers}[task["id"]] if runs else None}
        asked += [task["id"]] if runs else []
    raise AssertionError("the plan has no report")


def test_the_first_answer_that_explains_it_ends_the_questions():
    asked, body = diagnose("Word", ask_office_number={"number": 0})
    assert asked == ["ask_office_number"]
    assert "**The list is switched off in Word**" in body
    assert "Set the number to 25" in body
    assert "Checks skipped because an earlier answer explains it: 5" in body


def test_windows_programs_are_not_asked_about_office_options():
    asked, body = diagnose("File Explorer", ask_windows_setting={"shown": "Off"})
    assert asked == ["ask_windows_setting"]
    assert "**Windows is told not to show recently opened items.**" in body


@pytest.mark.parametrize(
    ("answers", "count", "cause"),
    [
        ({"ask_policy": {"value": "NoRecentDocsHistory"}}, 3, "A policy (NoRecentDocsHistory)"),
        ({"ask_policy": {"value": "ClearRecentDocsOnExit"}}, 3, "A policy (ClearRecentDocsOnExit)"),
        ({"ask_profile": {"rebuilt": "New or reset Windows, or a new computer"}}, 4, "the profile is new"),
        ({"ask_profile": {"rebuilt": "Signed in with a temporary profile (C:\\Users\\TEMP)"}}, 4, "temporary profile"),
        ({"ask_profile": {"rebuilt": "A cleaning program ran (CCleaner and the like)"}}, 4, "A cleaning program"),
        ({"ask_place": {"place": "On this computer", "signed_in": "Another account"}}, 5, "uses another account"),
        ({"ask_place": {"place": "In OneDrive or SharePoint", "signed_in": "Not signed in"}}, 5, "not signed in"),
        (
            {"ask_place": {"place": "On a network drive or USB stick", "signed_in": "The same account"}},
            5,
            "cannot be reached",
        ),
        ({"ask_new_entry": {"appears": "Appears, the old ones stay away"}}, 6, "works again"),
        ({"ask_new_entry": {"appears": "Appears and is gone after a restart"}}, 6, "empties the list"),
        ({}, 6, "damaged or cannot be written"),
    ],
)
def test_each_cause_is_said_once_with_its_remedy(answers, count, cause):
    asked, body = diagnose("Excel", **answers)
    assert len(asked) == count
    likely, _, rest = body.partition("## What to do")
    assert likely.count("**") == 2
    assert cause in likely
    assert rest.partition("## What was asked")[0].strip()


def test_every_answer_that_may_be_given_is_one_the_report_knows():
    inputs = resolve("recent_files", {}, {"program": "Word"})
    plan = planner.plan({"goal": "g", "playbook": "recent_files", "inputs": inputs}, registry.catalogue({})).plan
    for task in plan["tasks"][:-1]:
        properties = task["params"]["fields"]["properties"]
        for field, value in FINE[task["id"]].items():
            assert value in properties[field].get("enum", [value])
