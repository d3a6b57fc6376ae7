"""Why a run does not move: each cause is told in a sentence that names what is in the way."""

from __future__ import annotations

import io
import json
import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from plans.core.errors import PermanentSkillError
from plans.core.skill import WaitUntil
from plans.engine import overview, pausing
from plans.models import Hold, Pool, Run, Task
from plans.wording import sentence
from tests.engine.plant import Gate, Plant

pytestmark = pytest.mark.django_db(transaction=True)


def said(run: Run, later: float = 0) -> list[str]:
    run.refresh_from_db()
    now = timezone.now() + timedelta(seconds=later)
    return [sentence(reason.code, reason.params) for reason in overview.explain(run, now)]


def test_an_approval_is_named_with_its_time(plant: Plant) -> None:
    run = plant.run({"id": "a", "name": "Send it", "approval": "always"})
    plant.drain()
    (text,) = said(run)
    assert text.startswith("“Send it” waits for an approval since ")


def test_a_deadline_shows_its_default(plant: Plant) -> None:
    run = plant.run({"id": "a", "name": "Send it", "approval": "always"})
    plant.drain()
    run.request_rows.update(deadline_at=timezone.now() + timedelta(days=400), default="Reject")
    (text,) = said(run)
    assert "; default Reject at " in text


def test_a_failed_step_and_a_wait_are_both_named(plant: Plant) -> None:
    def fails(params, context):
        raise PermanentSkillError("skill_failed")

    def sleeps(params, context):
        return WaitUntil(at=timezone.now() + timedelta(hours=1))

    plant.skill("fails", fails, retries=0)
    plant.skill("sleeps", sleeps)
    run = plant.run({"id": "a", "skill": "fails"}, {"id": "b", "skill": "sleeps"})
    plant.drain()

    failed, waits = said(run)
    assert failed.startswith("“a” has failed and waits for a decision since ")
    assert waits.startswith("“b” waits until ")


def test_with_no_worker_the_sentence_asks_for_one(plant: Plant) -> None:
    run = plant.run({"id": "a"})
    assert said(run) == ["“a” is ready, and no worker has ever claimed a step. Is one running?"]
    plant.run({"id": "x"})
    plant.drain()
    again = plant.run({"id": "b"})
    (text,) = said(again, later=90)
    assert "no worker has claimed for 9" in text


def test_a_running_step_names_its_worker_and_what_is_full_names_its_holder(plant: Plant) -> None:
    gate = Gate()
    plant.skill("gate", gate)
    Pool.objects.create(name="crm", slots=1)
    holder = plant.run({"id": "t3", "skill": "gate"})
    Task.objects.filter(run=holder).update(pool="crm")
    worker = threading.Thread(target=lambda: (plant.drain(slots=1), connection.close()))
    worker.start()
    assert gate.inside.wait(30)
    other = plant.run({"id": "t7"})
    Task.objects.filter(run=other).update(pool="crm", held=True)

    (runs,) = said(holder)
    (full,) = said(other)
    gate.go_on.set()
    worker.join(30)

    assert runs.startswith("“t3” runs since ")
    assert "its lease was renewed" in runs
    assert full.startswith(f"“t7” is ready, but pool crm is full (1 of 1): {str(holder.uuid)[:8]} / t3 on ")


def test_paused_held_and_ended_runs_say_so(plant: Plant, owner: User) -> None:
    run = plant.run({"id": "a"})
    Hold.objects.create(by=owner, reason="Maintenance")
    assert any(text.startswith("All new work is held by owner since ") and "Maintenance" in text for text in said(run))
    Hold.objects.all().delete()
    pausing.pause_run(run=run, by=owner)
    (text,) = said(run)
    assert text.startswith("The run is paused since ")
    pausing.resume_run(run=run, by=owner)
    plant.drain()
    (text,) = said(run)
    assert text.startswith("The run has ended (succeeded)")


def test_many_steps_are_counted_and_not_listed(plant: Plant) -> None:
    run = plant.run(*[{"id": f"t{n}", "approval": "always"} for n in range(8)])
    plant.drain()
    assert said(run)[-1] == "And 3 more like these."


def test_the_command_prints_the_same_sentences(plant: Plant, owner: User) -> None:
    owner.is_superuser = True
    owner.save()
    run = plant.run({"id": "a"})
    out = io.StringIO()
    call_command("explain", str(run.uuid), "--json", stdout=out)
    shown = json.loads(out.getvalue())
    assert [one["text"] for one in shown["reasons"]] == said(run)
    with pytest.raises(SystemExit) as stop:
        call_command("explain", "nothing", stdout=io.StringIO(), stderr=io.StringIO())
    assert stop.value.code == 1
