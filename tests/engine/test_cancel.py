"""Cancel: in every state, once, and never overwritten by a late success."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from plans.core.errors import SkillCancelled, StateError
from plans.core.kinds import RunsIn
from plans.core.skill import Ask, Outputs
from plans.engine import hot, stopping, turn
from plans.engine.control import cancel_run
from plans.engine.requests import answer_question
from plans.models import Event, Request, Run
from tests.engine.plant import Gate, Plant, check_history, states, task
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def in_thread(plant: Plant) -> threading.Thread:
    def body() -> None:
        try:
            plant.drain()
        finally:
            connection.close()

    thread = threading.Thread(target=body)
    thread.start()
    return thread


def test_cancel_stops_a_step_that_listens_and_starts_nothing_more(plant: Plant):
    inside = threading.Event()

    def listens(params: dict[str, Any], context: Any) -> Outputs:
        inside.set()
        wait_for(context.cancelled)
        raise SkillCancelled

    plant.skill("slow", listens)
    run = plant.run({"id": "a", "skill": "slow"}, {"id": "b", "depends_on": ["a"]})
    thread = in_thread(plant)
    assert inside.wait(30)
    assert cancel_run(run=run, by=run.owner) == 1
    thread.join(30)
    assert states(run) == {"a": "cancelled", "b": "cancelled"}
    run.refresh_from_db()
    assert run.state == "cancelled"
    check_history(run)
    with pytest.raises(StateError):
        cancel_run(run=run, by=run.owner)


def test_a_success_that_comes_after_the_cancel_does_not_overwrite_it(plant: Plant, monkeypatch):
    """C85."""
    monkeypatch.setattr("plans.engine.overdue.GRACE_SECONDS", 0.1)
    gate = Gate()
    plant.skill("deaf", gate)
    run = plant.run({"id": "a", "skill": "deaf"}, {"id": "b", "depends_on": ["a"]})
    thread = in_thread(plant)
    assert gate.inside.wait(30)
    cancel_run(run=run, by=run.owner)
    wait_for(lambda: Run.objects.get(pk=run.pk).state == "cancelled")
    gate.go_on.set()
    thread.join(30)
    assert states(run) == {"a": "cancelled", "b": "cancelled"}
    assert Event.objects.filter(run=run, kind="task.succeeded").count() == 0
    check_history(run)


def test_a_waiting_run_is_cancelled_at_once_and_its_question_is_void(plant: Plant):
    plant.skill("ask", lambda p, c: Ask(text="?", schema={"type": "object"}), runs_in=RunsIn.ENGINE)
    run = plant.run({"id": "a", "skill": "ask"})
    plant.drain()
    cancel_run(run=run, by=run.owner)
    run.refresh_from_db()
    assert (run.state, states(run)) == ("cancelled", {"a": "cancelled"})
    request = Request.objects.get(run=run)
    assert request.state == "void"
    with pytest.raises(StateError):
        answer_question(request=request, answer={}, by=run.owner)
    check_history(run)


def test_a_failure_after_the_cancel_neither_retries_nor_asks(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b"})
    claimed = turn.take([], 1, "worker").claimed[0]
    cancel_run(run=run, by=run.owner)
    with transaction.atomic():
        from plans.core.errors import ErrorClass
        from plans.engine.ladder import fail
        from plans.engine.settle import Changes
        from plans.engine.steps import Failed

        changes = Changes(run.pk)
        fail(changes, Failed(claimed=claimed, code="busy", params={}, error_class=ErrorClass.TRANSIENT))
        changes.flush()
    run.refresh_from_db()
    assert (run.state, set(states(run).values())) == ("cancelled", {"cancelled"})


def test_a_stopping_worker_gives_its_step_back_and_it_runs_again(plant: Plant, settings):
    settings.PLANS_STOP_SECONDS = 0.1
    inside = threading.Event()
    again: list[int] = []

    def slow_once(params: dict[str, Any], context: Any) -> Outputs:
        again.append(context.attempt)
        if context.attempt == 1:
            inside.set()
            wait_for(context.cancelled)
            raise SkillCancelled
        return Outputs(values={})

    plant.skill("slow", slow_once)
    run = plant.run({"id": "a", "skill": "slow"}, {"id": "b", "depends_on": ["a"]})
    thread = in_thread(plant)
    assert inside.wait(30)
    try:
        stopping.request_stop()
        thread.join(30)
        assert states(run) == {"a": "ready", "b": "pending"}
        plant.drain()
        assert states(run) == {"a": "ready", "b": "pending"}
    finally:
        stopping.reset()
    plant.drain()
    assert (again, states(run)) == ([1, 2], {"a": "succeeded", "b": "succeeded"})
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["interrupted", "succeeded"]
    assert task(run, "a").tries_used == 0
    check_history(run)


def test_finishing_twice_counts_once(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    claimed = turn.take([], 1, "worker").claimed[0]
    done = hot.Done(claimed=claimed, outputs=None)
    turn.take([done], 0, "worker")
    turn.take([done], 0, "worker")
    assert (task(run, "b").state, task(run, "b").unmet) == ("ready", 0)
    check_history(run)
