"""The difference of two revisions, as codes and in words."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.revision_diff import changes
from plans.core.spec import PlanSpec
from plans.wording import sentence
from plans.wording.changes import SENTENCES


def plan(**more: Any) -> dict[str, Any]:
    return {
        "goal": "count",
        "tasks": [
            {"id": "a", "name": "Load", "skill": "noop", "params": {"value": 1}},
            {"id": "b", "name": "Count", "skill": "noop", "depends_on": ["a"], "timeout_seconds": 300},
        ],
        **more,
    }


def step(number: int, **fields: Any) -> dict[str, Any]:
    made = plan()
    made["tasks"][number] |= fields
    return made


def told(before: dict[str, Any], now: dict[str, Any]) -> list[tuple[str, str]]:
    return [(change.kind, sentence(change.code, change.params)) for change in changes(before, now)]


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (step(1, timeout_seconds=600), [
            ("changed", "“Count”: longest run time in seconds was 300 and is now 600")]),
        (step(1, timeout_seconds=None), [
            ("changed", "“Count”: longest run time in seconds was 300 and is now nothing")]),
        (step(0, params={"value": 2}), [("changed", "“Load”: value was 1 and is now 2")]),
        (step(0, params={"value": 1, "list": [True]}), [("added", "“Load”: list is “[true]”")]),
        (step(0, params={}), [("removed", "“Load”: value was 1")]),
        (step(0, outputs={"n": "number"}), [("added", "“Load”: output n (“number”)")]),
        (step(1, depends_on=[]), [("changed", "“Count” starts at once")]),
        (step(1, estimate={"seconds": 12, "usd": 0.5}), [("changed", "“Count”: estimate is now “12 s, 0.5 USD”")]),
        (step(1, estimate={"usd": 2}), [("changed", "“Count”: estimate is now “2 USD”")]),
        (step(0, undo="throw it away"), [("changed", "“Load”: undo is now “throw it away”")]),
        (plan(intent={"assumptions": ["one"]}), [("added", "Assumption “one”")]),
        (plan(goal="sum"), [("changed", "The goal is now “sum”")]),
        (plan(result=["n"]), [("changed", "The result is now “[\"n\"]”")]),
        (plan(milestones=[{"id": "m", "name": "All"}]), [("added", "Milestone “All”")]),
        (plan(risks=["fire"]), [("added", "Risk “fire”")]),
    ],
)  # fmt: skip
def test_a_change_is_told_in_a_sentence(now: dict[str, Any], words: list[tuple[str, str]]):
    assert told(plan(), now) == words


def test_added_and_removed_steps_are_named_and_what_waits_for_them():
    now = plan()
    now["tasks"][0] = {"id": "c", "name": "移行リスク", "skill": "sql"}
    now["tasks"][1] = {**now["tasks"][1], "depends_on": ["c"]}
    assert told(plan(), now) == [
        ("added", "“移行リスク” (sql)"),
        ("changed", "“Count” comes after “移行リスク”"),
        ("removed", "“Load”"),
    ]


def test_another_order_of_the_same_steps_is_a_change():
    now = plan()
    now["tasks"].reverse()
    assert told(plan(), now) == [("changed", "The order of the steps")]


def test_a_corrected_assumption_is_one_change():
    before, now = plan(intent={"assumptions": ["one", "two"]}), plan(intent={"assumptions": ["one", "three"]})
    assert told(before, now) == [("changed", "Assumption “two” is now “three”")]


def test_defaults_written_out_are_no_change():
    whole = PlanSpec.model_validate(plan()).model_dump(mode="json", by_alias=True)
    assert changes(plan(), whole) == changes(whole, plan()) == []


def test_a_long_value_is_cut_in_its_sentence():
    (_, words), = told(plan(), step(0, description="x" * 9_000))  # fmt: skip
    assert len(words) < 300


def test_every_code_has_a_sentence():
    lists = {"intent": {"assumptions": ["x"]}, "risks": ["y"], "preconditions": [{"text": "z"}]}
    others = {"intent": {"assumptions": ["1"]}, "risks": ["2"], "preconditions": [{"text": "3"}]}
    words = {"intent": {"summary": "s", "expected_output": "e"}, "goal": "g", "rollback": "r", "result": ["b"]}
    milestones = [{"id": "m"}], [{"id": "m", "name": "n"}]
    pairs = [
        (plan(**lists), plan()), (plan(), plan(**lists)), (plan(**lists), plan(**others)), (plan(), plan(**words)),
        (plan(milestones=milestones[0]), plan(milestones=milestones[1])), (plan(milestones=milestones[0]), plan()),
        (plan(), plan(milestones=milestones[0])), (plan(), plan(tasks=plan()["tasks"][::-1])),
        (step(0, outputs={"n": "json"}), plan()), (step(0, outputs={"n": "json"}), step(0, outputs={"n": "text"})),
        (plan(), step(0, outputs={"n": "json"})), (plan(), step(0, params={})), (step(0, params={}), plan()),
        (plan(), step(0, params={"value": 3})), (plan(), step(0, name="n")), (plan(), step(1, depends_on=[])),
        (plan(), plan(tasks=plan()["tasks"][:1])), (plan(tasks=plan()["tasks"][:1]), plan()),
    ]  # fmt: skip
    found = {change.code: sentence(change.code, change.params) for pair in pairs for change in changes(*pair)}
    assert set(found) == set(SENTENCES)
    assert not any("%(" in words or "Something went wrong" in words for words in found.values())
