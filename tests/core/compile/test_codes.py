"""Each code of the compiler and of expressions, by the input that brings it about."""

import ast
from pathlib import Path

import pytest

from plans.core import bind
from plans.core.compile import compile_plan
from plans.core.errors import PlannerError
from plans.core.expressions import evaluate
from plans.core.kinds import ValueKind
from plans.core.scope import MAX_ROWS, Scope, is_true, render_params
from tests.core.compile.plans import CATALOGUE, FILE, compiled, load, task

ERROR, WARNING, INFO = "error", "warning", "info"
ROOT = Path(__file__).resolve().parents[3]
TABLE_REF = {"$artifact": "a" * 64, "kind": "table", "name": "t", "meta": {"columns": [], "row_count": MAX_ROWS + 1}}


def text(raw):
    return compile_plan(raw, CATALOGUE)


# code -> (severity, task the finding is about, what brings it about)
FINDINGS = {
    "not_utf8": (ERROR, None, lambda: text(b'{"tasks": "\xff"}')),
    "empty_text": (ERROR, None, lambda: text(" \n")),
    "not_json": (ERROR, None, lambda: text('{"tasks": [}')),
    "not_a_plan": (ERROR, None, lambda: text("null")),
    "no_tasks_key": (ERROR, None, lambda: text('{"steps": []}')),
    "too_deep": (ERROR, None, lambda: text('{"tasks":' + "[" * 5_000 + "]" * 5_000 + "}")),
    "bad_characters": (ERROR, None, lambda: text('{"tasks": [], "goal": "\\u0000"}')),
    "repeated_key": (WARNING, None, lambda: text('{"goal": "a", "goal": "b", "tasks": []}')),
    "byte_order_mark_removed": (INFO, None, lambda: text('\ufeff{"tasks": [{"id": "a", "skill": "noop"}]}')),
    "fence_removed": (INFO, None, lambda: text('```json\n{"tasks": []}\n```')),
    "ids_made_text": (INFO, None, lambda: compiled(task(1), task("2", depends_on=[1]))),
    "schema_unknown": (ERROR, None, lambda: compiled(schema=99)),
    "not_an_object": (ERROR, None, lambda: compiled("load the file")),
    "missing_id": (ERROR, None, lambda: compiled({"skill": "noop", "name": "Load"})),
    "missing_skill": (ERROR, "a", lambda: compiled({"id": "a"})),
    "bad_field": (ERROR, "a", lambda: compiled(task("a", retries="many"))),
    "unknown_key": (WARNING, "a", lambda: compiled(task("a", dependson=[]))),
    "empty_plan": (ERROR, None, lambda: compiled()),
    "duplicate_id": (ERROR, "a", lambda: compiled(task("a"), task("a"))),
    "near_duplicate_id": (WARNING, "Load-File", lambda: compiled(task("load file"), task("Load-File"))),
    "unknown_milestone": (ERROR, "a", lambda: compiled(task("a", milestone="m2"), milestones=[{"id": "m1"}])),
    "milestone_cycle": (
        ERROR,
        None,
        lambda: compiled(task("a"), milestones=[{"id": "m", "parent": "n"}, {"id": "n", "parent": "m"}]),
    ),
    "dangling_dependency": (ERROR, "b", lambda: compiled(task("a"), task("b", depends_on=["zz"]))),
    "self_dependency": (ERROR, "a", lambda: compiled(task("a", depends_on=["a"]))),
    "repeated_dependency": (INFO, "b", lambda: compiled(task("a"), task("b", depends_on=["a", "a"]))),
    "own_milestone_dependency": (
        ERROR,
        "a",
        lambda: compiled(task("a", milestone="m", depends_on=["m"]), milestones=[{"id": "m"}]),
    ),
    "empty_milestone": (WARNING, "a", lambda: compiled(task("a", depends_on=["m"]), milestones=[{"id": "m"}])),
    "cycle": (ERROR, "a", lambda: compiled(task("a", depends_on=["b"]), task("b", depends_on=["a"]))),
    "dependency_added": (
        INFO,
        "b",
        lambda: compiled(task("a", outputs={"x": "json"}), task("b", params={"value": "{{ x }}"})),
    ),
    "not_available_yet": (ERROR, "a", lambda: compiled(task("a", pool="gpu"))),
    "two_producers": (ERROR, "b", lambda: compiled(task("a", outputs={"x": "json"}), task("b", outputs={"x": "json"}))),
    "bad_output_name": (ERROR, "a", lambda: compiled(task("a", outputs={"größe": "json"}))),
    "too_many_outputs": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "json", "y": "json"}))),
    "output_kind": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "table"}))),
    "loosens_skill": (WARNING, "a", lambda: compiled(task("a", retries=50))),
    "unknown_result": (ERROR, None, lambda: compiled(task("a"), result=["report"])),
    "unknown_skill": (ERROR, "a", lambda: compiled(task("a", "send_email"))),
    "unknown_param": (ERROR, "t1", lambda: compiled(load(params={"file": FILE, "path": "x"}))),
    "missing_param": (ERROR, "t1", lambda: compiled(load(params={}))),
    "bad_param": (ERROR, "t1", lambda: compiled(load(params={"file": FILE, "limit": "many"}))),
    "placeholder_in_literal": (WARNING, "a", lambda: compiled(task("a", "sql", params={"query": "SELECT {{ x }}"}))),
    "param_kind": (
        ERROR,
        "c",
        lambda: compiled(load(), task("c", "chart", depends_on=["t1"], params={"table": "{{ t1.found }}"}, outputs={})),
    ),
    "self_reference": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "json"}, params={"value": "{{ x }}"}))),
    "unresolved_reference": (ERROR, "a", lambda: compiled(task("a", params={"value": "{{ nope }}"}))),
    "unguarded_nullable": (
        ERROR,
        "b",
        lambda: compiled(
            task("a", run_if="true", outputs={"x": "json"}), task("b", depends_on=["a"], run_if="x.y > 1")
        ),
    ),
    "for_each_not_list": (
        ERROR,
        "b",
        lambda: compiled(
            task("a", outputs={"n": "number"}),
            task("b", depends_on=["a"], for_each="n", params={"value": "{{ item }}"}),
        ),
    ),
    "only_for_items": (WARNING, "a", lambda: compiled(task("a", items_at_once=2))),
    "item_unused": (WARNING, "a", lambda: compiled(task("a", for_each="[1, 2]"))),
    "fan_out_id_too_long": (
        ERROR,
        "a" * 191,
        lambda: compiled(task("a" * 191, for_each="[1]", params={"value": "{{ item }}"})),
    ),
    "item_key_taken": (
        ERROR,
        "a[7]",
        lambda: compiled(task("a", for_each="[1]", params={"value": "{{ item }}"}), task("a[7]")),
    ),
    "expression_too_long": (ERROR, "a", lambda: compiled(task("a", run_if="1" * 2_001))),
    "expression_too_deep": (ERROR, "a", lambda: compiled(task("a", run_if="(" * 31 + "1" + ")" * 31))),
    "expression_empty": (ERROR, "a", lambda: compiled(task("a", run_if=" "))),
    "expression_syntax": (ERROR, "a", lambda: compiled(task("a", run_if="1 +"))),
    "unknown_function": (ERROR, "a", lambda: compiled(task("a", run_if='__import__("os").system("id")'))),
    "placeholder_unclosed": (ERROR, "a", lambda: compiled(task("a", params={"value": "{{ x"}))),
    "placeholder_empty": (ERROR, "a", lambda: compiled(task("a", params={"value": "{{ }}"}))),
}
FINDINGS["param_kind"] = (
    ERROR,
    "c",
    lambda: compiled(load(outputs={}), task("c", "chart", depends_on=["t1"], params={"table": "{{ t1.found }}"})),
)


