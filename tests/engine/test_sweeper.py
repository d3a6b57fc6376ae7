"""The sweep: expired leases, lost doorbells, wrong counters, late requests, one holder."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django_q.brokers import get_broker

from plans import storage
from plans.core.kinds import RunsIn
from plans.core.skill import Ask, Outputs
from plans.engine import doorbell, mend, sweeper, turn
from plans.engine.sql import host_id, is_gone, worker_id
from plans.models import Lease, Request, Run, Task
from tests.engine.plant import Plant, check_history, gone_worker, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_worker_is_gone_only_when_its_very_process_has_ended():
    assert not is_gone(worker_id())
    assert is_gone(gone_worker())
    assert is_gone(f"{host_id()}:{os.getpid()}:1")
    assert not is_gone("another-host-123:1:1")


def test_the_step_of_a_dead_worker_is_ready_again_after_one_sweep(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    turn.take([], 1, gone_worker())
    sweeper.sweep_once(sweeper.Memory())
    assert task(run, "a").state == "ready"
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["lost", "succeeded"]
    check_history(run)


def test_a_lease_expires_by_standing_still_on_the_sweepers_clock_not_by_the_wall_clock(plant: Plant):
    run = plant.run({"id": "a"})
    turn.take([], 1, "another-host:1:1")
    Task.objects.filter(run=run).update(lease_expires_at=Now() - timedelta(hours=2))
    memory = sweeper.Memory()
    sweeper.sweep_once(memory, now=100.0)
    sweeper.sweep_once(memory, now=129.0)
    assert task(run, "a").state == "running"
    Task.objects.filter(run=run).update(lease_expires_at=Now() - timedelta(hours=1))
    sweeper.sweep_once(memory, now=131.0)
    sweeper.sweep_once(memory, now=160.0)
    assert task(run, "a").state == "running"
    sweeper.sweep_once(memory, now=161.5)
    assert task(run, "a").state == "ready"


def test_ready_work_that_nobody_claims_is_rung_for(plant: Plant):
    plant.run({"id": "a"})
    get_broker().delete_queue()
    memory = sweeper.Memory()
    sweeper.sweep_once(memory, now=10.0)
    assert doorbell.waiting() == 0
    sweeper.sweep_once(memory, now=11.5)
    assert doorbell.waiting() == 1


def test_only_one_sweeper_works_and_a_dead_one_is_replaced_at_once():
    first, second = sweeper.Memory(), sweeper.Memory(me="another-host:1:1")
    assert sweeper.sweep_once(first, now=1.0) is not None
    assert sweeper.sweep_once(second, now=2.0) is None
    assert sweeper.sweep_once(first, now=3.0) is not None
    Lease.objects.update(holder=gone_worker())
    assert sweeper.sweep_once(second, now=4.0) is not None
    assert sweeper.sweep_once(first, now=5.0) is None
    assert sweeper.sweep_once(first, now=16.0) is not None


def test_wrong_counters_are_recomputed_and_the_run_moves_on(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]})
    Task.objects.filter(run=run, key="b").update(unmet=2)
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "pending", "c": "pending"}
    assert mend.mend_runs(10) == 1
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    check_history(run)


def test_advance_is_level_triggered(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    before = states(run)
    assert [mend.advance(run.pk) for _ in range(3)] == [False, False, False]
    assert states(run) == before
    Run.objects.filter(pk=run.pk).update(left=7)
    assert [mend.advance(run.pk) for _ in range(3)] == [True, False, False]
    check_history(run)


def test_a_run_that_cannot_move_says_which_tasks_are_in_the_way(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    Task.objects.filter(run=run, key="a").update(state="waiting")
    Request.objects.filter(run=run).delete()
    Task.objects.filter(run=run, key="a").update(state="pending", unmet=1)
    other = plant.run({"id": "x"})
    edge = Task.objects.get(run=other)
    Task.objects.filter(pk=edge.pk).update(state="waiting")
    from plans.models import Dependency

    Dependency.objects.create(upstream=edge, downstream=task(run, "a"))
    mend._say_stuck(run.pk)
    mend._say_stuck(run.pk)
    assert Request.objects.get(run=run).content == {"tasks": ["a", "b"]}


def test_a_late_question_takes_its_default(plant: Plant):
    def ask(params, context):
        if "question" in context.answers:
            return Outputs(values={"said": context.answers["question"]})
        return Ask(text="?", schema={"type": "object"}, deadline_seconds=600, default={"ok": False})

    plant.skill("ask", ask, runs_in=RunsIn.ENGINE)
    run = plant.run({"id": "a", "skill": "ask", "outputs": {"said": "object"}})
    plant.drain()
    sweeper.sweep_once(sweeper.Memory())
    assert task(run, "a").state == "waiting"
    Request.objects.filter(run=run).update(deadline_at=Now() - timedelta(seconds=1))
    sweeper.sweep_once(sweeper.Memory())
    plant.drain()
    assert task(run, "a").outputs == {"said": {"ok": False}}
    assert Request.objects.get(run=run).state == "expired"
    check_history(run)


def test_bytes_that_no_row_names_are_removed_after_a_day():
    sha256, _size = storage.put_bytes(b"orphan")
    kept, _size = storage.put_bytes(b"young")
    old = storage.local_path(sha256)
    os.utime(old, (1, 1))
    assert mend.remove_orphan_blobs() == 1
    assert (old.exists(), storage.local_path(kept).exists()) == (False, True)


def test_one_poisoned_row_does_not_stop_the_sweep_of_others(plant: Plant):
    broken = plant.run({"id": "a"})
    sound = plant.run({"id": "b"})
    turn.take([], 2, gone_worker())
    Task.objects.filter(run=broken).update(spec=["not", "an", "object"], idempotent=False)
    sweeper.sweep_once(sweeper.Memory())
    assert task(sound, "b").state == "ready"


def test_doorbells_do_not_pile_up_while_no_worker_runs(plant: Plant):
    plant.run({"id": "a"}, {"id": "b"}, {"id": "c"})
    memory = sweeper.Memory()
    for second in range(60):
        sweeper.sweep_once(memory, now=float(second))
    assert doorbell.waiting() <= 4
