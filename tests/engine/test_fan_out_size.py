"""Fan-outs that are large: in items, in one item, in what comes of them."""

from __future__ import annotations

import json

import pytest

from plans.core.skill import Outputs
from plans.models import Artifact, Event
from tests.engine.plant import Plant, check_history, task
from tests.engine.test_fan_out import over

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_large_item_and_large_results_go_through_blobs(plant: Plant):
    big = "x" * 70_000
    plant.skill("measure", lambda params, context: Outputs(values={"value": params["value"] + "!"}))
    run = plant.run(
        *over([big, big[1:]], skill="measure"),
        {"id": "c", "depends_on": ["b"], "params": {"value": "{{ made.map(x, size(x)) }}"}},
    )
    plant.drain()
    assert task(run, "c").outputs == {"value": [70_001, 70_000]}
    assert len(json.dumps(task(run, "b[0]").spec)) < 2000


def test_a_list_too_large_for_the_row_is_an_artifact_of_the_group(plant: Plant):
    plant.skill("measure", lambda params, context: Outputs(values={"value": "x" * 30_000}))
    run = plant.run(
        *over([1, 2, 3], skill="measure"), {"id": "c", "depends_on": ["b"], "params": {"value": "{{ size(made) }}"}}
    )
    plant.drain()
    assert Artifact.objects.filter(task__key="b").values_list("name", flat=True).get() == "made"
    assert task(run, "c").outputs == {"value": 3}


def test_a_thousand_items_run_to_the_end_in_order(plant: Plant):
    """C46, C43: the engine's part of a thousand mapped items."""
    run = plant.run(*over(list(range(1000))))
    plant.drain()
    assert task(run, "b").outputs == {"made": list(range(1000))}
    run.refresh_from_db()
    assert (run.state, run.left) == ("succeeded", 0)
    assert Event.objects.filter(run=run, kind="task.succeeded").count() == 1002
    check_history(run)
