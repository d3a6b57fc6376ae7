"""Plans in other shapes and spellings: what they mean is read and said; two meanings are refused."""

import json

import pytest

from plans.core.catalogue import AnySkill
from plans.core.compile import compile_plan
from tests.core.compile.plans import CATALOGUE, codes, compiled, task
from tests.core.compile.reading_cases import text

FREE = {"noop": CATALOGUE["noop"], "sql": AnySkill()["sql"]}
DRAFTED = [{"id": "a", "skill": "noop"}, {"id": "b", "skill": "noop", "depends_on": ["a"]}]


def read(fields, **plan):
    """Return the second task of a plan, as it was read."""
    return compiled(task("a"), {"id": "b", "skill": "noop", **fields}, **plan).plan.tasks[1]


@pytest.mark.parametrize(
    "plan",
    [
        {"tasks": DRAFTED},
        {"steps": DRAFTED},
        {"plan": {"steps": DRAFTED}},
        {"response": {"plan": DRAFTED}},
        {"name": "create_plan", "arguments": json.dumps({"tasks": DRAFTED})},
        {"tasks": {"a": {"skill": "noop"}, "b": {"skill": "noop", "depends_on": "a"}}},
        {"a": {"skill": "noop"}, "b": {"skill": "noop", "needs": ["a"]}},
        {"nodes": [task("a"), task("b")], "edges": [{"source": "a", "target": "b"}]},
        {"nodes": [task("a"), task("b")], "edges": [["a", "b"]]},
        {"tasks": [task("a"), task("b")], "links": ["a -> b"]},
        {"tasks": [task("a"), task("b")], "dependencies": {"b": ["a"]}},
        {"task_nodes": [{"task": "noop"}, {"task": "sql"}], "task_links": [{"source": "noop", "target": "sql"}]},
        {"tasks": [{"task_id": "a", "tool": "noop"}, {"Task-ID": "b", "Tool": "noop", "dependsOn": ["a"]}]},
        {"tasks": [{"id": "a", "action": "noop"}, {"id": "b", "skill": {"name": "noop", "arguments": {}}, "needs": "a"}]},
    ],
)  # fmt: skip
def test_a_plan_of_any_shape_is_its_graph(plan):
    ids = ["t1", "t2"] if "task_nodes" in plan else ["a", "b"]
    result = compile_plan(plan, FREE)
    assert (result.nodes, result.edges) == (ids, [tuple(ids)])
    assert result.outcome == ("accepted" if plan == {"tasks": DRAFTED} else "repaired")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("a", ["a"]),
        ("a, c", ["a", "c"]),
        ("a and c", ["a", "c"]),
        (["Load it"], ["c"]),
        (["load-it"], ["c"]),
        (["{{ c.rows_of_it }}"], ["c"]),
        (["rows_of_it"], ["c"]),
        (["c.result"], ["c"]),
        ([["a"], "c"], ["a", "c"]),
        ({"a": "data", "c": "chart"}, ["a", "c"]),
        ([{"task": "a", "status": "success"}], ["a"]),
        (["a", "None", "", None], ["a"]),
        ("null", []),
        ("none", []),
    ],
)
def test_dependencies_in_any_form_are_a_list_of_ids(given, wanted):
    loads = task("c", name="Load it", outputs={"rows_of_it": "json"})
    result = compiled(task("a"), loads, task("b", depends_on=given))
    assert (result.outcome, result.plan.tasks[2].depends_on) == ("repaired", wanted)


@pytest.mark.parametrize(
    "given",
    [
        {"depends_on": ["Same"]},
        {"depends_on": "a or c"},
        {"depends_on": [{"id": "a", "condition": "on_failure"}]},
        {"depends_on": ["a"], "needs": ["c"]},
        {"depends_on": 5.5},
        {"depends_on": True},
        {"run_if": "true", "condition": "false"},
        {"tool": "sql"},
        {"children": [task("x")]},
    ],
)
def test_what_could_mean_two_things_is_refused(given):
    result = compiled(task("a", name="Same"), task("c", name="same"), task("b", **given))
    assert result.outcome == "rejected"


@pytest.mark.parametrize("same", ["none", "-", "a, c", "A"])
def test_an_id_that_looks_like_something_else_is_an_id(same):
    result = compiled(task(same), task("a"), task("c"), task("b", depends_on=[same]))
    assert (result.outcome, result.edges) == ("accepted", [(same, "b")])


