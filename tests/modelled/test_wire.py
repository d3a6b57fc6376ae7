"""The flat form a model writes, and the plan it means."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from plans.core.compile import compile_plan
from plans.planning import playbooks
from plans.planning.modelled import schemas
from plans.planning.modelled.wire import from_wire, keep_unsaid, to_wire
from plans.skills import registry
from tests.modelled.desk import GOOD, param, step, wire

CATALOGUE = registry.catalogue({})
SCHEMAS = {
    "plan": schemas.plan(sorted(CATALOGUE)),
    "intent": schemas.intent(),
    "outline": schemas.outline(),
    "part": schemas.part(sorted(CATALOGUE)),
    "opinion": schemas.opinion(),
    "arguments": schemas.arguments(),
}
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "description"}


def parts(schema: Any) -> list[dict[str, Any]]:
    found = [schema]
    for below in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        found += parts(below)
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_shape_is_within_the_limits_of_structured_outputs(name: str):
    Draft202012Validator.check_schema(SCHEMAS[name])
    for part in parts(SCHEMAS[name]):
        assert part.keys() <= KEYWORDS
        assert isinstance(part["type"], str)
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"]) != []
        assert all(isinstance(each, str) for each in part.get("enum", [""]))


def test_the_example_of_the_tests_holds_to_the_shape():
    Draft202012Validator(SCHEMAS["plan"]).validate(GOOD)


def read(*steps: dict[str, Any], **more: Any) -> tuple[dict[str, Any], list[str]]:
    plan, findings = from_wire(wire(*steps, **more), CATALOGUE)
    return plan, [finding.code for finding in findings]


def test_nothing_becomes_what_a_plan_calls_nothing():
    plan, said = read(step("a", "wait", {"seconds": 1}), summary="s", assumptions=["x"])
    assert said == []
    assert plan["intent"] == {"summary": "s", "assumptions": ["x"]}
    task = plan["tasks"][0]
    assert {key for key, value in task.items() if value is None} == {
        "milestone", "run_if", "for_each", "on_failure", "fallback_skill", "risk", "undo",
    }  # fmt: skip
    assert (task["expect"], task["outputs"], "estimate" in task) == ([], {}, False)


@pytest.mark.parametrize(
    ("skill", "written", "value"),
    [
        ("sql", param("query", "SELECT 1"), "SELECT 1"),
        ("sql", {"name": "query", "kind": "literal", "value": "SELECT 1"}, "SELECT 1"),
        ("sql", {"name": "query", "kind": "literal", "value": "2024"}, "2024"),
        ("report", {"name": "title", "kind": "literal", "value": '"North" region'}, '"North" region'),
        ("report", {"name": "title", "kind": "literal", "value": "null"}, "null"),
        ("sql", param("inputs", {"top": 5}), {"top": 5}),
        ("sql", {"name": "inputs", "kind": "literal", "value": "5"}, 5),
        ("load_file", param("file", "inputs.sales", "ref"), "{{ inputs.sales }}"),
        ("load_file", param("file", "{{ inputs.sales }}", "ref"), "{{ inputs.sales }}"),
        ("load_file", param("file", "{{ a }} and {{ b }}", "ref"), "{{ {{ a }} and {{ b }} }}"),
        ("nothing_known", {"name": "x", "kind": "literal", "value": "plain words"}, "plain words"),
    ],
)
def test_a_param_is_read_as_what_it_means(skill: str, written: dict[str, str], value: Any):
    """C88: a number where a text is wanted stays the text it was written as."""
    plan, said = read({**step("a", skill), "params": [written]})
    assert (plan["tasks"][0]["params"], said) == ({written["name"]: value}, [])


def test_broken_json_in_a_param_is_never_mended_or_dropped_in_silence():
    """C06: the param is left out, the finding is an error, and what came is in it."""
    broken = {"name": "tables", "kind": "literal", "value": '{"lines": "{{ lines }"'}
    plan, findings = from_wire(wire({**step("a", "sql"), "params": [broken]}), CATALOGUE)
    assert plan["tasks"][0]["params"] == {}
    assert [(finding.code, finding.severity, finding.task) for finding in findings] == [
        ("param_not_json", "error", "a")
    ]
    assert findings[0].params["text"] == broken["value"]


def test_a_param_given_twice_with_two_values_is_an_error():
    twice = {**step("a", "sql"), "params": [param("query", "SELECT 1"), param("query", "SELECT 2")]}
    assert read(twice)[1] == ["param_twice"]
    same = {**step("a", "sql"), "params": [param("query", "SELECT 1"), param("query", "SELECT 1"), "odd"]}
    assert read(same)[1] == ["param_unreadable"]


def test_a_plan_in_its_own_form_passes_unchanged():
    own = {
        "goal": "g",
        "tasks": [{"id": "a", "skill": "sql", "params": {"query": "SELECT 1"}, "outputs": {"x": "table"}}],
    }
    assert from_wire(own, CATALOGUE)[0] == {"schema": 1, **own}


@pytest.mark.parametrize("odd", [{"tasks": "none"}, {"tasks": [1, None]}, {"tasks": None, "milestones": 3}, {}])
def test_odd_answers_are_left_for_the_compiler(odd: dict[str, Any]):
    plan, _ = from_wire(odd, CATALOGUE)
    assert compile_plan(plan, CATALOGUE).outcome == "rejected"


@pytest.mark.parametrize("playbook", playbooks.load_all(), ids=lambda playbook: playbook.name)
def test_there_and_back_gives_the_same_plan(playbook: playbooks.Playbook):
    written = to_wire(playbook.plan, CATALOGUE)
    Draft202012Validator(SCHEMAS["plan"]).validate(written)
    back, said = from_wire(json.loads(json.dumps(written)), CATALOGUE)
    assert said == []
    before = compile_plan({"schema": 1, **playbook.plan}, CATALOGUE).plan
    after = compile_plan(back, CATALOGUE).plan
    assert before is not None
    assert after is not None
    assert [task.model_dump() for task in after.tasks] == [task.model_dump() for task in before.tasks]


def test_what_the_form_has_no_room_for_stays():
    before = {"tasks": [{"id": "a", "skill": "sql", "retries": 0, "assignees": ["ann"], "pool": "db", "name": "Old"}]}
    after = keep_unsaid({"tasks": [{"id": "a", "skill": "sql", "name": "New"}, {"id": "b", "skill": "sql"}]}, before)
    assert after["tasks"] == [
        {"id": "a", "skill": "sql", "name": "New", "assignees": ["ann"], "pool": "db", "retries": 0},
        {"id": "b", "skill": "sql"},
    ]
