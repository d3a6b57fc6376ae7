"""Fan-outs as the compiler judges them: the list, the items, what the outputs become."""

from __future__ import annotations

import pytest

from tests.core.compile.plans import CATALOGUE, codes, compiled, load, task

EACH = {"value": "{{ item }}"}


def listed(**fields):
    return task("a", outputs={"names": "list"}, **fields)


def test_a_list_makes_the_dependency_and_item_and_index_are_known():
    result = compiled(listed(), task("b", for_each="names", params={"value": "{{ index }}: {{ item.name }}"}))
    assert codes(result) == ["dependency_added"]
    assert result.edges == [("a", "b")]


def test_a_list_may_be_written_as_a_placeholder():
    result = compiled(listed(), task("b", depends_on=["a"], for_each="{{ names }}", params=EACH))
    assert result.findings == []


@pytest.mark.parametrize("field", [{"params": EACH}, {"run_if": "item > 1"}, {"params": {"value": "{{ index }}"}}])
def test_item_and_index_are_unknown_outside_a_fan_out(field):
    assert codes(compiled(task("a", **field))) == ["unresolved_reference"]


def test_the_list_itself_cannot_name_the_item():
    assert codes(compiled(task("a", for_each="item.parts", params=EACH))) == ["unresolved_reference"]


def test_outputs_are_lists_for_everyone_else():
    fan_out = task("b", "load_file", for_each="inputs.files", params={"file": "{{ item }}"}, outputs={"sales": "table"})
    chart = task("c", "chart", depends_on=["b"], run_if="sales != null", params={"table": "{{ sales }}"}, outputs={})
    result = compiled(fan_out, chart)
    assert [(f.code, f.params["came"]) for f in result.findings] == [("param_kind", "list")]
    chart["params"]["table"] = "{{ sales[0] }}"
    assert compiled(fan_out, chart).findings == []


def test_the_items_of_a_fan_outs_output_have_the_declared_kind():
    tables = task("b", "load_file", for_each="inputs.files", params={"file": "{{ item }}"}, outputs={"sales": "table"})
    number = task("n", for_each="[1, 2]", params=EACH, outputs={"numbers": "number"})
    chart = {"depends_on": ["b", "n"], "params": {"table": "{{ item }}"}, "outputs": {}}
    assert codes(compiled(tables, number, task("c", "chart", for_each="sales", **chart))) == []
    assert codes(compiled(tables, number, task("c", "chart", for_each="numbers", **chart))) == ["param_kind"]


def test_a_table_is_walked_by_its_rows_and_a_task_by_its_result():
    result = compiled(load(), task("b", depends_on=["t1"], for_each="sales", params=EACH))
    assert [(f.code, f.fix["value"]) for f in result.findings] == [("for_each_not_list", "sales.rows")]
    result = compiled(listed(), task("b", depends_on=["a"], for_each="a", params=EACH))
    assert [(f.code, f.fix["value"]) for f in result.findings] == [("for_each_not_list", "a.result")]


@pytest.mark.parametrize("constant", ["3", "'abc'", "{'a': 1}", "true"])
def test_a_constant_that_is_no_list_is_refused(constant):
    assert codes(compiled(task("a", for_each=constant, params=EACH))) == ["for_each_not_list"]


def test_outputs_are_null_when_the_list_may_be_empty_and_need_a_guard():
    fan_out = {"outputs": {"made": "json"}, "params": EACH}
    reader = task("c", depends_on=["b"], params={"value": "{{ size(made) }}"})
    unsure = compiled(listed(), task("b", depends_on=["a"], for_each="names", **fan_out), reader)
    assert codes(unsure) == ["unguarded_nullable"]
    assert compiled(task("b", for_each="['x', 'y']", **fan_out), reader).findings == []


def test_a_fan_out_over_what_a_fan_out_made_needs_no_guard():
    first = task("b", for_each="inputs.names", params=EACH, outputs={"made": "json"})
    second = task("c", depends_on=["b"], for_each="made", params={"value": "{{ item }} of {{ size(made) }}"})
    assert compiled(first, second).findings == []


def test_a_fan_out_over_the_same_list_needs_no_guard():
    first = task("b", for_each="inputs.names", params=EACH, outputs={"made": "json"})
    second = task("c", depends_on=["b"], for_each="inputs.names", params={"value": "{{ made[index] }} {{ item }}"})
    assert compiled(first, second).findings == []


def test_a_list_made_from_a_nullable_one_is_offered_a_guard_that_gives_a_list_or_null():
    first = task("b", for_each="inputs.names", params=EACH, outputs={"made": "json"})
    second = task("c", depends_on=["b"], for_each="made.filter(x, x > 1)", params=EACH)
    (finding,) = compiled(first, second).findings
    assert (finding.code, finding.fix["value"]) == (
        "unguarded_nullable",
        "made != null ? (made.filter(x, x > 1)) : null",
    )
    second["for_each"] = finding.fix["value"]
    assert compiled(first, second).findings == []


def test_a_task_cannot_fan_out_over_its_own_output():
    assert codes(compiled(task("a", for_each="made", params=EACH, outputs={"made": "json"}))) == ["self_reference"]


def test_the_fields_of_a_fan_out_have_their_bounds():
    bad = compiled(task("a", for_each="[1]", params=EACH, items_at_once=0, item_errors="ignore"))
    assert codes(bad) == ["bad_field", "bad_field"]
    assert compiled(task("a", for_each="[1]", params=EACH, items_at_once=2, item_errors="drop")).findings == []


def test_the_catalogue_of_these_tests_is_strict():
    assert not CATALOGUE["load_file"].free_params
