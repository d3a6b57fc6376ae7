"""What a task may read when it starts, and what its params become."""

import json

import pytest

from plans.core.errors import ExpressionError
from plans.core.scope import MAX_ROWS, Scope, evaluate, is_true, referenced, render_params
from plans.core.spec import PlanSpec


def table(name="sales", row_count=2, digit="a"):
    columns = [{"name": "month", "type": "text"}, {"name": "total", "type": "number"}]
    meta = {"columns": columns, "row_count": row_count}
    return {"$artifact": digit * 64, "kind": "table", "name": name, "filename": f"{name}.parquet", "meta": meta}


ROWS = [{"month": "Oct", "total": 1}, {"month": "Nov", "total": 2}]
SALES = table()
IMAGE = {"$artifact": "c" * 64, "kind": "image", "name": "chart", "filename": "chart.png", "meta": {}}


@pytest.fixture
def loaded():
    return []


@pytest.fixture
def scope(loaded):
    def load_rows(ref, limit):
        loaded.append((ref.name, limit))
        return ROWS

    return Scope(
        inputs={"log": SALES, "n": 3},
        answers={"q1": "yes"},
        upstream={
            "t1": {"value": 3, "items": [{"id": 7}]},
            "t2": {"sales": SALES, "chart": IMAGE},
            "odd id": {"total": 4},
            "gone": {"lost": None},
        },
        load_rows=load_rows,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("value", 3),
        ("t1.value", 3),
        ("t1.result", 3),
        ("t1.items[0].id", 7),
        ('tasks["odd id"].result', 4),
        ('tasks["t1"].value', 3),
        ("inputs.n", 3),
        ("answers.q1", "yes"),
        ("lost", None),
        ("gone.result", None),
        ("t1", {"value": 3, "items": [{"id": 7}], "result": 3}),
        ("sales", SALES),
        ("t2.sales", SALES),
        ("t2.result", SALES),
        ("inputs.log", SALES),
        ("chart", IMAGE),
        ("sales.row_count", 2),
        ("sales.columns", ["month", "total"]),
        ("sales.rows", ROWS),
        ("sum(sales.rows.map(r, r.total)) * 1.5", 4.5),
        ("lost != null ? lost : sales", SALES),
        ("[sales, chart]", [SALES, IMAGE]),
        ("chart.filename", "chart.png"),
        ("has(sales.rows) && 'month' in sales.columns", True),
    ],
)
def test_names_mean_what_the_design_says(scope, text, value):
    assert evaluate(text, scope) == value


@pytest.mark.parametrize(
    "text", ["sales", "sales.row_count > 0", "sales != null", "sales != null && sales.row_count > 1"]
)
def test_rows_are_loaded_only_for_an_expression_that_reads_them(scope, loaded, text):
    evaluate(text, scope)
    assert loaded == []


def test_more_rows_than_an_expression_may_read_are_refused_not_cut():
    big = table(row_count=MAX_ROWS + 1)
    scope = Scope(upstream={"t": {"sales": big}}, load_rows=lambda ref, limit: ROWS)
    assert evaluate("sales.row_count", scope) == MAX_ROWS + 1
    with pytest.raises(ExpressionError) as caught:
        evaluate("size(sales.rows)", scope)
    assert (caught.value.code, caught.value.params["row_count"]) == ("too_many_rows", MAX_ROWS + 1)


def test_a_row_count_that_is_too_small_does_not_cut_either():
    scope = Scope(upstream={"t": {"sales": table(row_count=None)}}, load_rows=lambda ref, limit: [{}] * limit)
    with pytest.raises(ExpressionError, match="too_many_rows"):
        evaluate("size(sales.rows)", scope)


def test_rows_that_nobody_can_load_are_an_error():
    with pytest.raises(ExpressionError, match="rows_unavailable"):
        evaluate("size(sales.rows)", Scope(upstream={"t": {"sales": SALES}}))


def test_two_upstream_outputs_of_one_name_are_ambiguous_until_the_task_is_named():
    scope = Scope(upstream={"a": {"x": 1}, "b": {"x": 2}})
    assert evaluate("b.x", scope) == 2
    with pytest.raises(ExpressionError, match="ambiguous_name"):
        evaluate("x", scope)


def test_item_and_index_exist_only_inside_a_fan_out():
    assert evaluate("item + index", Scope(item=5, index=2)) == 7
    with pytest.raises(ExpressionError, match="unknown_name"):
        evaluate("item", Scope())


def test_a_condition_is_true_or_false_and_nothing_else(scope):
    assert is_true("value == 3", scope) is True
    with pytest.raises(ExpressionError, match="not_a_condition"):
        is_true("value", scope)


def test_several_placeholders_in_one_text_are_all_rendered(scope):
    params = {"a": "{{t1.value}} + {{ inputs.n }}", "b": "{{t1.value}}", "c": {"t": ["{{ sales }}", "{{ chart }}"]}}
    assert render_params(params, scope) == {"a": "3 + 3", "b": 3, "c": {"t": [SALES, IMAGE]}}


def test_artifacts_read_inside_text_as_rows_or_as_their_file_name(scope):
    rendered = render_params({"a": "T: {{ sales }}", "b": "see {{ chart }}", "c": "[{{ lost }}]"}, scope)
    assert rendered == {
        "a": f'T: {{"columns": ["month", "total"], "row_count": 2, "rows": {json.dumps(ROWS)}}}',
        "b": "see chart.png",
        "c": "[]",
    }


@pytest.mark.parametrize(
    "text",
    [
        "{{ nope }}",
        "{{ t1.nope }}",
        "{{ lost.x }}",
        "{{ t1.items[4] }}",
        "{{ inputs.nope }}",
        "a {{ tasks['zz'].x }} b",
    ],
)
def test_an_unresolvable_placeholder_is_named_before_anything_runs(scope, text):
    with pytest.raises(ExpressionError) as caught:
        render_params({"fine": 1, "bad": {"deep": [text]}}, scope)
    assert caught.value.code == "unresolved"
    assert caught.value.params["param"] == "bad"
    assert caught.value.params["placeholder"] in text


def test_another_failure_keeps_its_code_and_names_the_placeholder(scope):
    with pytest.raises(ExpressionError) as caught:
        render_params({"p": "{{ 1 / 0 }}"}, scope)
    assert (caught.value.code, caught.value.params["placeholder"]) == ("division_by_zero", "{{ 1 / 0 }}")


def test_literal_params_are_never_rendered(scope):
    params = {"query": "SELECT '{{ nope }}', {{", "x": "{{ value }}"}
    assert render_params(params, scope, frozenset({"query"})) == {"query": "SELECT '{{ nope }}', {{", "x": 3}


def test_referenced_gives_the_tasks_whose_outputs_are_read():
    plan = PlanSpec.model_validate(
        {
            "tasks": [
                {"id": "a", "skill": "s", "outputs": {"x": "json"}},
                {"id": "odd id", "skill": "s"},
                {"id": "c", "skill": "s"},
                {
                    "id": "d",
                    "skill": "s",
                    "run_if": "c.result > 1",
                    "params": {
                        "p": '{{ x.map(c, c) }} {{ tasks["odd id"].result }}',
                        "q": "{{ inputs.c }}",
                        "l": "{{ c }}",
                    },
                },
            ]
        }
    )
    assert referenced(plan.tasks[3], plan, frozenset({"l"})) == {"a", "odd id", "c"}
    assert referenced(plan.tasks[0], plan) == set()
