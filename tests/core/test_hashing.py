"""Laws of the canonical form and of the graph hash."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.hashing import canonical, digest, graph_hash
from plans.core.spec import PlanSpec
from tests.core.dags import dags
from tests.core.test_expressions import json_values


def plan_of(upstream, **over):
    tasks = [
        {"id": node, "name": f"name of {node}", "skill": "s", "depends_on": ups, "params": {"p": node}}
        for node, ups in upstream.items()
    ]
    return PlanSpec.model_validate({"tasks": tasks, **over})


@given(json_values)
def test_the_canonical_form_survives_a_round_trip(value):
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.dictionaries(st.text(), st.integers(-9, 9)), st.randoms())
def test_the_order_of_keys_does_not_matter(value, rng):
    items = list(value.items())
    rng.shuffle(items)
    assert digest(dict(items)) == digest(value)


def test_whole_numbers_have_one_form_and_infinity_has_none():
    assert canonical([1.0, -0.0, 1.5, True]) == b"[1,0,1.5,true]"
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("inf"))


@given(dags())
def test_export_and_import_give_the_same_graph_hash(upstream):
    plan = plan_of(upstream, milestones=[{"id": "m", "name": "x"}], result=["r"])
    exported = plan.model_dump_json(by_alias=True)
    assert graph_hash(PlanSpec.model_validate_json(exported)) == graph_hash(plan)
    short = json.dumps(plan.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    assert graph_hash(PlanSpec.model_validate_json(short)) == graph_hash(plan)


@given(dags(), st.randoms())
def test_the_order_of_tasks_and_dependencies_does_not_matter(upstream, rng):
    items = [(node, rng.sample(ups, len(ups))) for node, ups in upstream.items()]
    rng.shuffle(items)
    assert graph_hash(plan_of(dict(items))) == graph_hash(plan_of(upstream))


BASE = {
    "goal": "g",
    "tasks": [
        {"id": "a", "skill": "s", "outputs": {"x": "json", "y": "text"}},
        {"id": "b", "skill": "s", "depends_on": ["a"], "milestone": "m"},
    ],
    "milestones": [{"id": "m"}],
}


def changed(path, value):
    copy = json.loads(json.dumps(BASE))
    target = copy
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return graph_hash(PlanSpec.model_validate(copy))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["goal"], "other"),
        (["tasks", 0, "name"], "n"),
        (["tasks", 0, "description"], "d"),
        (["tasks", 0, "expected_output"], "e"),
        (["milestones", 0, "name"], "n"),
        (["tasks", 0, "estimate"], {"seconds": 5}),
        (["tasks", 0, "params"], {}),
        (["risks"], ["r"]),
    ],
)
def test_words_and_defaults_do_not_change_the_hash(path, value):
    assert changed(path, value) == graph_hash(PlanSpec.model_validate(BASE))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["tasks", 0, "id"], "c"),
        (["tasks", 0, "skill"], "t"),
        (["tasks", 0, "params"], {"p": 1}),
        (["tasks", 1, "depends_on"], []),
        (["tasks", 1, "run_if"], "true"),
        (["tasks", 1, "retries"], 0),
        (["tasks", 1, "approval"], "always"),
        (["tasks", 1, "milestone"], None),
        (["tasks", 1, "confidence"], "low"),
        (["tasks", 0, "outputs"], {"y": "text", "x": "json"}),
        (["tasks", 0, "always_run"], True),
        (["result"], ["x"]),
        (["milestones", 0, "id"], "n"),
        (["tasks", 0, "priority"], 1),
        (["preconditions"], [{"text": "t", "check": "true"}]),
    ],
)
def test_what_decides_what_runs_changes_the_hash(path, value):
    assert changed(path, value) != graph_hash(PlanSpec.model_validate(BASE))


def test_half_a_surrogate_pair_has_a_hash():
    assert len(digest("\ud800")) == 64
