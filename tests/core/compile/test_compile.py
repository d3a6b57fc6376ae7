"""What the compiler makes of plans: graph, verdict, references, nulls, params, milestones, fixes."""

import json

import pytest
from hypothesis import given

from plans.core.catalogue import AnySkill
from plans.core.compile import compile_plan
from plans.core.hashing import graph_hash
from tests.core.compile.plans import CATALOGUE, codes, compiled, load, task
from tests.core.dags import dags, graphs


def fixes(result):
    return [finding.fix for finding in result.findings]


@given(dags())
def test_any_acyclic_graph_with_any_text_as_ids_is_accepted_as_given(upstream):
    result = compiled(*({"id": node, "depends_on": ups} for node, ups in upstream.items()), catalogue=AnySkill())
    expected = "accepted" if upstream else "rejected"
    assert result.outcome == expected
    assert result.nodes == list(upstream)
    assert result.edges == [(up, node) for node, ups in upstream.items() for up in ups]
    assert [node for batch in result.levels for node in batch if not upstream[node]] == (result.levels or [[]])[0]


@given(graphs())
def test_a_graph_is_accepted_exactly_when_it_has_no_cycle(upstream):
    result = compiled(*({"id": node, "depends_on": ups} for node, ups in upstream.items()), catalogue=AnySkill())
    has_cycle = {"cycle", "self_dependency"} & set(codes(result))
    assert (result.outcome == "rejected") == bool(has_cycle) == (result.levels == [])


def test_compiling_what_was_compiled_changes_nothing():
    first = compiled(load(), task("b", "sql", params={"query": "q", "tables": {"s": "{{ sales }}"}}))
    assert first.outcome == "repaired"
    again = compile_plan(json.dumps(first.plan.model_dump(mode="json", by_alias=True)), CATALOGUE)
    assert (again.outcome, again.plan, again.edges) == ("accepted", first.plan, first.edges)
    assert graph_hash(again.plan) == graph_hash(first.plan)
    assert compile_plan(first.plan, CATALOGUE).plan == first.plan


def test_a_reference_adds_its_dependency_and_says_so():
    result = compiled(load(), task("b", "sql", params={"query": "q", "tables": {"s": "{{ t1.sales }}"}}))
    assert (result.outcome, result.edges, result.plan.tasks[1].depends_on) == ("repaired", [("t1", "b")], ["t1"])
    assert fixes(result) == [{"action": "add", "field": "depends_on", "value": "t1"}]


def test_a_dependency_that_a_reference_makes_can_close_a_cycle():
    result = compiled(
        task("a", outputs={"x": "json"}, params={"value": "{{ y }}"}),
        task("b", outputs={"y": "json"}, params={"value": "{{ x }}"}),
    )
    assert (result.outcome, codes(result)) == ("rejected", ["dependency_added", "dependency_added", "cycle"])


def test_odd_ids_are_reached_through_tasks():
    result = compiled(
        task("über id"), task("b", depends_on=["über id"], params={"value": '{{ tasks["über id"].result }}'})
    )
    assert (result.outcome, codes(result)) == ("accepted", [])


MILESTONES = [{"id": "m"}, {"id": "inner", "parent": "m"}]


def test_a_dependency_on_a_milestone_means_all_its_steps_at_any_depth():
    result = compiled(
        task("a", milestone="m"), task("b", milestone="inner"), task("c", depends_on=["m"]), milestones=MILESTONES
    )
    assert (result.outcome, result.nodes) == ("accepted", ["a", "b", "c"])
    assert result.edges == [("a", "c"), ("b", "c")]
    assert result.plan.tasks[2].depends_on == ["m"]


def test_a_reference_into_a_milestone_that_is_waited_for_adds_no_edge():
    result = compiled(
        task("a", milestone="m", outputs={"x": "json"}),
        task("c", depends_on=["m"], params={"value": "{{ x }}"}),
        milestones=[{"id": "m"}],
    )
    assert (result.outcome, result.edges, codes(result)) == ("accepted", [("a", "c")], [])
    # The engine hands a step the outputs of what it directly waits for.
    assert result.plan.tasks[1].depends_on == ["m", "a"]


def test_a_cycle_through_milestones_is_found():
    result = compiled(
        task("a", milestone="m", depends_on=["n"]),
        task("b", milestone="n", depends_on=["m"]),
        milestones=[{"id": "m"}, {"id": "n"}],
    )
    assert [finding.params["path"] for finding in result.findings if finding.code == "cycle"] == [["a", "b", "a"]]


def test_every_cycle_is_named():
    pairs = [task(f"{key}{end}", depends_on=[f"{key}{1 - end}"]) for key in "abc" for end in (0, 1)]
    assert codes(compiled(*pairs)) == ["cycle"] * 3


def test_checks_of_what_a_plan_presupposes_are_not_built_yet_either():
    assert codes(compiled(task("a"), preconditions=[{"text": "t", "check": "true"}])) == ["not_available_yet"]


@pytest.mark.parametrize(
    ("expect", "found"),
    [
        (["sales.row_count == 12", "t1.sales.row_count > 0", 'tasks["t1"].result.row_count > 0'], []),
        (["size(inputs.log) > 0"], []),
        (["sales.rowcount == 12"], ["unresolved_reference"]),
        (["sale.row_count == 12"], ["unresolved_reference"]),
        (["sales.row_count =="], ["expression_syntax"]),
        (["item == 1"], ["unresolved_reference"]),
    ],
)
def test_a_check_reads_the_steps_own_outputs(expect, found):
    assert codes(compiled(load(expect=expect))) == found