def deep():
    value = 1
    for _ in range(200):
        value = [value]
    return value


SCOPE = Scope(upstream={"a": {"x": 1, "y": 2}, "b": {"x": 1}})
RAISED = {
    "expression_too_costly": lambda: evaluate("l.map(x, l.map(y, 1))", {"l": list(range(999))}),
    "expression_value_too_deep": lambda: evaluate("a", {"a": deep()}),
    "expression_types": lambda: evaluate("'a' + 1", {}),
    "expression_failed": lambda: evaluate("int('x')", {}),
    "unknown_name": lambda: evaluate("x", {}),
    "ambiguous_name": lambda: is_true("x == 1", SCOPE),
    "no_such_field": lambda: evaluate("a.b", {"a": {}}),
    "index_out_of_range": lambda: evaluate("[1][2]", {}),
    "division_by_zero": lambda: evaluate("1 / 0", {}),
    "number_overflow": lambda: evaluate("9223372036854775807 + 1", {}),
    "number_not_finite": lambda: evaluate("1.0 / 0.0", {}),
    "result_type": lambda: evaluate("b'x'", {}),
    "bad_argument": lambda: evaluate("len(1)", {}),
    "not_a_condition": lambda: is_true("y", SCOPE),
    "too_many_rows": lambda: is_true("size(t.rows) > 0", Scope(upstream={"a": {"t": TABLE_REF}})),
    "rows_unavailable": lambda: is_true(
        "size(t.rows) > 0", Scope(upstream={"a": {"t": {**TABLE_REF, "meta": {"row_count": 1}}}})
    ),
    "unresolved": lambda: render_params({"p": "{{ nope }}"}, SCOPE),
    "output_missing": lambda: bind.bind_outputs({"x": ValueKind.JSON}, {}),
    "output_type": lambda: bind.bind_outputs({"x": ValueKind.TABLE}, {"x": 1}),
}
# Said by `checkplan` alone: tests/management/test_checkplan.py.
COMMAND = {"plan_file_unreadable", "catalogue_unavailable"}


