"""What the compiler makes of expressions: references, what may be null, what a param gets."""

import pytest

from plans.core.catalogue import AnySkill
from tests.core.compile.plans import FILE, codes, compiled, load, task


@pytest.mark.parametrize(
    ("expression", "fix"),
    [
        ("sale.row_count", "sales.row_count"),
        ("t1.sale", "t1.sales"),
        ('tasks["T1"].sales', "t1.sales"),
        ("answers.Q1", "answers.q1"),
        ("sales.lines", None),
        ("item", None),
    ],
)
def test_an_unresolvable_reference_offers_the_nearest(expression, fix):
    result = compiled(
        load(),
        task("b", depends_on=["t1"], params={"value": "{{ " + expression + " }}"}),
        intent={"questions": [{"id": "q1", "text": "?"}]},
    )
    assert codes(result) == ["unresolved_reference"]
    assert (result.findings[0].fix or {}).get("value") == fix


@pytest.mark.parametrize("expression", ["t1.value + t2.value", "t1.result.deep[0]", "type(1) == int", "inputs.a.b"])
def test_what_only_the_run_knows_is_not_judged(expression):
    result = compiled(
        task("t1", "any"),
        task("t2", "any"),
        task("t3", "any", depends_on=["t1", "t2"], params={"p": "{{ " + expression + " }}"}),
        catalogue=AnySkill(),
    )
    assert (result.outcome, codes(result)) == ("accepted", [])


MAYBE = {"outputs": {"x": "json"}, "run_if": "inputs.n > 1"}


@pytest.mark.parametrize(
    ("upstream", "fields", "is_found"),
    [
        (MAYBE, {"run_if": "x.y > 1"}, True),
        (MAYBE, {"run_if": "x > 1"}, True),
        (MAYBE, {"run_if": "size(x) > 1"}, True),
        (MAYBE, {"run_if": "has(x.y)"}, True),
        (MAYBE, {"run_if": "x != null && x.y > 1"}, False),
        (MAYBE, {"run_if": "null != maybe.x && x.y > 1"}, False),
        (MAYBE, {"run_if": "x == null || x.y > 1"}, False),
        (MAYBE, {"run_if": "x == 5"}, False),
        (MAYBE, {"params": {"value": "{{ x }}"}}, False),
        (MAYBE, {"params": {"value": "text {{ x }}"}}, False),
        (MAYBE, {"params": {"value": "{{ x.y }}"}}, True),
        (MAYBE, {"params": {"value": "text {{ maybe.result.y }}"}}, True),
        (MAYBE, {"params": {"value": "{{ x == null ? 0 : x.y }}"}}, False),
        (MAYBE, {"params": {"value": "{{ x.y }}"}, "run_if": "x != null"}, False),
        (MAYBE, {"params": {"value": "{{ x.y }}"}, "run_if": "x != null || true"}, True),
        (MAYBE, {"params": {"value": "{{ x.y }}"}, "run_if": "inputs.n > 1"}, False),
        (MAYBE, {"params": {"value": "{{ x.y }}"}, "run_if": "true && inputs.n > 1"}, False),
        (MAYBE, {"params": {"value": "{{ x.y }}"}, "run_if": "inputs.n > 2"}, True),
        ({"outputs": {"x": "json"}, "on_failure": "skip"}, {"params": {"value": "{{ x.y }}"}}, True),
        ({"outputs": {"x": "json"}}, {"params": {"value": "{{ x.y }}"}}, False),
        ({"outputs": {"x": "json"}}, {"params": {"value": "{{ x.y }}"}, "always_run": True}, True),
    ],
)
def test_reading_into_what_may_be_null_must_be_guarded(upstream, fields, is_found):
    result = compiled(task("maybe", **upstream), task("b", depends_on=["maybe"], **fields))
    assert codes(result) == (["unguarded_nullable"] if is_found else [])


def test_a_task_below_a_skipped_one_still_runs_so_its_outputs_are_not_null():
    result = compiled(
        task("maybe", **MAYBE),
        task("b", depends_on=["maybe"], outputs={"z": "json"}),
        task("c", depends_on=["b"], params={"value": "{{ z.y }}"}),
    )
    assert codes(result) == []


def test_the_fix_of_an_unguarded_use_is_accepted_when_applied():
    upstream = task("maybe", **MAYBE)
    result = compiled(upstream, task("b", depends_on=["maybe"], run_if="x.y > 1"))
    fix = result.findings[0].fix
    assert fix == {"action": "replace", "field": "run_if", "old": "x.y > 1", "value": "x != null && (x.y > 1)"}
    assert codes(compiled(upstream, task("b", depends_on=["maybe"], run_if=fix["value"]))) == []


def test_a_null_for_a_param_that_takes_none_is_found_and_a_run_if_mends_it():
    maybe = load(run_if="inputs.n > 1")
    chart = task("c", "chart", depends_on=["t1"], params={"table": "{{ sales }}"})
    result = compiled(maybe, chart)
    assert [(finding.code, finding.fix["value"]) for finding in result.findings] == [
        ("unguarded_nullable", "sales != null")
    ]
    assert codes(compiled(maybe, {**chart, "run_if": "sales != null"})) == []


@pytest.mark.parametrize(
    ("skill", "params", "found"),
    [
        ("chart", {"table": "{{ sales }}"}, []),
        ("chart", {"table": "{{ t1.result }}"}, []),
        ("chart", {"table": "{{ inputs.anything }}"}, []),
        ("chart", {"table": "{{ sales }} "}, ["param_kind"]),
        ("chart", {"table": "{{ sales.row_count }}"}, ["param_kind"]),
        ("chart", {"table": "{{ facts }}"}, ["param_kind"]),
        ("chart", {"table": "{{ sales }}", "top": "{{ sales.row_count }}"}, []),
        ("chart", {"table": "{{ sales }}", "top": "{{ sales }}"}, ["param_kind"]),
        ("chart", {"table": "{{ sales }}", "title": "of {{ facts.n }}"}, []),
        ("chart", {"table": "{{ sales }}", "top": "five"}, ["bad_param"]),
        ("chart", {"table": "{{ sales }}", "topp": 5}, ["unknown_param"]),
        ("sql", {"query": "q", "tables": {"a": "{{ sales }}", "b": "{{ inputs.t }}"}}, []),
        ("sql", {"query": "q", "tables": {"a": "{{ facts }}"}}, ["param_kind"]),
        ("sql", {"query": "q", "inputs": {"n": "{{ facts.n }}", "m": 1}}, []),
        ("sql", {"query": "q", "inputs": {"n": [1]}}, ["bad_param"]),
        ("sql", {"query": 5}, ["bad_param"]),
        ("load_file", {"file": "{{ sales }}"}, []),
        ("load_file", {"file": FILE, "limit": None}, []),
        ("load_file", {"file": FILE, "limit": "{{ facts.n }}"}, []),
        ("load_file", {"file": FILE, "limit": 0}, ["bad_param"]),
    ],
)
def test_params_fit_their_schema_or_the_kind_of_what_they_get(skill, params, found):
    result = compiled(
        load(outputs={"sales": "table", "facts": "json"}), task("b", skill, depends_on=["t1"], params=params)
    )
    assert codes(result) == found
