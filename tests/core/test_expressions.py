"""The expression language: names, bounds, whole numbers beside decimals, added functions, errors by code."""

from contextlib import suppress

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.cel_text import analyse
from plans.core.errors import ExpressionError
from plans.core.expressions import MAX_CHARACTERS, evaluate, names


def code_of(text, variables=None):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, variables or {})
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.b.c + d[e]", {"a", "d", "e"}),
        ("\"a.b\" + 'its' + r'\\' + x", {"x"}),
        ('"""a " b""" + x', {"x"}),
        ("x // y\n + z", {"x", "z"}),
        ("rows.map(r, r.a + b)", {"rows", "b"}),
        ("r + rows.filter(r, r > 1)[0]", {"r", "rows"}),
        ("a.all(x, b.exists(y, x == y)) && y", {"a", "b", "y"}),
        ("size(size)", {"size"}),
        ("len(text) > 0", {"text"}),
        ("has(a.b) ? a.b : c", {"a", "c"}),
        ("{'k': v, w: 1}", {"v", "w"}),
        ("true || false || null == n", {"n"}),
        ('tasks["odd id"].result', {"tasks"}),
        ("a.map.filter", {"a"}),
        ("'\\'' + x", {"x"}),
        ("-x", {"x"}),
    ],
)
def test_names_are_the_variables_and_nothing_else(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "variables", "value"),
    [
        ("3 * 1.5", {}, 4.5),
        ("n * 1.5 + 1", {"n": 2}, 4.0),
        ("rows[0].v * 1.5", {"rows": [{"v": 2}]}, 3.0),
        ("rows[i].v / 2.0", {"rows": [{"v": 2}, {"v": 3}], "i": 1}, 1.5),
        ("size(rows) * 0.5", {"rows": [1, 2, 3]}, 1.5),
        ("rows.size() * 0.5", {"rows": [1, 2, 3]}, 1.5),
        ("len(t) / 2.0", {"t": "中文字"}, 1.5),
        ("0x10 * 0.5", {}, 8.0),
        ("7 / 2", {}, 3),
        ("'3 ' + text(3 * 1.5)", {}, "3 4.5"),
        ("n == 2.0", {"n": 2}, True),
    ],
)
def test_whole_numbers_beside_decimals_are_worked_out_as_decimals(text, variables, value):
    result = evaluate(text, variables)
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum([1, 2, null])", 3),
        ("sum([0.1, 0.2, 0.3, 0.4])", 1.0),
        ("sum([])", 0),
        ("min(3, 1, 2)", 1),
        ("max(['a', 'b'])", "b"),
        ("max([])", None),
        ("avg([1, 2])", 1.5),
        ("avg([])", None),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(2.675, 2)", 2.68),
        ("round(1234, -2)", 1200),
        ("len('中')", 1),
        ("size('中')", 3),
        ("len([1, 2])", 2),
        ("text(null)", ""),
        ("text(true)", "true"),
        ("text(2.0)", "2"),
        ("text([1, 'ü'])", '[1, "ü"]'),
    ],
)
def test_added_functions(text, value):
    assert evaluate(text, {}) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("timestamp('2026-11-30T00:00:00Z')", "2026-11-30T00:00:00+00:00"),
        ("duration('90s')", 90.0),
        ("{1: 'a'}", {"1": "a"}),
        ("{'a': [1, {'b': null}]}", {"a": [1, {"b": None}]}),
    ],
)
def test_results_are_json(text, value):
    assert evaluate(text, {}) == value


@pytest.mark.parametrize("text", ["a.x", "has(a.x)", "a > 1"])
def test_a_null_that_is_not_asked_about_fails(text):
    assert code_of(text, {"a": None}) == "expression_types"
    assert evaluate(f"a != null && {text}", {"a": None}) is False


def test_texts_at_the_bounds_are_evaluated_and_texts_over_them_are_not():
    assert evaluate("1" + "+1" * 999, {}) == 1_000
    assert code_of("1".rjust(MAX_CHARACTERS + 1)) == "expression_too_long"
    assert evaluate("(" * 30 + "1" + ")" * 30, {}) == 1
    assert code_of("(" * 31 + "1" + ")" * 31) == "expression_too_deep"
    assert evaluate("'" + "(" * 100 + "'", {}) == "(" * 100


@pytest.mark.parametrize("deep", ["-" * 1_999 + "1", "!" * 1_990 + "true", "a" + ".a" * 900, "a" + "[0]" * 600])
def test_deep_chains_come_back(deep):
    with suppress(ExpressionError):
        evaluate(deep, {"a": 1})


