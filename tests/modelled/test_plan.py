"""From a goal to a compiled plan: intent, draft, bounded repair, and nothing lost to a bad reply."""

from __future__ import annotations

import pytest

from plans.core.errors import ErrorClass, ModelError, NoPlaybook
from plans.core.skill import Ask
from plans.planning import planner
from plans.planning.modelled.intent import GoalRefused
from plans.wording import sentence
from tests.modelled.desk import GOOD, LOAD, REPORT, TOTALS, Desk, by_purpose, codes, intent, param, question, step, wire
from tests.scripted_model import answer, out_of_tokens, refusal, said

BAD = wire(LOAD, {**TOTALS, "params": [param("query", "SELECT 1"), param("table", {})]}, REPORT)
WORSE = wire(LOAD, {**TOTALS, "depends_on": ["nowhere"], "params": []}, REPORT)
FILE = {"sales": {"$artifact": "0" * 64, "kind": "file", "filename": "sales.csv", "meta": {}}}


def test_a_goal_becomes_a_compiled_plan_that_says_what_was_understood(desk: Desk):
    desk.model.say(answer(intent(assumptions=["Amounts are in EUR."])), answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert [task["id"] for task in made.plan["tasks"]] == ["read", "add", "write"]
    assert made.plan["tasks"][0]["params"] == {"file": "{{ inputs.sales }}"}
    assert (made.plan["result"], made.source, made.raw_reply) == (["report"], "model", "")
    assert made.plan["intent"]["summary"] == "Report on sales"
    assert made.plan["intent"]["assumptions"] == [
        "Amounts are in EUR.",
        "“last month” is taken as 2026-11-01 to 2026-11-30, counted from today, 2026-12-01 (Europe/Prague).",
    ]
    assert desk.purposes == ["intent", "draft"]


def test_without_a_model_planning_is_as_before(desk: Desk):
    params = {"goal": "Report sales", "inputs": {}, "playbook": ""}
    with pytest.raises(NoPlaybook, match="no_playbook"):
        planner.plan(params, desk.catalogue)
    with pytest.raises(NoPlaybook, match="no_model_to_plan"):
        planner.plan({**params, "stage": "changes"}, desk.catalogue)


def test_findings_go_back_until_the_plan_is_right(desk: Desk):
    """C09: what is missing is named with its step and handed to the model."""
    desk.model.say(answer(intent()), answer(WORSE), answer(BAD), answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert (codes(made), made.raw_reply) == ([], "")
    assert desk.purposes == ["intent", "draft", "repair", "repair"]
    told = desk.model.calls[2].messages[-1][1]
    assert "dangling_dependency" in told
    assert "“nowhere”" in told
    assert 'missing_param in step "add"' in told
    roles = [role for role, _ in desk.model.calls[2].messages]
    assert roles == ["user", "assistant", "user"]


def test_wrong_json_twice_then_right(desk: Desk):
    """C01, C04: the repair path itself is tried."""
    desk.model.say(answer(intent()), said("not json"), said('{"tasks": [{"id":'), answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert desk.purposes == ["intent", "draft", "repair", "repair"]
    assert "could not be used" in desk.model.calls[2].messages[-1][1]


def test_only_unusable_replies_leave_a_revision_with_what_came(desk: Desk):
    """C01: nothing but bad replies is no crash: what the model wrote is there to be read."""
    desk.model.say(answer(intent()), *(said(f"not json {number}") for number in range(4)))
    made = desk.plan(inputs=FILE)
    assert (made.plan["tasks"], made.raw_reply) == ([], "not json 3")
    assert "model_reply_invalid" in codes(made)
    assert codes(made, "info") == ["repair_gave_up"]


def test_the_same_wrong_reply_twice_stops_the_rounds(desk: Desk):
    """C15: going round in circles is noticed by what is said, however it is spaced."""
    desk.model.say(answer(intent()), answer(WORSE), answer(WORSE))
    made = desk.plan(inputs=FILE)
    assert "same_reply_twice" in codes(made, "info")
    assert {"dangling_dependency", "missing_param"} <= set(codes(made))
    assert [task["id"] for task in made.plan["tasks"]] == ["read", "add", "write"]
    assert '"nowhere"' in made.raw_reply


def test_three_rounds_are_enough_and_the_best_answer_stays(desk: Desk):
    """C15: the number of rounds is bounded."""
    others = [wire(LOAD, {**TOTALS, "depends_on": [f"nowhere{n}"], "params": []}) for n in range(2)]
    desk.model.say(answer(intent()), answer(WORSE), answer(BAD), *map(answer, others))
    made = desk.plan(inputs=FILE)
    assert desk.purposes.count("repair") == 3
    assert codes(made) == ["unknown_param"]
    assert codes(made, "info")[-1] == "repair_gave_up"


def test_an_answer_in_prose_or_a_fence_is_read(desk: Desk):
    """C02: prose, a fence and prose again round one object."""
    import json

    text = f"Here is the plan:\n```json\n{json.dumps(GOOD)}\n```\nGood luck!"
    desk.model.say(answer(intent()), said(text))
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert len(made.plan["tasks"]) == 3


def test_a_cut_reply_is_never_completed_with_invented_steps(desk: Desk):
    """C08: cut twice (the client asked for more room itself): smaller answers are asked for, milestone by milestone."""
    outline = {
        **{key: value for key, value in wire().items() if key != "tasks"},
        "milestones": [
            {
                "id": "m",
                "name": "All",
                "parent": "",
                "done_when": "",
                "approval": "auto",
                "purpose": "",
                "after": [],
                "delivers": [],
            }
        ],
    }
    steps = [{**each, "id": f"m_{each['id']}", "depends_on": [], "milestone": "m"} for each in (LOAD, TOTALS, REPORT)]
    desk.model.say(
        answer(intent()),
        out_of_tokens('{"tasks": [{"id": "a", "name": "First"'),
        out_of_tokens('{"tasks": [{"id": "a", "name": "First"'),
        answer(outline),
        answer({"assumptions": [], "tasks": steps}),
    )
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert [task["id"] for task in made.plan["tasks"]] == ["m_read", "m_add", "m_write"]


def test_a_cut_reply_that_cannot_be_helped_says_so(desk: Desk):
    """C08: after the last try the cut is reported, and no filler is stored."""
    desk.model.respond(by_purpose(intent=intent(), draft=out_of_tokens('{"tasks": ['), repair=out_of_tokens("{")))
    made = desk.plan(inputs=FILE)
    assert made.plan["tasks"] == []
    assert "model_out_of_tokens" in codes(made)
    told = [sentence(finding.code, finding.params) for finding in made.findings]
    assert any("cut off" in words for words in told)


def test_a_refused_repair_keeps_the_draft(desk: Desk):
    desk.model.say(answer(intent()), answer(BAD), refusal())
    made = desk.plan(inputs=FILE)
    assert len(made.plan["tasks"]) == 3
    assert "model_refused" in codes(made, "warning")


def test_a_refused_goal_says_so(desk: Desk):
    desk.model.say(refusal(explanation="not this"))
    with pytest.raises(ModelError, match="model_refused") as caught:
        desk.plan()
    assert "declined" in sentence(caught.value.code, caught.value.params)


def test_an_intent_that_cannot_be_read_is_asked_again_and_then_a_person(desk: Desk):
    desk.model.say(said("hm"), answer({"verdict": "plan"}), said("hm"))
    with pytest.raises(ModelError, match="intent_unreadable") as caught:
        desk.plan()
    assert caught.value.error_class == ErrorClass.NEEDS_PERSON
    desk.model.say(said("hm"), answer(intent()), answer(GOOD))
    assert codes(desk.plan(inputs=FILE)) == []


def test_questions_come_before_the_plan_and_their_answers_are_in_it(desk: Desk):
    asked = intent(
        verdict="ask", questions=[question("Which file?", "in"), question("How?", "how", ("Table", "Chart"))]
    )
    desk.model.say(answer(asked))
    first = desk.work()
    assert isinstance(first, Ask)
    assert (first.key, list(first.schema["properties"])) == ("goal1", ["q1", "how", "anything_else"])
    assert first.schema["properties"]["how"]["enum"] == ["Table", "Chart"]
    assert first.schema["required"] == ["q1", "how"]
    desk.answer(q1="sales.csv", how="Chart", anything_else="in EUR")
    desk.model.say(answer(intent()), answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert [(each["id"], each["answer"]) for each in made.plan["intent"]["questions"]] == [
        ("q1", "sales.csv"),
        ("how", "Chart"),
        ("anything_else", "in EUR"),
    ]
    assert desk.purposes == ["intent", "intent", "draft"]
    assert "in EUR" in desk.model.calls[1].prompt
    assert "answers.how" in desk.model.calls[2].prompt


def test_questions_end_after_two_rounds(desk: Desk):
    asked = intent(verdict="ask", questions=[question("And?")])
    desk.model.respond(by_purpose(intent=asked, draft=GOOD))
    assert isinstance(desk.work(), Ask)
    desk.answer(topic="a", anything_else="x")
    second = desk.work()
    assert isinstance(second, Ask)
    assert list(second.schema["properties"]) == ["topic_", "anything_else"]
    desk.answer("goal2", topic_="b", anything_else="y")
    made = desk.plan(inputs=FILE)
    answers = {each["id"]: each["answer"] for each in made.plan["intent"]["questions"]}
    assert answers == {"topic": "a", "anything_else": "x", "topic_": "b", "anything_else_2": "y"}


def test_a_contradiction_is_asked_about_even_when_the_model_would_go_on(desk: Desk):
    desk.model.say(answer(intent(contradictions=["The log is to be read, and no log may be used."])))
    asked = desk.work()
    assert isinstance(asked, Ask)
    assert asked.text == "The log is to be read, and no log may be used."
    assert asked.schema["properties"]["which"]["title"] == asked.text


@pytest.mark.parametrize(
    ("verdict", "code", "told"),
    [
        ("unsafe", "goal_refused", "No plan was made: because"),
        ("no_goal", "goal_is_none", "This is no goal that could be planned. because"),
        (
            "out_of_reach",
            "goal_out_of_reach",
            "No plan was made, because no skill here can do this: “send mail”. because",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(desk: Desk, verdict: str, code: str, told: str):
    desk.model.say(answer(intent(verdict=verdict, reason="because", missing_abilities=["send mail"])))
    with pytest.raises(GoalRefused) as caught:
        desk.plan()
    assert (caught.value.code, sentence(caught.value.code, caught.value.params)) == (code, told)


def test_a_worker_that_died_does_not_pay_twice(desk: Desk):
    """C01: finished stages are kept at checkpoints."""
    desk.model.say(answer(intent()), answer(BAD), refusal())
    desk.plan(inputs=FILE)
    desk.model.say(answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert desk.purposes == ["intent", "draft", "repair", "repair"]


def test_a_person_sees_stage_and_steps_as_they_come(desk: Desk):
    desk.model.say(answer(intent(), thinking="let me see"), answer(GOOD, thinking="first load", piece=4000))
    desk.plan(inputs=FILE)
    stages = [each["stage"] for each in desk.shown]
    assert list(dict.fromkeys(stages)) == ["intent", "draft"]


def test_skill_names_are_read_whatever_their_capitals(desk: Desk):
    shouted = wire({**LOAD, "skill": "Load_File"}, {**TOTALS, "skill": "SQL"}, REPORT)
    desk.model.say(answer(intent()), answer(shouted))
    made = desk.plan(inputs=FILE)
    assert [task["skill"] for task in made.plan["tasks"]] == ["load_file", "sql", "report"]


def test_a_skill_nobody_offers_is_named_with_the_nearest(desk: Desk):
    desk.model.say(answer(intent()), answer(wire(step("a", "load_fil", {"file": "ref:inputs.sales"}))), answer(GOOD))
    made = desk.plan(inputs=FILE)
    assert codes(made) == []
    assert "unknown_skill" in desk.model.calls[2].messages[-1][1]
