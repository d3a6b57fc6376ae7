"""Binding of what a skill delivered to the names a task declared."""

import pytest

from plans.core.bind import bind_outputs
from plans.core.errors import CheckFailed
from plans.core.kinds import ValueKind
from plans.core.values import ArtifactRef

TABLE = ArtifactRef(sha256="a" * 64, kind=ValueKind.TABLE, name="t")
HTML = ArtifactRef(sha256="b" * 64, kind=ValueKind.HTML, name="h")


def as_json(ref):
    return ref.model_dump(mode="json", by_alias=True)


def test_outputs_bind_by_key_when_all_names_are_there():
    declared = {"b": ValueKind.NUMBER, "a": ValueKind.TEXT}
    assert bind_outputs(declared, {"a": "x", "b": 1, "c": 2}) == ({"b": 1, "a": "x"}, [])


def test_outputs_bind_one_to_one_in_order_otherwise():
    declared = {"sales": ValueKind.TABLE, "facts": ValueKind.JSON}
    bound, _ = bind_outputs(declared, {"table": TABLE, "found": {"rows": 1}, "more": 3})
    assert bound == {"sales": as_json(TABLE), "facts": {"rows": 1}}


def test_with_nothing_declared_what_came_keeps_its_names():
    assert bind_outputs({}, {"table": TABLE, "n": 1}) == ({"table": as_json(TABLE), "n": 1}, [])


def test_fewer_outputs_than_declared_name_the_missing_one():
    with pytest.raises(CheckFailed) as caught:
        bind_outputs({"x": ValueKind.JSON, "y": ValueKind.TABLE}, {"result": 1})
    assert (caught.value.code, caught.value.params) == (
        "output_missing",
        {"name": "y", "wanted": "table", "came": ["result"]},
    )


@pytest.mark.parametrize(
    ("wanted", "value", "bound", "came"),
    [
        ("number", "12", 12, "text"),
        ("number", " 1.5 ", 1.5, "text"),
        ("boolean", "True", True, "text"),
        ("list", "[1]", [1], "text"),
        ("object", '{"a": 1}', {"a": 1}, "text"),
        ("text", 5, "5", "number"),
        ("text", True, "true", "boolean"),
        ("text", ["ü"], '["ü"]', "list"),
    ],
)
def test_safe_conversions_are_made_and_recorded(wanted, value, bound, came):
    assert bind_outputs({"v": ValueKind(wanted)}, {"v": value}) == (
        {"v": bound},
        [{"name": "v", "from": came, "to": wanted}],
    )


@pytest.mark.parametrize(
    ("wanted", "value", "came"),
    [
        ("number", "abc", "text"),
        ("number", "nan", "text"),
        ("number", True, "boolean"),
        ("text", None, "null"),
        ("boolean", 1, "number"),
        ("list", "{}", "text"),
        ("table", [1], "list"),
        ("image", TABLE, "table"),
        ("json", TABLE, "table"),
        ("object", [], "list"),
    ],
)
def test_another_type_says_what_came(wanted, value, came):
    with pytest.raises(CheckFailed) as caught:
        bind_outputs({"v": ValueKind(wanted)}, {"v": value})
    assert (caught.value.code, caught.value.params) == ("output_type", {"name": "v", "wanted": wanted, "came": came})


@pytest.mark.parametrize("value", [None, 1, "x", [1], {"a": 1}, True])
def test_json_takes_any_plain_value(value):
    assert bind_outputs({"v": ValueKind.JSON}, {"v": value}) == ({"v": value}, [])


def test_any_artifact_is_a_file():
    assert bind_outputs({"v": ValueKind.FILE}, {"v": HTML}) == ({"v": as_json(HTML)}, [])