@pytest.mark.parametrize(
    ("text", "size", "is_allowed"),
    [
        ("l.map(x, x)", 200_000, True),
        ("l.map(x, x)", 200_001, False),
        ("l.map(x, l.map(y, 1)).size()", 447, True),
        ("l.map(x, l.map(y, 1)).size()", 448, False),
        ("l.map(x, 1).map(y, 1).map(z, 1)", 448, True),
        ("l.filter(x, x in l)", 2_000, True),
        ("l.filter(x, x in l)", 3_000, False),
        ("l.map(x, l.filter(y, y == x)).size()", 300, True),
        ("[" + "1," * 500 + "1].map(a, [1].map(b, [1].map(c, 1)))", 1, False),
        ("size(l" + "+l" * 600 + ")", 10_000, False),
    ],
)
def test_what_could_hold_the_worker_for_long_is_refused(text, size, is_allowed):
    variables = {"l": list(range(size))}
    if is_allowed:
        evaluate(text, variables)
    else:
        assert code_of(text, variables) == "expression_too_costly"


ROWS = [{"v": index, "w": "w" * (index % 3)} for index in range(100)]
COMPREHENSIONS = [
    "rows.map(r, r.v)",
    "rows.filter(r, r.v > 90)",
    "rows.filter(r, r.v > n).map(r, r.w + text(r.v))",
    "rows.map(r, r.v > 15, r.v * 2)",
    "rows.map(r, rows.filter(s, s.v == r.v + 1).map(t, t.v + r.v))",
    "rows.map(r, r.w).filter(r, r == 'ww').size()",
    "rows.exists(r, rows.filter(s, s.v == r.v).size() == 1 && r.v > n)",
    "rows.all(r, [1, 2].map(r, r * 2) == [2, 4])",
    "sum(rows.map(r, len(r.w))) + len(rows.map(r, r.v))",
    "{'a': 1}.map(k, k)",
    "[rows.map(r, r.v)[3], rows.filter(r, r.v == 5)[0].v]",
]


@pytest.mark.parametrize("text", COMPREHENSIONS)
def test_rewritten_comprehensions_give_what_the_binding_gives(text):
    variables = {"rows": ROWS[:20], "n": 3}
    added = {
        "sum": lambda values: sum(values),
        "avg": lambda values: sum(values) / len(values),
        "len": len,
        "text": str,
    }
    assert evaluate(text, variables) == cel.evaluate(text, cel.Context(variables, added))


def test_objects_are_walked_and_given_back_in_the_order_of_their_keys():
    variables = {"o": dict.fromkeys("zyxwvutsrqponm", 1)}
    assert evaluate("o.map(k, k)", variables) == sorted("zyxwvutsrqponm")
    assert list(evaluate("{'v': o}", variables)["v"]) == sorted("zyxwvutsrqponm")
    assert evaluate("text({'b': 1, 'a': {'d': 1, 'c': 2}})", {}) == '{"a": {"c": 2, "d": 1}, "b": 1}'


def test_ten_thousand_rows_are_walked_in_linear_time():
    rows = [{"v": index, "w": "w" * 20} for index in range(10_000)]
    assert evaluate("sum(rows.filter(r, r.v > 5).map(r, r.v * 1.5))", {"rows": rows}) == 74_992_477.5


@pytest.mark.parametrize(
    ("text", "code"), [("rows.map(r, r.nope)", "no_such_field"), ("rows.map(r, sum(r.w))", "bad_argument")]
)
def test_errors_inside_long_comprehensions_keep_their_code(text, code):
    assert code_of(text, {"rows": ROWS}) == code


def test_a_value_nested_too_deep_is_refused_before_the_binding_sees_it():
    value = 1
    for _ in range(5_000):
        value = [value]
    assert code_of("a", {"a": value}) == "expression_value_too_deep"


def test_only_named_variables_reach_the_binding():
    assert evaluate("a", {"a": 1, "huge": object()}) == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 +", "expression_syntax"),
        ("package", "expression_syntax"),
        ("Foo{a: 1}", "expression_syntax"),
        ("", "expression_empty"),
        ("  ", "expression_empty"),
        ("nope(1)", "unknown_function"),
        ("b", "unknown_name"),
        ("a.b", "no_such_field"),
        ("[1][5]", "index_out_of_range"),
        ("1 / 0", "division_by_zero"),
        ("9223372036854775807 + 1", "number_overflow"),
        ("1.0 / 0.0", "number_not_finite"),
        ("b'x'", "result_type"),
        ("'a' + 1", "expression_types"),
        ("int('x')", "expression_failed"),
        ("sum(['a'])", "bad_argument"),
    ],
)
def test_errors_have_a_code(text, code):
    assert code_of(text, {"a": {}}) == code


def test_a_syntax_error_names_its_place():
    with pytest.raises(ExpressionError) as caught:
        names("1 +\n  * 2")
    assert (caught.value.params["line"], caught.value.params["column"]) == (2, 3)


def test_a_failing_function_prints_nothing(capfd):
    assert code_of("round('x')") == "bad_argument"
    assert capfd.readouterr() == ("", "")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_any_json_value_passes_through_unchanged(value):
    assert evaluate("{'v': a}", {"a": value}) == {"v": value}


@given(st.text(max_size=200))
def test_any_text_is_evaluated_or_refused_with_a_code(text):
    with suppress(ExpressionError):
        evaluate(text, {"a": 1})


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_no_name_is_found_inside_a_string(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    found = analyse(f'"{escaped}" + x')
    assert found.names == {"x"}