@pytest.mark.parametrize("code", FINDINGS)
def test_a_plan_brings_about_this_finding(code):
    severity, about, build = FINDINGS[code]
    result = build()
    found = [(finding.severity, finding.task) for finding in result.findings if finding.code == code]
    assert found == [(severity, about)]
    assert (result.outcome == "rejected") == any(finding.severity == ERROR for finding in result.findings)


@pytest.mark.parametrize("code", RAISED)
def test_a_run_brings_about_this_error(code):
    with pytest.raises(PlannerError) as caught:
        RAISED[code]()
    assert caught.value.code == code


def said_in_source():
    """Return every code that the core says or raises, read from its source."""
    found = set()
    makers = {"say": 0, "_add": 0, "Finding": 0, "ExpressionError": 0, "CheckFailed": 0}
    for path in sorted((ROOT / "plans/core").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            found |= {each.value for each in given if name in makers and isinstance(each, ast.Constant)}
    return found


def test_every_code_in_the_source_has_a_case_here():
    cases = FINDINGS.keys() | RAISED.keys()
    assert said_in_source() - cases == set()
    # Made by a table in `expressions._mapped`, where no call names them.
    assert cases - said_in_source() == {
        "index_out_of_range",
        "division_by_zero",
        "number_overflow",
        "expression_failed",
        "unresolved",
    }


def documented():
    rows = [
        line.split("|")
        for line in (ROOT / "docs/diagnostics.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    return {row[1].strip(" `"): row[2].strip() for row in rows}


def test_every_code_has_a_row_in_the_docs_with_its_severity():
    expected = {code: severity for code, (severity, _, _) in FINDINGS.items()} | dict.fromkeys(
        RAISED.keys() | COMMAND, ERROR
    )
    assert documented() == expected
