"""Each code of the compiler and of expressions, by the input that brings it about."""

import ast
from pathlib import Path

import pytest

from plans.core import bind, checks
from plans.core.circumstances import Circumstances
from plans.core.diagnostics import CATALOGUE
from plans.core.errors import PlannerError
from plans.core.expressions import evaluate
from plans.core.kinds import ValueKind
from plans.core.scope import MAX_ROWS, Scope, is_true, render_params
from plans.wording import sentence
from tests.core.compile.advice_cases import ADVICE
from tests.core.compile.plans import FILE, compiled, load, task
from tests.core.compile.reading_cases import ERROR, INFO, READING, WARNING

POOLS = Circumstances(pools={"crm": 2})
ROOT = Path(__file__).resolve().parents[3]
TABLE_REF = {"$artifact": "a" * 64, "kind": "table", "name": "t", "meta": {"columns": [], "row_count": MAX_ROWS + 1}}


# code -> (severity, task the finding is about, what brings it about)
FINDINGS = {
    **READING,
    **ADVICE,
    "undo_unreadable": (ERROR, "a", lambda: compiled(task("a", undo={"call": "x"}))),
    "undo_unfit": (ERROR, "a", lambda: compiled(task("a", undo={"skill": "load_file", "params": {}}))),
    "done_when_outside": (
        ERROR,
        "m",
        lambda: compiled(task("a", outputs={"n": "json"}), milestones=[{"id": "m", "done_when": "n == 1"}]),
    ),
    "fallback_missing": (ERROR, "a", lambda: compiled(task("a", on_failure="fallback"))),
    "fallback_unused": (WARNING, "a", lambda: compiled(task("a", fallback_skill="load_file"))),
    "fallback_same": (WARNING, "a", lambda: compiled(task("a", on_failure="fallback", fallback_skill="noop"))),
    "fallback_unfit": (ERROR, "a", lambda: compiled(task("a", on_failure="fallback", fallback_skill="load_file"))),
    "fallback_value_unknown": (
        ERROR,
        "a",
        lambda: compiled(task("a", on_failure="fallback", fallback_value={"totl": 1}, outputs={"total": "number"})),
    ),
    "fallback_value_kind": (
        ERROR,
        "a",
        lambda: compiled(task("a", on_failure="fallback", fallback_value={"n": "x"}, outputs={"n": "number"})),
    ),
    "empty_plan": (ERROR, None, lambda: compiled()),
    "duplicate_id": (ERROR, "a", lambda: compiled(task("a", name="A"), task("a", name="B"))),
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
    "not_available_yet": (
        ERROR,
        None,
        lambda: compiled(task("a"), preconditions=[{"text": "t", "check": "true"}]),
    ),
    "two_producers": (ERROR, "b", lambda: compiled(task("a", outputs={"x": "json"}), task("b", outputs={"x": "json"}))),
    "bad_output_name": (ERROR, "a", lambda: compiled(task("a", outputs={"größe": "json"}))),
    "too_many_outputs": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "json", "y": "json"}))),
    "output_kind": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "table"}))),
    "loosens_skill": (WARNING, "a", lambda: compiled(task("a", retries=50))),
    "unknown_result": (ERROR, None, lambda: compiled(task("a"), result=["report"])),
    "unknown_skill": (ERROR, "a", lambda: compiled(task("a", "nooop"))),
    "unknown_param": (ERROR, "t1", lambda: compiled(load(params={"file": FILE, "path": "x"}))),
    "missing_param": (ERROR, "t1", lambda: compiled(load(params={}))),
    "bad_param": (ERROR, "t1", lambda: compiled(load(params={"file": FILE, "limit": "5"}))),
    "placeholder_in_literal": (WARNING, "a", lambda: compiled(task("a", "sql", params={"query": "SELECT {{ x }}"}))),
    "param_kind": (
        ERROR,
        "c",
        lambda: compiled(load(), task("c", "chart", depends_on=["t1"], params={"table": "{{ t1.found }}"}, outputs={})),
    ),
    "self_reference": (ERROR, "a", lambda: compiled(task("a", outputs={"x": "json"}, params={"value": "{{ x }}"}))),
    "unresolved_reference": (
        ERROR,
        "b",
        lambda: compiled(load(), task("b", depends_on=["t1"], params={"value": "{{ sale.row_count }}"})),
    ),
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
            load(outputs={"n": "table"}),
            task("b", depends_on=["t1"], for_each="n", params={"value": "{{ item }}"}),
        ),
    ),
    "unknown_pool": (ERROR, "a", lambda: compiled(task("a", pool="crn"), circumstances=POOLS)),
    "over_weight": (ERROR, "a", lambda: compiled(task("a", pool="crm", weight=3), circumstances=POOLS)),
    "weight_without_pool": (WARNING, "a", lambda: compiled(task("a", weight=2))),
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
    "output_empty": lambda: checks.by_default({"t": {**TABLE_REF, "meta": {"row_count": 0}}}, []),
    "output_not_finite": lambda: checks.by_default({"n": float("inf")}, []),
    "check_failed": lambda: checks.judge("n == 2", Scope(upstream={"a": {"n": 1}})),
    "check_unreadable": lambda: checks.judge("n.x == 2", Scope(upstream={"a": {"n": 1}})),
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
    makers = {"say", "_add", "Finding", "ExpressionError", "CheckFailed", "refuse", "refused", "repaired", "note"}
    for path in sorted((ROOT / "plans/core").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
            found |= {each.value for each in given if name in makers and isinstance(each, ast.Constant)}
    return found


def test_every_code_in_the_source_is_in_the_catalogue_or_an_error_of_a_run():
    assert said_in_source() - CATALOGUE.keys() - RAISED.keys() == set()


def test_every_code_of_the_catalogue_has_a_case_with_its_severity():
    severities = {code: severity for code, (severity, _, _) in FINDINGS.items()} | dict.fromkeys(COMMAND, ERROR)
    assert severities == {code: diagnostic.severity for code, diagnostic in CATALOGUE.items()}


@pytest.mark.parametrize("code", FINDINGS)
def test_a_case_carries_a_fix_and_is_a_repair_only_as_the_catalogue_says(code):
    result = FINDINGS[code][2]()
    found = [finding for finding in result.findings if finding.code == code]
    assert CATALOGUE[code].fixes == any(finding.fix for finding in found)
    if CATALOGUE[code].repairs:
        assert result.outcome != "accepted"


def documented():
    rows = [
        [cell.strip(" `") for cell in line.split("|")]
        for line in (ROOT / "docs/diagnostics.md").read_text("utf-8").splitlines()
        if line.startswith("| `")
    ]
    return {row[1]: (row[2], row[3], row[4]) for row in rows}


def test_every_code_has_a_row_in_the_docs_with_its_severity_place_and_fix():
    expected = {
        code: (diagnostic.severity.value, diagnostic.place.value, "yes" if diagnostic.fixes else "")
        for code, diagnostic in CATALOGUE.items()
    }
    assert documented() == {**dict.fromkeys(RAISED, (ERROR, "value", "")), **expected}


@pytest.mark.parametrize("code", FINDINGS)
def test_every_code_is_a_sentence_without_holes(code):
    for finding in FINDINGS[code][2]().findings:
        told = sentence(finding.code, finding.params)
        assert told.strip()
        assert finding.code not in told
        assert "%(" not in told
