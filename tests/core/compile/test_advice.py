"""Advice on plans: what is found where, what is not, and that good plans are left alone."""

import json
from dataclasses import replace

import pytest

from plans.core.catalogue import AnySkill
from plans.core.compile import compile_plan
from plans.core.kinds import Risk
from plans.planning.definition import get, load_all
from plans.skills import registry
from tests.core.compile.advice_cases import FREE, RISKY, within, write
from tests.core.compile.plans import CATALOGUE, codes, compiled, load, task

ADVICE = {
    "redundant_dependency", "unused_output", "vague_task", "coarse_task", "fine_tasks", "no_milestones", "mergeable_calls",
}  # fmt: skip


def found(result, code):
    return [finding for finding in result.findings if finding.code == code]


def test_every_gold_plan_is_accepted(corpora):
    """The graphs people checked: none is refused, none is changed."""
    items = json.loads((corpora / "goals/gold_plans.json").read_text("utf-8"))["items"]
    assert len(items) > 100
    for item in items:
        upstream = {node["id"]: [] for node in item["gold"]["nodes"]}
        for up, down in item["gold"]["edges"]:
            upstream[down].append(up)
        tasks = [{"id": n["id"], "name": n["name"], "depends_on": upstream[n["id"]]} for n in item["gold"]["nodes"]]
        result = compile_plan({"tasks": tasks}, AnySkill())
        assert (result.outcome, {up for up, _ in result.edges} <= upstream.keys()) == ("accepted", True)
        assert sorted(result.edges) == sorted(map(tuple, item["gold"]["edges"]))
        assert {finding.code for finding in result.findings} <= ADVICE


@pytest.mark.parametrize("name", sorted(book.name for book in load_all() if not book.builder))
def test_shipped_playbooks_get_no_error_and_no_warning(name):
    result = compile_plan({"schema": 1, "goal": "a goal", **get(name).plan}, registry.catalogue({}))
    assert [(f.code, f.params) for f in result.findings if f.severity != "info"] == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("${a.result}", "{{ a.result }}"),
        ("${a} + ${a.output}", "{{ a.result }} + {{ a.result }}"),
        ("<node-0>", "{{ a.result }}"),
        ("see <node-0>.text", "see {{ a.result }}"),
        ("{a.result} and {x.y}", "{{ a.result }} and {x.y}"),
        ("<<total>>", "{{ total }}"),
        ("#E1", "{{ a.result }}"),
    ],
)
def test_a_placeholder_of_another_product_is_found_with_ours_as_fix(text, meant):
    """C10: an argument with such placeholders was passed on unresolved, without a word."""
    result = compiled(
        task("a", outputs={"total": "json"}), task("b", depends_on=["a"], params={"value": {"deep": [text]}})
    )
    assert [(f.task, f.fix["field"], f.fix["value"]) for f in found(result, "foreign_placeholder")] == [
        ("b", "params.value.deep.0", meant)
    ]


@pytest.mark.parametrize(
    "text", ["${HOME}/x", "{name}", "a < b > c", "<b>bold</b>", "{{ a.result }}", "#E9", "{'a': 1}", "<note-1>"]
)
def test_text_that_only_looks_like_one_is_left_alone(text):
    result = compiled(task("a", params={"value": "x"}), task("b", depends_on=["a"], params={"value": text}))
    assert found(result, "foreign_placeholder") + found(result, "unknown_placeholder") == []


@pytest.mark.parametrize(
    ("one", "other", "excludes"),
    [
        ("inputs.n > 1", "inputs.n <= 1", True),
        ("inputs.n > 1", "!(inputs.n > 1)", True),
        ("inputs.ok", "!inputs.ok", True),
        ('inputs.kind == "a"', "inputs.kind == 'b'", True),
        ('inputs.kind == "a"', "inputs.kind == 'a'", False),
        ('inputs.kind == "a" && inputs.ok', 'inputs.n > 1 && inputs.kind == "b"', True),
        ("inputs.n == 1", "inputs.m == 2", False),
        ("inputs.n > 1", "inputs.n > 2", False),
        ("inputs.n > 1 || inputs.ok", "inputs.n <= 1", False),
        ("inputs.n > 1", "inputs.n <= 1 ? true : false", False),
    ],
)
def test_a_read_between_branches_of_which_only_one_runs_is_found(one, other, excludes):
    result = compiled(
        task("a", run_if=one, outputs={"x": "json"}),
        task("b", run_if=other, depends_on=["a"], params={"value": "{{ x }}"}),
    )
    assert bool(found(result, "exclusive_reference")) == excludes


