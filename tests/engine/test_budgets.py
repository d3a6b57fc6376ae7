"""Budgets: money is reserved before a step and settled after it, and time that is over pauses the run and asks."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now

from plans.core.errors import AlreadyDecided, InputError
from plans.core.skill import Outputs
from plans.engine import budgets, pausing, time_budgets, turn
from plans.engine.requests import NotAllowed
from plans.models import ModelCall, Request, Run, Task
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def with_budget(plant: Plant, *tasks: dict[str, Any], autonomy: str = "risky_steps", **columns: Any) -> Run:
    owner = User.objects.get_or_create(username="owner")[0]
    run = Run.objects.create(goal="test", owner=owner, state="running", autonomy=autonomy, **columns)
    return plant.fill(run, *tasks)


def costing(*costs: float, skill: str = "noop") -> list[dict[str, Any]]:
    return [{"id": f"t{n}", "skill": skill, "estimate": {"usd": usd}} for n, usd in enumerate(costs)]


def spend(run: Run, key: str, usd: str) -> None:
    found = task(run, key)
    ModelCall.objects.create(
        run=run, task=found, attempt=found.attempt, purpose="skill", model="m", outcome="ok", usd=Decimal(usd)
    )


def test_a_step_starts_only_when_its_estimate_is_free(plant: Plant):
    run = with_budget(plant, *costing(0.6, 0.6), budget_usd=Decimal(1))
    claimed, _ = turn.take_limited(4, "here:1:1")
    assert [one.key for one in claimed] == ["t0"]
    assert turn.take_limited(4, "here:1:1") == ([], [])
    assert not Request.objects.exists(), "t0 may cost less than was thought: nothing to ask yet"
    assert states(run) == {"t0": "running", "t1": "ready"}


def test_what_a_step_did_not_take_is_free_for_the_next(plant: Plant):
    run = with_budget(plant, *costing(0.6, 0.6), budget_usd=Decimal(1))
    plant.drain(slots=1)
    assert set(states(run).values()) == {"succeeded"}


def test_calls_of_a_running_step_are_not_counted_twice(plant: Plant):
    run = with_budget(plant, *costing(0.5, 0.5), budget_usd=Decimal(1))
    turn.take_limited(1, "here:1:1")
    spend(run, "t0", "0.4")
    claimed, _ = turn.take_limited(1, "here:1:1")
    assert [one.key for one in claimed] == ["t1"]


def test_a_budget_that_does_not_reach_asks_and_goes_on_when_it_is_raised(plant: Plant):
    def skill(params: dict[str, Any], context: Any) -> Outputs:
        return Outputs(values={"value": 1})

    plant.skill("pays", skill)
    run = with_budget(plant, *costing(0.6, 0.6, skill="pays"), {"id": "free"}, budget_usd=Decimal(1))
    plant.drain()
    spend(run, "t0", "0.6")
    Task.objects.filter(run=run, key="t1").update(state="ready", ended_at=None, outputs=None)
    Run.objects.filter(pk=run.pk).update(state="running", left=1, ended_at=None)
    plant.drain()

    request = Request.objects.get(run=run, state="open")
    assert (request.kind, task(run, "t1").state) == ("budget", "waiting")
    assert request.content["error"]["code"] == "budget_estimate_reached"
    assert request.content["error"]["params"] == {"budget": "1.0000", "most": "0.6000", "spent": "0.6000"}
    budgets.raise_budget(request=request, by=run.owner, usd=Decimal("0.5"))
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}


def test_a_step_dearer_than_the_whole_budget_asks_at_once_and_others_go_on(plant: Plant):
    run = with_budget(plant, *costing(2.0), {"id": "free"}, budget_usd=Decimal(1))
    plant.drain()
    assert states(run) == {"t0": "waiting", "free": "succeeded"}
    assert task(run, "t0").tries_used == 0
    check_history(run)


def test_unattended_a_budget_that_does_not_reach_fails_the_step(plant: Plant):
    run = with_budget(plant, *costing(2.0), budget_usd=Decimal(1), autonomy="unattended")
    plant.drain()
    run.refresh_from_db()
    assert (states(run), run.state) == ({"t0": "failed"}, "failed")
    assert task(run, "t0").error["class"] == "budget"


def test_a_run_without_a_budget_reserves_nothing(plant: Plant):
    run = plant.run(*costing(1000.0))
    assert not task(run, "t0").limited
    plant.drain()
    assert states(run) == {"t0": "succeeded"}


def test_time_that_is_over_pauses_the_run_and_asks(plant: Plant):
    run = with_budget(plant, {"id": "a"}, budget_seconds=60)
    Run.objects.filter(pk=run.pk).update(started_at=Now() - timedelta(seconds=59))
    assert time_budgets.enforce() == 0
    Run.objects.filter(pk=run.pk).update(started_at=Now() - timedelta(seconds=61))
    assert time_budgets.enforce() == 1
    assert time_budgets.enforce() == 0
    plant.drain()

    run.refresh_from_db()
    request = Request.objects.get(run=run)
    assert (run.state, states(run)) == ("paused", {"a": "ready"})
    assert request.content["error"]["code"] == "budget_seconds_reached"
    assert request.content["budget_seconds"] == 60
    time_budgets.raise_time(request=request, by=run.owner, seconds=600)
    run.refresh_from_db()
    assert run.state == "running"
    assert 660 <= run.budget_seconds <= 720
    assert time_budgets.enforce() == 0
    plant.drain()
    assert states(run) == {"a": "succeeded"}
    check_history(run)


def test_a_deadline_is_met_the_same_way(plant: Plant):
    run = with_budget(plant, {"id": "a"}, deadline_at=Now() - timedelta(seconds=1))
    assert time_budgets.enforce() == 1
    request = Request.objects.get(run=run)
    assert request.content["error"]["code"] == "deadline_reached"
    time_budgets.raise_time(request=request, by=run.owner, seconds=3600)
    assert time_budgets.enforce() == 0
    plant.drain()
    assert states(run) == {"a": "succeeded"}


def test_resume_without_a_decision_is_paused_again_and_asks_no_second_time(plant: Plant):
    run = with_budget(plant, {"id": "a"}, deadline_at=Now() - timedelta(seconds=1))
    time_budgets.enforce()
    pausing.resume_run(run=run, by=run.owner)
    assert time_budgets.enforce() == 1
    assert Request.objects.filter(run=run).count() == 1


def test_stop_ends_the_run_and_keeps_what_is_done(plant: Plant):
    run = with_budget(plant, {"id": "a"}, {"id": "b", "depends_on": ["a"], "run_if": "true"})
    claimed = turn.take([], 1, "here:1:1").claimed
    from plans.engine.hot import Done

    turn.take([Done(claimed=claimed[0], outputs=None)], 0, "here:1:1")
    Run.objects.filter(pk=run.pk).update(deadline_at=Now() - timedelta(seconds=1))
    time_budgets.enforce()
    time_budgets.stop(request=Request.objects.get(run=run), by=run.owner)
    run.refresh_from_db()
    assert (run.state, states(run)) == ("cancelled", {"a": "succeeded", "b": "cancelled"})


def test_unattended_a_run_whose_time_is_over_fails(plant: Plant):
    run = with_budget(plant, {"id": "a"}, deadline_at=Now() - timedelta(seconds=1), autonomy="unattended")
    assert time_budgets.enforce() == 1
    run.refresh_from_db()
    assert (run.state, run.error["code"]) == ("failed", "deadline_reached")
    assert not Request.objects.exists()


def test_a_decision_about_time_is_taken_once_and_by_who_may(plant: Plant):
    run = with_budget(plant, {"id": "a"}, deadline_at=Now() - timedelta(seconds=1))
    time_budgets.enforce()
    request = Request.objects.get(run=run)
    stranger = User.objects.create_user("stranger")
    with pytest.raises(NotAllowed):
        time_budgets.raise_time(request=request, by=stranger, seconds=60)
    with pytest.raises(InputError):
        time_budgets.raise_time(request=request, by=run.owner, seconds=0)
    time_budgets.raise_time(request=request, by=run.owner, seconds=60)
    with pytest.raises(AlreadyDecided):
        time_budgets.stop(request=request, by=run.owner)
