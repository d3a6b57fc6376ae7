"""The drain loop on a real database: order, joins, outputs, history."""

from __future__ import annotations

import pytest

from plans.core.skill import Outputs
from plans.models import Event, Run
from tests.engine.plant import Plant, check_history, history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_chain_runs_in_order_and_its_history_has_no_gaps(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]})
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded", "c": "succeeded"}
    check_history(run)
    assert history(run) == [
        ("tasks.ready", ""),
        ("task.running", "a"),
        ("task.succeeded", "a"),
        ("tasks.ready", ""),
        ("task.running", "b"),
        ("task.succeeded", "b"),
        ("tasks.ready", ""),
        ("task.running", "c"),
        ("task.succeeded", "c"),
        ("run.succeeded", ""),
    ]
    assert Run.objects.get(pk=run.pk).state == "succeeded"


def test_a_fan_of_50_runs_each_task_once_and_joins_once(plant: Plant):
    fan = [{"id": f"f{n}", "depends_on": ["a"]} for n in range(50)]
    run = plant.run({"id": "a"}, *fan, {"id": "z", "depends_on": [t["id"] for t in fan]})
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    check_history(run)
    assert Event.objects.filter(run=run, kind="task.running").count() == 52


def test_outputs_reach_downstream_with_their_type(plant: Plant):
    run = plant.run(
        {"id": "a", "params": {"value": 5}, "outputs": {"count": "number"}},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ count }}"}, "outputs": {"same": "number"}},
        {"id": "c", "depends_on": ["a"], "params": {"value": "n={{ a.count }}"}, "outputs": {"words": "text"}},
    )
    plant.drain()
    assert task(run, "b").outputs == {"same": 5}
    assert task(run, "c").outputs == {"words": "n=5"}


def test_the_first_output_is_the_result_whatever_the_names(plant: Plant):
    plant.skill("two", lambda params, context: Outputs(values={"zz_long_name": 1, "a": 2}))
    run = plant.run(
        {"id": "t", "skill": "two", "outputs": {"zz_long_name": "number", "a": "number"}},
        {"id": "u", "depends_on": ["t"], "params": {"value": "{{ t.result }}"}, "outputs": {"got": "number"}},
    )
    plant.drain()
    assert task(run, "u").outputs == {"got": 1}
