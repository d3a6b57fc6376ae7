"""Pools, rates and other limits hold however many workers claim; nothing else pays for them."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from plans.core.kinds import Approval, RunsIn
from plans.core.skill import Ask, Outputs
from plans.engine import ageing, limits, turn
from plans.engine.ageing import Seen
from plans.engine.overview import explain
from plans.engine.pausing import pause_run
from plans.engine.requests import decide_approval
from plans.models import Attempt, Hold, Pool, Request, Run, SkillRow, Task
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


class Busy:
    """A skill that notes how many run at once, in total weight, and lets others in meanwhile."""

    def __init__(self) -> None:
        self.most = self.now = self.calls = 0
        self.lock = threading.Lock()
        self.pause = threading.Event()

    def __call__(self, params: dict[str, Any], context: Any) -> Outputs:
        weight = params.get("weight", 1)
        with self.lock:
            self.calls += 1
            self.now += weight
            self.most = max(self.most, self.now)
        self.pause.wait(0.02)
        with self.lock:
            self.now -= weight
        return Outputs(values={"value": 1})


@pytest.fixture
def busy(plant: Plant) -> Busy:
    skill = Busy()
    plant.skill("busy", skill)
    return skill


def several(count: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"id": f"t{number}", "skill": "busy", **fields} for number in range(count)]


def drain_twice(plant: Plant, slots: int = 4) -> None:
    """Drain on two threads, each with its own connection and slots, as two workers do."""

    def work() -> None:
        try:
            plant.drain(slots)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_a_pool_is_never_used_beyond_its_slots_by_two_workers(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=2)
    run = plant.run(*several(12, pool="crm"))
    drain_twice(plant)
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 2
    check_history(run)


def test_weights_count_and_a_heavy_step_is_not_overtaken_for_ever(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=3)
    light = several(8, pool="crm", params={"weight": 1})
    heavy = {"id": "heavy", "skill": "busy", "pool": "crm", "weight": 3, "params": {"weight": 3}, "priority": 1}
    run = plant.run(*light, heavy)
    drain_twice(plant)
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 3


def test_a_step_heavier_than_a_shrunk_pool_runs_alone(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=1)
    run = plant.run(*several(3, pool="crm", weight=5))
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 1


def test_a_full_pool_holds_up_only_its_own_steps(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=1)
    run = plant.run(*several(2, pool="crm"), {"id": "free"}, {"id": "after", "depends_on": ["free"]})
    Task.objects.filter(run=run, key="t0").update(
        state="running", claimed_by="elsewhere:1:1", lease_expires_at=Now() + timedelta(seconds=60)
    )
    plant.drain()
    assert states(run) == {"t0": "running", "t1": "ready", "free": "succeeded", "after": "succeeded"}


def test_a_pool_that_is_gone_holds_nothing_back(plant: Plant, busy: Busy):
    run = plant.run(*several(2, pool="gone"))
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}


def test_slots_of_crashed_workers_are_free_again_because_rows_are_counted(plant: Plant, busy: Busy):
    """C55, C56: no counter can leak; the last holder that is taken back frees its place."""
    Pool.objects.create(name="crm", slots=1)
    run = plant.run(*several(2, pool="crm"))
    (claimed,), _ = turn.take_limited(4, "dead:1:1")
    plant.drain()
    assert sorted(states(run).values()) == ["ready", "running"]
    Task.objects.filter(pk=claimed.task_id).update(state="ready", lease_expires_at=None, claimed_by="")
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}


def test_what_waits_for_a_person_holds_no_place(plant: Plant, busy: Busy):
    """C59: waiting holds no pool slot; a call in progress does."""
    Pool.objects.create(name="crm", slots=1)
    plant.skill("asks", lambda params, context: Ask(text="?", schema={"type": "object"}), runs_in=RunsIn.THREAD)
    run = plant.run({"id": "a", "skill": "asks", "pool": "crm", "priority": 5}, *several(1, pool="crm"))
    plant.drain()
    assert states(run) == {"a": "waiting", "t0": "succeeded"}


def test_calls_at_once_of_a_skill_hold_over_all_runs(plant: Plant, busy: Busy):
    SkillRow.objects.create(name="busy", concurrency=2)
    plant.skill("busy", busy, concurrency=2)
    runs = [plant.run(*several(5)) for _ in range(2)]
    drain_twice(plant)
    assert [set(states(run).values()) for run in runs] == [{"succeeded"}] * 2
    assert busy.most == 2


def test_calls_per_minute_count_starts_and_let_the_next_in_when_one_is_a_minute_old(plant: Plant, busy: Busy):
    SkillRow.objects.create(name="busy", calls_per_minute=3)
    plant.skill("busy", busy, calls_per_minute=3)
    run = plant.run(*several(5))
    plant.drain()
    assert sorted(states(run).values()) == ["ready"] * 2 + ["succeeded"] * 3
    assert not limits.has_room()
    oldest = Attempt.objects.filter(task__run=run).order_by("pk").first()
    Attempt.objects.filter(pk=oldest.pk).update(started_at=Now() - timedelta(seconds=61))
    assert limits.has_room()
    plant.drain()
    assert sorted(states(run).values()) == ["ready"] + ["succeeded"] * 4


def test_tasks_at_once_of_a_run_hold_for_that_run_alone(plant: Plant, busy: Busy):
    owner = plant.run({"id": "a"}).owner
    run = Run.objects.create(goal="narrow", owner=owner, state="running", tasks_at_once=1)
    plant.fill(run, *several(4))
    drain_twice(plant)
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 1


def test_items_at_once_bound_a_fan_out_and_keep_the_order(plant: Plant, busy: Busy):
    run = plant.run(
        {
            "id": "b",
            "skill": "busy",
            "for_each": "inputs.names",
            "params": {"name": "{{ item }}"},
            "outputs": {"made": "json"},
            "items_at_once": 2,
        },
        inputs={"names": list("abcdefgh")},
    )
    drain_twice(plant)
    assert task(run, "b").outputs == {"made": [1] * 8}
    assert busy.most == 2
    check_history(run)


def test_a_condition_is_decided_once_and_then_the_step_waits_in_line(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=1)
    run = plant.run(*several(3, pool="crm", run_if="inputs.go"), inputs={"go": True})
    drain_twice(plant)
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 1
    check_history(run)


def test_an_approved_step_waits_for_room_and_uses_its_approval_up_when_it_starts(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=1)
    plant.skill("busy", busy, approval=Approval.ALWAYS)
    run = plant.run(*several(1, pool="crm"))
    plant.drain()
    holder = plant.run({"id": "h", "pool": "crm"})
    Task.objects.filter(run=holder).update(
        state="running", claimed_by="elsewhere:1:1", lease_expires_at=Now() + timedelta(seconds=60)
    )
    request = Request.objects.get(run=run)
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner)
    plant.drain()
    request.refresh_from_db()
    assert (states(run), request.consumed_at) == ({"t0": "ready"}, None)
    Task.objects.filter(run=holder).update(state="ready", lease_expires_at=None, claimed_by="")
    Task.objects.filter(run=holder).delete()
    plant.drain()
    request.refresh_from_db()
    assert states(run) == {"t0": "succeeded"}
    assert request.consumed_at is not None


def test_a_limit_an_operator_sets_later_holds_for_what_waits_already(plant: Plant, busy: Busy):
    run = plant.run(*several(6))
    SkillRow.objects.create(name="busy", concurrency=1)
    limits.limit_skill("busy")
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    assert busy.most == 1


def test_nothing_is_claimed_while_new_work_is_held(plant: Plant, busy: Busy):
    Pool.objects.create(name="crm", slots=1)
    hold = Hold.objects.create()
    run = plant.run({"id": "a"}, {"id": "b", "run_if": "true"}, {"id": "c", "skill": "busy", "pool": "crm"})
    plant.drain()
    assert set(states(run).values()) == {"ready"}
    hold.delete()
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}


def test_nothing_of_a_run_that_is_to_pause_is_claimed(plant: Plant, busy: Busy):
    """C35: after Pause nothing further starts."""
    Pool.objects.create(name="crm", slots=1)
    tasks = [{"id": "a"}, {"id": "b", "run_if": "true"}, {"id": "c", "skill": "busy", "pool": "crm"}]
    run, other = plant.run(*tasks), plant.run(*tasks)
    pause_run(run=run, by=run.owner)
    plant.drain()
    assert set(states(run).values()) == {"ready"}
    assert set(states(other).values()) == {"succeeded"}


def test_a_step_that_stays_ready_rises_above_more_urgent_newcomers(plant: Plant):
    """Ageing: nothing starves, however urgent the stream of other work is."""
    seen, now = Seen(), 0.0
    old = plant.run({"id": "old", "priority": -100})
    for _number in range(30):
        ageing.age(seen, now)
        now += 10.0
        plant.run({"id": "new", "priority": 100})
        (claimed,) = turn.take([], 1, "here:1:1").claimed
        if claimed.run_id == old.pk:
            break
    assert claimed.run_id == old.pk


def test_ageing_waits_for_its_time_and_leaves_newcomers_alone(plant: Plant):
    seen = Seen()
    run = plant.run({"id": "a"})
    assert ageing.age(seen, 0.0) == 0
    assert ageing.age(seen, 9.9) == 0
    plant.run({"id": "b"})
    assert ageing.age(seen, 10.0) == 1
    assert task(run, "a").priority == 10
    assert list(Task.objects.filter(key="b").values_list("priority", flat=True)) == [0]


def _why(run: Run) -> list[str]:
    return [reason.code for reason in explain(run, timezone.now())]


def test_a_step_that_waits_for_a_limit_is_told_which_one(plant: Plant, busy: Busy):
    SkillRow.objects.create(name="busy", concurrency=1)
    plant.skill("busy", busy, concurrency=1)
    run = plant.run(*several(2))
    turn.take_limited(1, "here:1:1")
    assert _why(run)[-1] == "why_skill_full"
    SkillRow.objects.update(concurrency=None, calls_per_minute=1)
    Attempt.objects.update(rated_skill="busy")
    assert _why(run)[-1] == "why_rate_full"
    SkillRow.objects.update(calls_per_minute=None)
    Run.objects.filter(pk=run.pk).update(tasks_at_once=1)
    assert _why(run)[-1] == "why_run_full"
    Run.objects.filter(pk=run.pk).update(tasks_at_once=None)
    assert "full" not in _why(run)[-1]
