"""PostgreSQL and Redis as the engine uses them: prepared statements, deadlocks, doorbells after the commit."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from django_q.conf import Conf

from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.sql import transact
from plans.models import Run
from plans.supervise import checkup
from tests.engine.plant import Plant, check_history, states

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def plant() -> Plant:
    return Plant()


@pytest.fixture(autouse=True)
def no_doorbells() -> None:
    doorbell._own_broker().delete_queue()


def test_statements_every_task_goes_through_are_prepared(plant: Plant):
    run = plant.run(*({"id": f"t{n}", "depends_on": [f"t{n - 1}"] if n else []} for n in range(6)))
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        prepared = " ".join(row[0] for row in cursor.fetchall())
    for text in ("SKIP LOCKED", "SET state='succeeded'", "SET unmet = unmet", "INSERT INTO plans_event"):
        assert text in prepared


def test_a_deadlock_is_tried_again_and_both_come_through(plant: Plant):
    first, second = plant.run({"id": "a"}), plant.run({"id": "a"})
    both_hold = threading.Barrier(2)
    tries: list[int] = []

    def cross(pks: tuple[int, int]) -> None:
        def work() -> None:
            is_first_try = threading.get_ident() not in tries
            tries.append(threading.get_ident())
            Run.objects.filter(pk=pks[0]).update(goal="crossed")
            if is_first_try:
                both_hold.wait(30)
            Run.objects.filter(pk=pks[1]).update(goal="crossed")

        try:
            transact(work, Boundary.AGAIN)
        finally:
            connection.close()

    threads = [threading.Thread(target=cross, args=(pks,)) for pks in ((first.pk, second.pk), (second.pk, first.pk))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Run.objects.filter(goal="crossed").count() == 2
    assert len(tries) == 3


def test_a_doorbell_is_rung_by_the_commit_and_by_nothing_else(plant: Plant):
    with transaction.atomic():
        doorbell.ring(1)
        transaction.set_rollback(True)
    assert doorbell.waiting() == 0
    with transaction.atomic():
        doorbell.ring(1, 2)
        assert doorbell.waiting() == 0
    assert doorbell.waiting() == 2


def test_work_is_committed_though_redis_does_not_answer(plant: Plant, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Conf, "REDIS", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(doorbell, "_broker", {})
    assert checkup.broker().code == "doctor_broker_away"
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    transact(lambda: doorbell.ring(run.pk), Boundary.AGAIN)
    assert doorbell.waiting() == 0
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    check_history(run)