def test_a_task_that_joins_both_branches_is_no_exclusive_reference():
    result = compiled(
        task("a", run_if="inputs.n > 1", outputs={"x": "json"}),
        task("b", run_if="inputs.n <= 1", outputs={"y": "json"}),
        task("c", depends_on=["a", "b"], params={"value": "{{ x != null ? x : y }}"}),
    )
    assert found(result, "exclusive_reference") == []


@pytest.mark.parametrize(
    ("fields", "unused"),
    [
        ({}, ["sales"]),
        ({"params": {"value": "{{ sales }}"}}, []),
        ({"params": {"value": "{{ t1.result.row_count }}"}}, []),
        ({"params": {"value": "{{ t1 }}"}}, []),
        ({"run_if": "sales.row_count > 1"}, []),
    ],
)
def test_an_output_that_nothing_reads_is_named(fields, unused):
    result = compiled(load(), task("b", depends_on=["t1"], **fields))
    assert [f.params["outputs"] for f in found(result, "unused_output")] == ([unused] if unused else [])


def test_what_the_result_names_and_what_the_last_task_makes_is_used():
    assert found(compiled(load()), "unused_output") == []
    assert found(compiled(load(), task("b", depends_on=["t1"]), result=["sales", "b"]), "unused_output") == []


@pytest.mark.parametrize(
    ("steps", "redundant"),
    [
        ([task("a"), task("b", depends_on=["a"]), task("c", depends_on=["a", "b"])], ["a"]),
        ([task("a"), task("b"), task("c", depends_on=["a", "b"])], []),
        (
            [load("a"), task("b", depends_on=["a"]), task("c", depends_on=["a", "b"], params={"value": "{{ sales }}"})],
            [],
        ),
        ([task("a"), task("b", depends_on=["a"], always_run=True), task("c", depends_on=["a", "b"])], []),
    ],
)
def test_a_dependency_is_redundant_only_when_nothing_needs_it(steps, redundant):
    """Data that is read, and a failure that must be passed on, need their own edge. None is removed unasked."""
    result = compiled(*steps)
    said = [f.params["dependency"] for f in found(result, "redundant_dependency")]
    assert said == redundant
    assert result.outcome == "accepted"


@pytest.mark.parametrize(
    ("second", "conflict"),
    [
        (write("b"), True),
        (write("b", depends_on=["a"]), False),
        (task("b", "write_file", params={"path": "other.md"}), False),
        (task("b", "write_file", params={"text": "report.md"}), False),
    ],
)
def test_two_writers_of_one_place_must_be_ordered(second, conflict):
    """C13: parallel tasks that write the same file."""
    result = compiled(write("a"), second, catalogue=FREE)
    assert (bool(found(result, "write_conflict")), result.outcome) == (conflict, "rejected" if conflict else "accepted")


def test_writers_are_ordered_when_they_wait_through_others():
    middle = task("m", "write_file", depends_on=["a"])
    assert found(compiled(write("a"), middle, write("b", depends_on=["m"]), catalogue=FREE), "write_conflict") == []


def test_a_param_a_skill_marks_as_a_place_it_writes_to_counts_too():
    schema = {"type": "object", "properties": {"name": {"type": "string", "x-writes": True}}}
    marked = {"keep": replace(CATALOGUE["noop"], name="keep", params_schema=schema)}
    steps = [task(key, "keep", params={"name": "x"}) for key in "ab"]
    assert len(found(compiled(*steps, catalogue=marked), "write_conflict")) == 1