@pytest.mark.parametrize(
    ("given", "field", "wanted"),
    [
        ({"title": "Load"}, "name", "Load"),
        ({"instruction": "Do it"}, "description", "Do it"),
        ({"parameters": {"value": 1}}, "params", {"value": 1}),
        ({"args": {"value": 1}}, "params", {"value": 1}),
        ({"inputs": {"value": 1}}, "params", {"value": 1}),
        ({"params": [{"name": "value", "value": [1]}]}, "params", {"value": [1]}),
        ({"params": '{"value": 1}'}, "params", {"value": 1}),
        ({"params": "None"}, "params", {}),
        ({"outputs": ["total"]}, "outputs", {"total": "json"}),
        ({"outputs": "total"}, "outputs", {"total": "json"}),
        ({"outputs": [{"name": "total", "type": "integer"}]}, "outputs", {"total": "number"}),
        ({"outputs": {"total": {"type": "string", "description": "x"}}}, "outputs", {"total": "text"}),
        ({"condition": "true"}, "run_if", "true"),
        ({"retries": "2"}, "retries", 2),
        ({"max_retries": 1}, "retries", 1),
        ({"timeout": "30s"}, "timeout_seconds", 30),
        ({"timeout_seconds": "1 min"}, "timeout_seconds", 60),
        ({"priority": "3"}, "priority", 3),
        ({"always_run": "yes"}, "always_run", True),
        ({"approval": True}, "approval", "always"),
        ({"requires_approval": False}, "approval", "auto"),
        ({"risk": "Critical"}, "risk", "high"),
        ({"confidence": "HIGH"}, "confidence", "high"),
        ({"on_failure": "retry_then_stop"}, "on_failure", "retry_then_stop"),
        ({"on_failure": "skip_and_continue"}, "on_failure", "skip"),
        ({"on_failure": "require_human"}, "on_failure", "retry_then_ask"),
        ({"on_failure": "ask_human"}, "on_failure", "retry_then_ask"),
        ({"on_error": "fail_fast"}, "on_failure", "abort"),
        ({"on_failure": "fallback"}, "on_failure", "fallback"),
        ({"on_failure": "try_alternative"}, "on_failure", "retry_different"),
        ({"on_failure": "retry_different", "fallback_skill": "sql"}, "on_failure", "fallback"),
        ({"on_failure": {"strategy": "skip_and_continue", "max_retries": 1}}, "on_failure", "skip"),
        ({"on_failure": {"strategy": "abort", "max_retries": 1}}, "retries", 1),
        ({"expect": "true"}, "expect", ["true"]),
    ],
)
def test_other_spellings_are_ours(given, field, wanted):
    found = read(given)
    assert getattr(found, field) == wanted
    result = compiled(task("a"), {"id": "b", "skill": "noop", **given})
    assert ("repaired" in result.outcome or "rejected" in result.outcome) == (
        given != {"on_failure": "retry_then_stop"}
    )


def test_a_repair_that_many_tasks_share_is_said_once_with_their_number():
    result = compiled(*({"id": f"t{number}", "tool": "noop"} for number in range(40)))
    assert codes(result)[0] == "key_spelled"
    assert result.findings[0].params["count"] == 40
    assert len(result.findings[0].params["tasks"]) == 10


def test_groups_become_milestones_at_any_depth_and_what_they_wait_for_their_tasks_do():
    inner = {
        "id": "p2",
        "title": "Work",
        "depends_on": ["p1"],
        "steps": [task("b"), {"name": "Deep", "tasks": [task("c")]}],
    }
    result = compiled({"id": "p1", "name": "Collect", "children": [task("a")]}, inner)
    assert result.outcome == "repaired"
    assert [(row.id, row.parent) for row in result.plan.milestones] == [("p1", None), ("p2", None), ("Deep", "p2")]
    assert [(step.id, step.milestone) for step in result.plan.tasks] == [("a", "p1"), ("b", "p2"), ("c", "Deep")]
    assert result.edges == [("a", "b"), ("a", "c")]


def test_ids_are_made_only_where_no_task_has_one():
    """C09: a task without id among others is named by its number and field."""
    one = compiled({"id": "a", "skill": "noop"}, {"skill": "noop", "name": "Sum"})
    assert [(f.code, f.params["number"]) for f in one.findings if f.severity == "error"] == [("missing_id", 2)]
    none = compiled({"skill": "noop", "name": "Load"}, {"skill": "noop", "name": "Sum", "depends_on": ["Load"]})
    assert (none.outcome, none.edges) == ("repaired", [("t1", "t2")])


def test_a_task_without_skill_names_the_task():
    """C09: the error names task and field."""
    result = compiled(task("a"), {"id": "b", "name": "Sum"})
    assert [(f.code, f.task) for f in result.findings] == [("missing_skill", "b")]


def test_two_tasks_with_one_id_are_one_only_when_they_are_the_same_word_for_word():
    """C11: duplicate names must not collapse."""
    same = task("a", name="Load", params={"value": 1})
    assert compiled(same, dict(same)).outcome == "repaired"
    for other in (task("a", name="Sum"), task("a"), {**same, "retries": 0}):
        result = compiled(same, other)
        assert ("duplicate_id" in codes(result), result.outcome) == (True, "rejected")
    assert codes(compiled(task("a"), task("a"))) == ["duplicate_id"]


def test_assumptions_and_questions_beside_the_tasks_belong_to_the_intent():
    result = compiled(task("a"), assumptions="The week begins on Monday", questions=["Which year?"])
    assert result.plan.intent.assumptions == ["The week begins on Monday"]
    assert [(each.id, each.text) for each in result.plan.intent.questions] == [("q1", "Which year?")]


def test_what_a_repaired_plan_says_is_accepted_the_second_time():
    raw = "Plan: {steps: [{task_id: 1, tool: 'noop', 'max_retries': '1'}, {task_id: 2, tool: 'noop', needs: [1]},]}"
    first = text(raw)
    assert first.outcome == "repaired"
    again = compile_plan(first.plan, CATALOGUE)
    assert (again.outcome, again.findings, again.edges) == ("accepted", [], [("1", "2")])
