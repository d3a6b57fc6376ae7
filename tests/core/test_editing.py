"""Edits of a plan: a step changed, added, removed, moved; an assumption corrected. The plan given stays as it was."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.compile import compile_plan
from plans.core.editing import add_step, change_step, correct_assumption, move_step, remove_step, step_of
from plans.core.errors import InputError
from tests.core.compile.plans import CATALOGUE


def plan(**more: Any) -> dict[str, Any]:
    return {
        "goal": "count",
        "result": ["b.total", "last"],
        "intent": {"assumptions": ["one", "two"]},
        "tasks": [
            {"id": "a", "skill": "noop", "params": {"value": 1}, "outputs": {"first": "json"}},
            {"id": "b", "skill": "noop", "depends_on": ["a"], "outputs": {"total": "json"}},
            {"id": "c", "skill": "noop", "depends_on": ["b"], "outputs": {"last": "json"}},
        ],
        **more,
    }


def ids(changed: dict[str, Any]) -> list[str]:
    return [step["id"] for step in changed["tasks"]]


def test_changed_fields_replace_their_own_kind_and_the_id_stays():
    before = plan()
    changed = change_step(before, "a", {"name": "First", "params": {"value": 2}, "id": "zz"})
    assert step_of(changed, "a") == {**before["tasks"][0], "name": "First", "params": {"value": 2}}
    assert before == plan()


@pytest.mark.parametrize(("after", "order"), [("", ["a", "b", "c", "t4"]), ("a", ["a", "t4", "b", "c"])])
def test_a_new_step_gets_a_free_id_and_stands_where_it_was_put(after: str, order: list[str]):
    assert ids(add_step(plan(), {"skill": "noop"}, after)) == order


def test_an_id_that_is_taken_by_a_step_or_a_milestone_is_refused():
    for key in ("b", "m1"):
        with pytest.raises(InputError) as caught:
            add_step(plan(milestones=[{"id": "m1"}]), {"id": key, "skill": "noop"})
        assert caught.value.code == "step_id_taken"


def test_what_came_after_a_removed_step_comes_after_what_came_before_it():
    changed = remove_step(plan(), "b")
    assert ids(changed) == ["a", "c"]
    assert step_of(changed, "c")["depends_on"] == ["a"]
    assert changed["result"] == ["last"]


def test_the_only_step_is_not_removed():
    with pytest.raises(InputError) as caught:
        remove_step({"tasks": [{"id": "a", "skill": "noop"}]}, "a")
    assert caught.value.code == "last_step"


@pytest.mark.parametrize(
    ("key", "beside", "where", "order"),
    [("c", "a", "before", ["c", "a", "b"]), ("a", "b", "after", ["b", "a", "c"]), ("a", "c", "after", ["b", "c", "a"])],
)
def test_a_step_moves_beside_another(key: str, beside: str, where: Any, order: list[str]):
    assert ids(move_step(plan(), key, beside, where)) == order


@pytest.mark.parametrize(("text", "left"), [(" three ", ["one", "three"]), ("  ", ["one"])])
def test_an_assumption_is_corrected_or_dropped(text: str, left: list[str]):
    assert correct_assumption(plan(), 1, text)["intent"]["assumptions"] == left


def test_an_assumption_that_is_not_there_cannot_be_corrected():
    for place in (-1, 2):
        with pytest.raises(InputError):
            correct_assumption(plan(), place, "x")


@given(st.data())
def test_removing_steps_in_any_order_leaves_a_plan_without_dangling_dependencies(data: st.DataObject):
    count, steps = data.draw(st.integers(2, 7)), []
    for n in range(count):
        earlier = [f"s{i}" for i in range(n)]
        ups = data.draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
        steps.append({"id": f"s{n}", "skill": "noop", "depends_on": ups})
    made: dict[str, Any] = {"goal": "x", "tasks": steps}
    before = copy.deepcopy(made)
    reach = closure(made)
    gone = data.draw(st.sampled_from([step["id"] for step in steps]))
    changed = remove_step(made, gone)
    assert made == before
    assert closure(changed) == {key: ups - {gone} for key, ups in reach.items() if key != gone}
    assert {finding.code for finding in compile_plan(changed, CATALOGUE).findings} & {
        "dangling_dependency", "cycle", "self_dependency"
    } == set()  # fmt: skip


def closure(made: dict[str, Any]) -> dict[str, set[str]]:
    """Return every step with all that comes before it."""
    found: dict[str, set[str]] = {}
    for step in made["tasks"]:
        ups = set(step["depends_on"])
        found[step["id"]] = ups.union(*(found[up] for up in ups)) if ups else ups
    return found
