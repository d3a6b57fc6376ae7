"""Pause and resume: nothing new starts, nothing is lost, everything decided meanwhile counts."""

from __future__ import annotations

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from plans.core.errors import PermanentSkillError, StateError
from plans.engine import control, pausing
from plans.engine.failures import decide_failure
from plans.models import Event, Request
from tests.engine.plant import Gate, Plant, check_history, states
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_paused_run_starts_nothing_and_goes_on_with_resume(plant: Plant, owner: User) -> None:
    run, other = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]}), plant.run({"id": "x"})

    pausing.pause_run(run=run, by=owner)
    pausing.pause_run(run=run, by=owner)
    plant.drain()

    run.refresh_from_db()
    assert (run.state, states(run)) == ("paused", {"a": "ready", "b": "pending"})
    assert states(other) == {"x": "succeeded"}, "others go on"

    pausing.resume_run(run=run, by=owner)
    plant.drain()

    run.refresh_from_db()
    assert (run.state, run.pause_requested_at) == ("succeeded", None)
    kinds = list(Event.objects.filter(run=run, kind__startswith="run.").values_list("kind", flat=True))
    assert kinds == ["run.pause_requested", "run.paused", "run.resumed", "run.succeeded"]
    check_history(run)


def test_what_runs_ends_and_then_the_run_is_paused(plant: Plant, owner: User) -> None:
    gate = Gate()
    plant.skill("gate", gate)
    run = plant.run({"id": "a", "skill": "gate"}, {"id": "b", "depends_on": ["a"]})
    worker = threading.Thread(target=lambda: (plant.drain(), connection.close()))
    worker.start()
    assert gate.inside.wait(30)

    pausing.pause_run(run=run, by=owner)
    run.refresh_from_db()
    assert run.state == "running", "pausing: a step is still at work"
    gate.go_on.set()
    worker.join(30)
    pausing.settle_pauses()

    run.refresh_from_db()
    assert (run.state, states(run)) == ("paused", {"a": "succeeded", "b": "ready"})
    assert pausing.settle_pauses() == 0


def test_rows_made_after_the_pause_are_held_too(plant: Plant, owner: User) -> None:
    run = plant.run({"id": "a"}, {"id": "b"})
    pausing.pause_run(run=run, by=owner)
    run.tasks.filter(key="b").update(held=False)

    pausing.settle_pauses()

    assert not run.tasks.filter(held=False).exists()


def test_what_was_decided_during_the_pause_ends_the_run_with_resume(plant: Plant, owner: User) -> None:
    def fails(params, context):
        raise PermanentSkillError("skill_failed")

    plant.skill("fails", fails, retries=0)
    run = plant.run({"id": "a", "skill": "fails"})
    plant.drain()
    pausing.pause_run(run=run, by=owner)

    decide_failure(of=Request.objects.get(run=run, kind="failure"), choice="skip", by=owner)
    run.refresh_from_db()
    assert (run.state, run.left) == ("paused", 0)
    pausing.resume_run(run=run, by=owner)

    run.refresh_from_db()
    assert run.state == "succeeded"
    check_history(run)


def test_a_paused_run_can_be_cancelled(plant: Plant, owner: User) -> None:
    run = plant.run({"id": "a"})
    pausing.pause_run(run=run, by=owner)

    control.cancel_run(run=run, by=owner)

    run.refresh_from_db()
    assert (run.state, states(run)) == ("cancelled", {"a": "cancelled"})
    check_history(run)


def test_only_a_running_run_pauses_and_only_a_paused_one_resumes(plant: Plant, owner: User) -> None:
    run = plant.run({"id": "a"})
    with pytest.raises(StateError, match="run_not_paused"):
        pausing.resume_run(run=run, by=owner)
    plant.drain()
    for act in (pausing.pause_run, pausing.resume_run):
        with pytest.raises(StateError, match="run_ended"):
            act(run=run, by=owner)


def test_a_paused_run_costs_the_workers_no_transaction(plant: Plant, owner: User) -> None:
    run = plant.run(*[{"id": f"t{n}"} for n in range(5)])
    pausing.pause_run(run=run, by=owner)
    before = Event.objects.count()

    wait_for(lambda: plant.drain() or True)

    assert Event.objects.count() == before
