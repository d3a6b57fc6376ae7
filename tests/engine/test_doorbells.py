"""A doorbell only says "look": doubled, lost, late and for nothing, the same comes of it."""

from __future__ import annotations

import threading

import pytest
from django.db import connection
from django_q.brokers import get_broker

from plans.engine import doorbell, sweeper
from plans.models import Attempt
from tests.engine.plant import Plant, check_history, states

pytestmark = pytest.mark.django_db(transaction=True)


def test_many_bells_at_once_run_each_step_once(plant: Plant):
    """Case C52: every delivery is a look, and a claim that comes second takes nothing."""
    runs = [
        plant.run(*({"id": f"s{n}"} for n in range(12)), {"id": "end", "depends_on": [f"s{n}" for n in range(12)]})
        for _number in range(3)
    ]

    def answer() -> None:
        try:
            plant.drain()
        finally:
            connection.close()

    bells = [threading.Thread(target=answer) for _number in range(4)]
    for bell in bells:
        bell.start()
    for bell in bells:
        bell.join(60)
    for run in runs:
        assert set(states(run).values()) == {"succeeded"}
        assert Attempt.objects.filter(task__run=run).count() == 13
        check_history(run)


def test_a_run_whose_every_bell_was_lost_is_rung_for_again(plant: Plant):
    """Case C54."""
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    memory = sweeper.Memory()
    for second in (10.0, 12.0, 14.0):
        get_broker().delete_queue()
        sweeper.sweep_once(memory, now=second)
    assert doorbell.waiting() == 1
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded"}


def test_a_bell_for_a_run_that_is_not_there_is_an_empty_look(plant: Plant):
    doorbell.ring(999_999)
    plant.drain()
    assert Attempt.objects.count() == 0