def test_a_check_that_reads_another_step_waits_for_it():
    result = compiled(load(), task("b", outputs={"n": "json"}, expect=["n == sales.row_count"]))
    assert codes(result) == ["dependency_added"]
    assert result.edges == [("t1", "b")]


@pytest.mark.parametrize(
    ("done_when", "found"),
    [("sales.row_count > 0", []), ("n == 1", ["done_when_outside"]), ("sales.rows2 == 1", ["unresolved_reference"])],
)
def test_a_milestone_is_done_by_what_its_own_steps_make(done_when, found):
    rows = [{"id": "m", "done_when": done_when}, {"id": "inner", "parent": "m"}]
    result = compiled(load(milestone="inner"), task("b", outputs={"n": "json"}), milestones=rows)
    assert codes(result) == found


def test_a_milestone_that_reads_what_may_be_skipped_has_to_ask_first():
    rows = [{"id": "m", "done_when": "sales.row_count > 0"}]
    assert codes(compiled(load(milestone="m", run_if="true"), milestones=rows)) == ["unguarded_nullable"]


def test_what_is_built_is_accepted():
    fields = {
        "retries": 1,
        "timeout_seconds": 30,
        "run_if": "true",
        "on_failure": "retry_then_stop",
        "approval": "always",
        "risk": "high",
        "confidence": "low",
        "priority": 5,
        "always_run": True,
        "estimate": {"seconds": 2, "usd": 0.5},
        "expected_output": "a word",
        "description": "…",
    }
    result = compiled(task("a", **fields), preconditions=[{"text": "the file is there"}], rollback="none", risks=["r"])
    assert (result.outcome, codes(result)) == ("accepted", [])
    assert (result.estimate["seconds"], result.estimate["usd"]) == (2.0, 0.5)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"retries": 3}, "retries"),
        ({"timeout_seconds": 61}, "timeout_seconds"),
        ({"risk": "low"}, "risk"),
        ({"approval": "never"}, "approval"),
    ],
)
def test_a_plan_that_loosens_its_skill_is_told_what_holds(fields, field):
    result = compiled(task("a", "sql", params={"query": "q"}, **fields))
    assert (result.outcome, [finding.params["field"] for finding in result.findings]) == ("accepted", [field])


@pytest.mark.parametrize("name", ["inputs", "result", "tasks", "null", "in", "package", "1x", "a-b", "é", "", "b"])
def test_output_names_are_plain_names_of_their_own(name):
    assert codes(compiled(task("a", outputs={name: "json"}), task("b"))) == ["bad_output_name"]


@pytest.mark.parametrize("name", ["x", "a", "t1.table", "t1", "t1.result"])
def test_the_result_may_name_an_output_a_task_or_both(name):
    result = compiled(load(outputs={}), task("a", outputs={"x": "json"}), result=[name])
    assert codes(result) == []


def test_critical_path_and_estimate_come_from_the_estimates():
    result = compiled(
        task("a", estimate={"seconds": 9}), task("b"), task("c", depends_on=["a"]), task("d", depends_on=["b"])
    )
    assert (result.critical_path, result.estimate["seconds"]) == (["a", "c"], 14.0)


def test_unknown_keys_are_one_warning_each_and_the_plan_is_accepted():
    result = compiled(task("a", color=1), task("b", color=2), owner="x")
    assert (result.outcome, codes(result)) == ("accepted", ["unknown_key", "unknown_key"])
    assert [finding.params["count"] for finding in result.findings] == [2, 1]


def test_null_reads_as_not_given():
    result = compiled(task("a", name=None, params=None, depends_on=None, outputs=None, retries=None), result=None)
    assert (result.outcome, codes(result)) == ("accepted", [])


def test_a_bad_field_spares_the_rest_of_the_plan():
    result = compiled(task("a", priority=10_000, run_if=5), task("b", depends_on=["a"]), goal=7)
    assert [finding.params["field"] for finding in result.findings] == ["tasks[1].priority", "tasks[1].run_if", "goal"]
    assert (result.outcome, result.edges) == ("rejected", [("a", "b")])


def test_line_and_column_of_broken_json_are_those_of_the_text_given():
    finding = compile_plan('\ufeff```json\n{"tasks": [\n  {"id": 1 2}\n]}\n```', CATALOGUE).findings[-1]
    assert (finding.code, finding.params["line"], finding.params["column"]) == ("not_json", 3, 12)


@pytest.mark.parametrize(
    "raw",
    ["[1, 2]", "5", "true", '"text"', "NaN", '{"tasks": NaN}', '{"tasks": 5}', '{"tasks": {}}', "{}", "1" * 5_000],
)
def test_what_is_no_plan_is_rejected_in_words(raw):
    result = compile_plan(raw, CATALOGUE)
    assert result.outcome == "rejected"
    assert result.findings


def test_thousands_of_dangling_dependencies_and_unknown_skills_are_judged_in_linear_work():
    result = compiled(*(task(f"t{index}", depends_on=[f"gone{index}"]) for index in range(2_000)))
    assert codes(result).count("dangling_dependency") == 2_000


def test_the_document_has_the_keys_of_the_command():
    document = compiled(load()).as_json()
    assert list(document) == ["outcome", "plan", "graph", "findings", "levels", "critical_path", "estimate"]
    assert document["graph"] == {"nodes": ["t1"], "edges": []}
