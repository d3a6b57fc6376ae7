"""Second opinions, other drafts, changes a person asked for, the rest of a run, other params for a failed step."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.errors import DraftError, ErrorClass, ModelError
from plans.wording import sentence
from tests.modelled.desk import GOOD, LOAD, REPORT, TOTALS, Desk, answer, by_purpose, codes, intent, param, step, wire
from tests.modelled.test_plan import FILE
from tests.scripted_model import fault, refusal, said


def made(desk: Desk) -> dict[str, Any]:
    """Return the plan the tests start from."""
    desk.model.say(answer(intent()), answer(GOOD))
    plan = desk.plan(inputs=FILE).plan
    desk.context, desk.model.seen = None, []
    return plan


REMARKS = {
    "fits": "partly",
    "remarks": [
        {"severity": "warning", "task": "add", "text": "The goal says by month."},
        {"severity": "info", "task": "nowhere", "text": "A chart would help."},
        {"severity": "info", "task": "", "text": " "},
    ],
}


def test_a_second_opinion_adds_remarks_and_changes_nothing(desk: Desk):
    desk.model.say(answer(intent()), answer(GOOD), answer(REMARKS))
    found = desk.plan(inputs=FILE, review=True)
    remarks = [each for each in found.findings if each.code == "review_remark"]
    assert [(each.severity, each.task) for each in remarks] == [("warning", "add"), ("info", None)]
    assert sentence(remarks[0].code, remarks[0].params) == "Second opinion: The goal says by month."
    assert [task["id"] for task in found.plan["tasks"]] == ["read", "add", "write"]
    assert desk.model.calls[2].model == "claude-haiku-5-5"


@pytest.mark.parametrize("reply", [refusal(), said("well"), fault(400)])
def test_a_second_opinion_that_fails_costs_no_plan(desk: Desk, reply: Any):
    desk.model.say(answer(intent()), answer(GOOD), reply)
    found = desk.plan(inputs=FILE, review=True)
    assert (codes(found), len(found.plan["tasks"])) == ([], 3)
    assert len(codes(found, "info")) >= 1


def test_a_plan_with_errors_gets_no_second_opinion(desk: Desk):
    bad = wire({**LOAD, "skill": "sql"})
    desk.model.respond(by_purpose(intent=intent(), draft=bad, repair=bad))
    found = desk.plan(inputs=FILE, review=True, alternatives=True)
    assert codes(found) != []
    assert set(desk.purposes) == {"intent", "draft", "repair"}


CAREFUL = wire(LOAD, {**TOTALS, "expect": ["totals.row_count > 0"]}, step("check", "wait", {"seconds": 1}), REPORT)
CHEAP = wire(LOAD, TOTALS)


def test_other_drafts_come_compiled_and_labelled(desk: Desk):
    desk.model.say(answer(intent()), answer(GOOD), answer(CAREFUL), answer(CHEAP), answer(GOOD))
    found = desk.plan(inputs=FILE, alternatives=True)
    assert [(each.label, each.source, len(each.plan["tasks"])) for each in found.others] == [
        ("careful", "alternative", 4),
        ("cheap", "alternative", 2),
    ]
    assert all(each.notes["outcome"] for each in found.others)
    assert all(each.plan["intent"]["summary"] == "Report on sales" for each in found.others)
    assert "Fewest paid calls" in desk.model.calls[3].prompt


def test_other_drafts_can_be_asked_for_later(desk: Desk):
    previous = made(desk)
    desk.model.say(answer(CAREFUL), refusal())
    found = desk.plan(inputs=FILE, stage="alternatives", previous=previous)
    assert ([each.label for each in found.others], found.plan) == (["careful"], {})
    desk.context = None
    desk.model.say(refusal())
    with pytest.raises(ModelError, match="model_refused"):
        desk.plan(inputs=FILE, stage="alternatives", previous=previous)


def test_changes_asked_for_are_made_and_the_rest_stays(desk: Desk):
    previous = made(desk)
    previous["tasks"][1] |= {"retries": 0, "priority": 5}
    previous["intent"]["questions"] = [{"id": "how", "text": "How?", "choices": [], "answer": "Chart"}]
    changed = wire(LOAD, {**TOTALS, "name": "By quarter"}, REPORT, assumptions=["Quarters start in January."])
    desk.model.say(answer(changed))
    found = desk.plan(inputs=FILE, stage="changes", previous=previous, comment="By quarter, please")
    assert (codes(found), found.comment) == ([], "By quarter, please")
    task = found.plan["tasks"][1]
    assert (task["name"], task["retries"], task["priority"]) == ("By quarter", 0, 5)
    assert found.plan["intent"]["questions"][0]["answer"] == "Chart"
    assert "Quarters start in January." in found.plan["intent"]["assumptions"]
    assert "By quarter, please" in desk.model.calls[0].messages[0][1]


def test_without_a_plan_to_change_the_goal_is_planned_with_the_comment(desk: Desk):
    desk.model.say(answer(intent()), answer(GOOD))
    empty = {"schema": 1, "goal": "g", "tasks": []}
    found = desk.plan(inputs=FILE, stage="changes", previous=empty, comment="Try again in fewer words")
    assert (codes(found), desk.purposes) == ([], ["intent", "draft"])
    assert "Try again in fewer words" in desk.model.calls[1].prompt


def test_a_review_on_its_own_reads_the_plan_it_is_given(desk: Desk):
    previous = made(desk)
    desk.model.say(answer(REMARKS))
    found = desk.plan(inputs=FILE, stage="review", previous=previous, findings=[])
    assert [each.code for each in found.findings] == ["review_remark", "review_remark"]


STATE = {
    "done": [{"id": "read", "name": "Read", "outputs": {"lines": "table"}, "summary": "12 rows"}],
    "failure": {"step": "add", "error": "no column amount"},
    "corrections": ["another query"],
    "milestones": [{"id": "m", "name": "All"}],
}


def test_the_rest_of_a_run_reads_what_is_done_and_does_not_repeat_it(desk: Desk):
    tail = wire({**TOTALS, "id": "add_2", "depends_on": [], "milestone": "m"}, {**REPORT, "depends_on": []})
    desk.model.say(answer(tail))
    found = desk.plan(inputs=FILE, stage="replan", state=STATE)
    assert (codes(found), found.notes["is_good"]) == ([], True)
    assert [(task["id"], task["depends_on"]) for task in found.plan["tasks"]] == [
        ("add_2", ["read"]),
        ("write", ["add_2"]),
    ]
    assert "another query" in desk.model.calls[0].prompt


def test_a_rest_that_repeats_what_is_done_goes_back(desk: Desk):
    """C15: the same step again is no way on."""
    again = wire(LOAD, {**TOTALS, "id": "add_2", "depends_on": ["read"]})
    tail = wire({**TOTALS, "id": "add_2", "depends_on": []})
    desk.model.say(answer(again), answer(tail))
    found = desk.plan(inputs=FILE, stage="replan", state=STATE)
    assert found.notes["is_good"]
    assert "duplicate_id" in desk.model.calls[1].messages[-1][1]


def test_a_rest_that_is_empty_is_not_good(desk: Desk):
    desk.model.say(answer(wire()))
    found = desk.plan(inputs=FILE, stage="replan", state=STATE)
    assert (found.plan["tasks"], found.notes["is_good"]) == ([], False)
    assert found.raw_reply


FAILED = {
    "task": {"id": "add", "skill": "sql", "params": {"query": "SELECT a FROM t", "tables": {"t": "{{ lines }}"}}},
    "error": {"code": "query_failed", "message": "no column a; there are: amount"},
    "tried": [{"query": "SELECT b FROM t", "tables": {"t": "{{ lines }}"}}],
    "scope": {"lines": "table of amount"},
}
MENDED = [param("query", "SELECT amount FROM t"), param("tables", {"t": "{{ lines }}"})]


def test_other_params_are_given_for_a_failed_step(desk: Desk):
    desk.model.say(answer({"can_be_mended": True, "why": "It is called amount.", "params": MENDED}))
    found = desk.plan(stage="arguments", **FAILED)
    assert found.notes == {
        "stage": "arguments",
        "task": "add",
        "params": {"query": "SELECT amount FROM t", "tables": {"t": "{{ lines }}"}},
        "can_be_mended": True,
        "why": "It is called amount.",
    }
    assert "no column a; there are: amount" in desk.model.calls[0].prompt


@pytest.mark.parametrize(
    "reply",
    [
        {"can_be_mended": False, "why": "No access.", "params": []},
        {"can_be_mended": True, "why": "", "params": []},
        {"can_be_mended": True, "why": "", "params": [{"name": "tables", "kind": "literal", "value": "{"}]},
        {"can_be_mended": True, "why": "", "params": [param("query", "SELECT b FROM t"), MENDED[1]]},
    ],
)
def test_params_that_are_no_way_on_are_said_to_be_none(desk: Desk, reply: dict[str, Any]):
    """C69: what was tried already is not tried again."""
    desk.model.say(answer(reply))
    assert desk.plan(stage="arguments", **FAILED).notes["can_be_mended"] is False


def test_an_answer_about_params_that_cannot_be_read_is_an_error(desk: Desk):
    """C06: broken arguments are never run as an empty set."""
    desk.model.say(said("{"))
    with pytest.raises(DraftError, match="arguments_unreadable"):
        desk.plan(stage="arguments", **FAILED)


def test_troubles_that_pass_are_left_to_the_ladder(desk: Desk):
    previous = made(desk)
    desk.settings = {"retry_cap_seconds": 0.001, "retry_base_seconds": 0.001}
    desk.model.respond(lambda call: fault(401))
    with pytest.raises(ModelError) as caught:
        desk.plan(inputs=FILE, stage="changes", previous=previous, comment="more")
    assert caught.value.error_class == ErrorClass.NEEDS_PERSON
