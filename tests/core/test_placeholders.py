"""Placeholders: where they end, what is literal, what keeps its type, what is rendered (field cases C10, C88)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core import placeholders
from plans.core.errors import ExpressionError
from plans.core.placeholders import Placeholder, exact, expressions_in, has_placeholder, render, split


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("{{ a }}", [Placeholder("a")]),
        ("{{a}}{{b}}", [Placeholder("a"), Placeholder("b")]),
        ("n={{a}} m={{ b }}!", ["n=", Placeholder("a"), " m=", Placeholder("b"), "!"]),
        ('{{ "}}" }} }}', [Placeholder('"}}"'), " }}"]),
        ("{{ '}}' + r'\\' }}x", [Placeholder("'}}' + r'\\'"), "x"]),
        ('{{ {"a": {"b": 1}} }}', [Placeholder('{"a": {"b": 1}}')]),
        ('{{ {"a": {"b": 1}}}}', [Placeholder('{"a": {"b": 1}}')]),
        ("{{ a[{'k': 1}['k']] }}", [Placeholder("a[{'k': 1}['k']]")]),
        ("{{{{ a }}", ["{{ a }}"]),
        ("{{{{{{ a }}", ["{{", Placeholder("a")]),
        ("a { b } }} c", ["a { b } }} c"]),
        ("{{\n a \n}}", [Placeholder("a")]),
        ("{{ ' }} x", [Placeholder("'"), " x"]),
    ],
)
def test_a_placeholder_ends_at_the_first_closing_outside_quotes_and_brackets(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{{ a", "placeholder_unclosed"),
        ("{{ [}} x", "placeholder_unclosed"),
        ("{{ }}", "placeholder_empty"),
        ("x {{}} y", "placeholder_empty"),
    ],
)
def test_a_broken_placeholder_is_refused(text, code):
    with pytest.raises(ExpressionError) as caught:
        split(text)
    assert caught.value.code == code


@given(st.text())
def test_escaped_text_comes_back_as_it_was(text):
    assert "".join(split(placeholders.escape(text))) == text


@given(
    st.lists(
        st.text(st.characters(exclude_characters="{}"), min_size=1) | st.sampled_from(["a", "b.c"]).map(Placeholder)
    )
)
def test_what_is_written_is_what_is_read(parts):
    joined = [
        part
        for index, part in enumerate(parts)
        if not (index and isinstance(part, str) and isinstance(parts[index - 1], str))
    ]
    text = "".join(part if isinstance(part, str) else "{{ " + part.expression + " }}" for part in joined)
    assert split(text) == joined


@pytest.mark.parametrize("value", [5, 1.5, None, True, [1], {"a": 1}, "5"])
def test_an_exact_placeholder_keeps_the_type(value):
    assert render("{{ x }}", lambda text: value) is value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "v=5"),
        (1.5, "v=1.5"),
        (2.0, "v=2"),
        (None, "v="),
        (True, "v=true"),
        (False, "v=false"),
        ("a", "v=a"),
        ([1, "ü", None], 'v=[1, "ü", null]'),
        ({"a": [True]}, 'v={"a": [true]}'),
    ],
)
def test_inside_text_every_type_has_a_rendering(value, text):
    assert render("v={{ x }}", lambda name: value) == text


def test_params_are_rendered_to_any_depth_and_keys_are_names():
    params = {"{{ k }}": ["{{ a }}", {"b": "{{ a }} + {{ b }}"}, 7, None]}
    assert render(params, {"a": 3, "b": 4}.__getitem__) == {"{{ k }}": [3, {"b": "3 + 4"}, 7, None]}


def test_expressions_are_found_in_order_and_literal_params_hold_none():
    params = {"query": "{{ no }}", "tables": {"x": "{{ a }}", "y": ["{{ b }} {{ c }}"]}}
    assert expressions_in(params, frozenset({"query"})) == ["a", "b", "c"]
    assert expressions_in(params) == ["no", "a", "b", "c"]


def test_a_literal_brace_is_no_placeholder():
    assert not has_placeholder({"a": ["{{{{ x }}", "} {"]})
    assert has_placeholder({"a": ["{{{{ {{ x }}"]})
    assert exact("{{{{ x }}") is None
    assert exact("{{ a }} {{ b }}") is None
    assert exact("{{ a + '}}' }}") == "a + '}}'"
