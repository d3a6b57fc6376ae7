"""What is done stays done, history stays small, and a limit is told before it is met."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db.models import Sum
from django.db.models.fields import TextField
from django.db.models.functions import Cast, Length

from plans.core.skill import Outputs
from plans.models import Artifact, Attempt, Event, Task
from plans.wording import sentence
from tests.engine.plant import Plant, check_history, states, task
from tests.engine.test_fan_out import over

pytestmark = pytest.mark.django_db(transaction=True)


def test_finished_steps_keep_their_results_when_the_code_has_changed_since(plant: Plant):
    """C81: after a restart with a new version of a skill only what had not run yet runs."""
    calls: list[str] = []

    def skill(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(context.task_key)
        return Outputs(values={"value": len(calls)})

    plant.skill("counts", skill)
    run = plant.run({"id": "a", "skill": "counts"}, {"id": "b", "skill": "counts", "depends_on": ["a"]})
    Task.objects.filter(run=run, key="b").update(held=True)
    plant.drain()
    before = task(run, "a")
    plant.infos["counts"] = replace(plant.infos["counts"], version="2")
    Task.objects.filter(run=run, key="b").update(held=False)
    plant.drain()

    after = task(run, "a")
    assert calls == ["a", "b"]
    assert (after.outputs, after.attempt, after.ended_at) == (before.outputs, before.attempt, before.ended_at)
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    check_history(run)


def test_two_hundred_results_are_stored_once_each_and_once_where_they_are_read(plant: Plant):
    """C82: nothing grows with the square of the steps: 200 results of 10 KB take less than three times their size."""
    size, count = 10_000, 200
    plant.skill("writes", lambda params, context: Outputs(values={"value": "x" * size}))
    steps = [
        {
            "id": f"t{n}",
            "skill": "writes",
            "depends_on": [f"t{n - 1}"] if n else [],
            "params": {"before": f"{{{{ made{n - 1} }}}}"} if n else {},
            "outputs": {f"made{n}": "text"},
        }
        for n in range(count)
    ]
    run = plant.run(*steps)
    plant.drain()

    assert set(states(run).values()) == {"succeeded"}
    written = sum(
        rows.aggregate(n=Sum(Length(Cast(column, TextField()))))["n"] or 0
        for rows, column in [
            (Task.objects.filter(run=run), "outputs"),
            (Task.objects.filter(run=run), "spec"),
            (Attempt.objects.filter(task__run=run), "params"),
            (Event.objects.filter(run=run), "data"),
        ]
    )
    assert size * count <= written < 3 * size * count


def test_eight_megabytes_are_an_artifact_and_their_reference_is_what_travels(plant: Plant):
    """C83: an 8 MB output is stored as an artifact with a reference; rows and events stay small."""
    plant.skill("writes", lambda params, context: Outputs(values={"value": "x" * 8_000_000}))
    run = plant.run(
        {"id": "a", "skill": "writes", "outputs": {"big": "text"}},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ size(big) }}"}},
    )
    plant.drain()

    assert task(run, "b").outputs == {"value": 8_000_000}
    assert Artifact.objects.filter(task__key="a").values_list("blob__size", flat=True).get() == 8_000_002
    assert len(str(task(run, "a").outputs)) < 1000
    assert max(len(str(event.data)) for event in Event.objects.filter(run=run)) < 4096


def test_half_of_the_item_limit_is_told_and_the_limit_names_step_and_size(plant: Plant, settings):
    """C83: warn at half of any limit; the error of a limit names the task and the size."""
    settings.PLANS_FAN_OUT_MAX = 4
    few, half, many = (plant.run(*over([1] * n, on_failure="retry_then_stop")) for n in (1, 2, 5))
    plant.drain()

    told = [Event.objects.get(run=run, kind="task.expanded").data for run in (few, half)]
    assert told == [{"items": 1}, {"items": 2, "limit": 4}]
    assert sentence("task.expanded", {"task": "Load", **told[1]}) == (
        "Load is done for each of 2 items. At most 4 are allowed."
    )
    error = task(many, "b").error
    said = sentence(error["code"], error["params"])
    assert all(word in said for word in ("“b”", "5 items", "at most 4"))
