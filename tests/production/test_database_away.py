"""The database goes away for a while in the middle of work and comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from plans.core.skill import Result
from plans.engine import sweeper
from plans.models import Lease
from plans.supervise.sweep import SweepLoop
from plans.supervise.watchdog import Watchdog
from tests.engine.plant import Gate, Plant, check_history, states, task
from tests.processes import wait_for
from tests.production.proxy import Way, way_to

pytestmark = pytest.mark.django_db(transaction=True)

AWAY_SECONDS = 10
REFUSALS = 6
"""So often the loop and the sweep must have tried in vain before the database may come back."""


@pytest.fixture
def plant() -> Plant:
    return Plant()


@pytest.fixture
def way() -> Iterator[Way]:
    """New connections of this process go a way that can be cut; the test's own is open already and goes straight."""
    connection.ensure_connection()
    settings = connection.settings_dict
    host, port = settings["HOST"] or "127.0.0.1", settings["PORT"] or 5432
    with way_to(str(host), int(port)) as way:
        settings |= {"HOST": "127.0.0.1", "PORT": way.port}
        try:
            yield way
        finally:
            settings |= {"HOST": host, "PORT": port}


def in_thread(work: Callable[[], object]) -> threading.Thread:
    def body() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=body)
    thread.start()
    return thread


def renewals() -> int:
    return Lease.objects.filter(name="sweeper").values_list("renewals", flat=True).first() or 0


def test_work_goes_on_when_the_database_was_away_for_ten_seconds(plant: Plant, way: Way):
    gate, calls = Gate(), []

    def once(params: dict[str, Any], context: Any) -> Result:
        calls.append(context.attempt)
        return gate(params, context)

    plant.skill("once", once, idempotent=False)
    run = plant.run({"id": "a", "skill": "once"}, {"id": "b", "depends_on": ["a"]})
    memory = sweeper.Memory()
    sweep = SweepLoop(
        lambda: sweeper.sweep_once(memory) or sweeper.read_pulse(),
        seconds=0.1,
        watchdog=Watchdog(seconds=600, longest_gap_seconds=600),
        is_working=lambda: True,
        on_wedged=lambda: None,
    )
    sweep.start()
    drain = in_thread(plant.drain)
    try:
        assert gate.inside.wait(30)
        wait_for(renewals, what="the first sweep")
        way.cut()
        gone_at = time.monotonic()
        gate.go_on.set()
        wait_for(lambda: way.refused >= REFUSALS and time.monotonic() - gone_at >= AWAY_SECONDS, timeout=60)
        assert task(run, "a").state == "running"
        before = renewals()
        way.mend()
        drain.join(60)
        assert not drain.is_alive()
        wait_for(lambda: renewals() > before, what="the sweep to go on")
    finally:
        gate.go_on.set()
        way.mend()
        sweep.stop()
        drain.join(60)
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    assert calls == [1]
    check_history(run)