def test_items_of_one_task_that_write_to_one_place_conflict():
    items = write("a", for_each="[1, 2]")
    assert len(found(compiled(items, catalogue=FREE), "write_conflict")) == 1
    items["params"]["path"] = "report-{{ index }}.md"
    assert found(compiled(items, catalogue=FREE), "write_conflict") == []


def test_a_deleted_task_leaves_a_dangling_edge_that_is_found_at_once():
    """C13: dependencies that go stale when a plan is edited."""
    result = compiled(task("a"), task("c", depends_on=["b"]))
    assert [(f.code, f.task, f.params["dependency"]) for f in result.findings] == [("dangling_dependency", "c", "b")]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([task("a", depends_on=["b"]), task("b", depends_on=["a"])], "cycle"),
        ([task("a", name="A"), task("a", name="B")], "duplicate_id"),
        ([task("a", depends_on=["zz"])], "dangling_dependency"),
        ([task("a", depends_on=["a"])], "self_dependency"),
        ([task("Load"), task("load ")], "near_duplicate_id"),
    ],
)
def test_graphs_of_models_are_named_by_their_fault(steps, code):
    """C11: duplicates that collapse, unknown dependencies that are dropped, cycles that run anyway."""
    assert code in codes(compiled(*steps))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "Process the data"}, "vague_task"),
        ({"name": "处理数据"}, "vague_task"),
        ({"name": "TBD"}, "vague_task"),
        ({"name": "Sum by month", "description": "TODO"}, "vague_task"),
        ({"name": "Process the data", "params": {"value": 1}}, None),
        ({"name": "Sum the sales by month"}, None),
        ({"name": "Load, and then sum, and then chart"}, "coarse_task"),
        ({"name": "先读取文件，然后汇总，最后画图"}, "coarse_task"),
        ({"description": "1. load\n2. sum\n3. chart"}, "coarse_task"),
        ({"name": "Sum", "estimate": {"seconds": 20_000}}, "coarse_task"),
        ({"name": "Sort, then take the first"}, None),
        ({"name": "Finally"}, None),
    ],
)
def test_a_task_that_says_too_little_or_too_much_is_found(fields, code):
    said = [f.code for f in compiled(task("a", **fields)).findings]
    assert said == ([code] if code else [])


def test_risk_without_undo_or_approval_is_said_once_each():
    assert codes(compiled(RISKY)) == ["no_undo"]
    assert codes(compiled(RISKY, rollback="Restore last night's copy")) == []
    assert codes(within(RISKY, unattended=True)) == ["no_undo", "no_approval"]
    assert codes(within({**RISKY, "approval": "always"}, unattended=True)) == ["no_undo"]
    risky_skill = {"noop": replace(CATALOGUE["noop"], risk=Risk.HIGH)}
    assert codes(compiled(task("a"), catalogue=risky_skill)) == ["no_undo"]


@pytest.mark.parametrize(
    ("condition", "found_codes"),
    [
        ("sales.row_count > 1", []),
        ("sales.row_count > 1.5", []),
        ("sales.row_count", ["not_a_condition"]),
        ("sales.row_count + 'x' != ''", ["expression_types"]),
        ("len(sales.row_count) > 1", ["bad_argument"]),
        ("size(sales.columns) > 1 && sales.row_count == 12", []),
        ('sales.row_count == "12"', ["comparison_kinds"]),
        ('"12" != sales.row_count', ["comparison_kinds"]),
        ("sales.rows[0].n + 'x' == 'y'", []),
        ("sales.row_count > 1 && inputs.n + 'x' == 'y'", []),
        ("sales.row_count % 2 == 0", []),
        ("sales == null || sales.row_count / 0 > 1", []),
        ("'a'", ["not_a_condition"]),
    ],
)
def test_types_in_an_expression_are_judged_where_they_are_declared(condition, found_codes):
    assert codes(compiled(load(), task("b", depends_on=["t1"], run_if=condition))) == found_codes
