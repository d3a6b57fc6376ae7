"""The database's clock is an hour off or jumps by one: nothing is taken back, nothing waits for the hour to pass."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db.models.functions import Now

from plans.core.errors import RetryableSkillError
from plans.core.skill import Outputs, Result
from plans.engine import late_retries, limits, sweeper, turn
from plans.engine.sql import worker_id
from plans.models import Attempt, Event, Lease, Run, SkillRow
from tests.clock import clock_off_by
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = 3600


def database_now() -> Any:
    return Lease.objects.annotate(clock=Now()).values_list("clock", flat=True).get()


@pytest.fixture(autouse=True)
def lease_row() -> None:
    Lease.objects.get_or_create(name="sweeper")


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_the_helper_moves_the_clock_that_rows_are_written_by(plant: Plant, jump: int):
    before = database_now()
    with clock_off_by(jump):
        assert abs((database_now() - before).total_seconds() - jump) < 60
        run = plant.run({"id": "a"})
        plant.drain()
    assert abs((task(run, "a").ended_at - before).total_seconds() - jump) < 60
    assert abs((database_now() - before).total_seconds()) < 60


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_running_step_keeps_its_lease_when_the_clock_jumps(plant: Plant, jump: int):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    (claimed,) = turn.take([], 1, worker_id()).claimed
    memory = sweeper.Memory()
    sweeper.sweep_once(memory, now=100.0)
    with clock_off_by(jump):
        sweeper.sweep_once(memory, now=101.0)
        sweeper.sweep_once(memory, now=120.0)
        assert (task(run, "a").state, task(run, "a").attempt) == ("running", 1)
        turn.take([_done(claimed)], 0, worker_id())
        plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    check_history(run)
    assert not Event.objects.filter(run=run, kind="task.lost").exists()


def _done(claimed: Any) -> Any:
    from plans.engine.hot import Done

    return Done(claimed=claimed, outputs='{"value":null}')


def test_a_retry_does_not_wait_for_a_clock_that_was_set_back(plant: Plant):
    def busy_once(params: dict[str, Any], context: Any) -> Result:
        if context.attempt == 1:
            raise RetryableSkillError("busy", retry_after_seconds=30)
        return Outputs(values={"value": 1})

    plant.skill("busy", busy_once)
    run = plant.run({"id": "a", "skill": "busy"})
    plant.drain()
    assert task(run, "a").state == "retrying"
    memory = sweeper.Memory()
    began = time.monotonic()
    sweeper.sweep_once(memory, now=began)
    with clock_off_by(-HOUR):
        sweeper.sweep_once(memory, now=began + 10)
        assert task(run, "a").state == "retrying"
        sweeper.sweep_once(memory, now=began + 33)
        plant.drain()
    assert states(run) == {"a": "succeeded"}
    check_history(run)


def test_a_retry_first_seen_after_the_clock_was_set_back_waits_no_longer_than_the_longest_pause(plant: Plant):
    plant.skill("busy", _busy)
    run = plant.run({"id": "a", "skill": "busy"})
    plant.drain()
    seen = late_retries.Seen()
    with clock_off_by(-HOUR):
        assert late_retries.mark_due(seen, 0.0) == 0
        assert late_retries.mark_due(seen, late_retries.LONGEST_SECONDS) == 0
        assert late_retries.mark_due(seen, late_retries.LONGEST_SECONDS + 3) == 1
    assert task(run, "a").state == "retrying"


def _busy(params: dict[str, Any], context: Any) -> Result:
    raise RetryableSkillError("busy", retry_after_seconds=30)


def test_a_rate_is_open_again_after_the_clock_was_set_back(plant: Plant):
    SkillRow.objects.update_or_create(name="noop", defaults={"calls_per_minute": 1})
    plant.infos["noop"] = plant.infos["noop"].__class__(name="noop", calls_per_minute=1)
    first, second = plant.run({"id": "a"}), plant.run({"id": "a"})
    plant.drain()
    assert sorted([states(first)["a"], states(second)["a"]]) == ["ready", "succeeded"]
    assert Attempt.objects.exclude(rated_skill="").count() == 1
    assert not limits.has_room()
    with clock_off_by(-HOUR):
        assert limits.has_room()
        plant.drain()
    assert {run.state for run in Run.objects.all()} == {"succeeded"}
