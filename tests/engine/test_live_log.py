"""The log of a step that runs can be read before the step has ended."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from plans.core.skill import Outputs
from plans.models import Attempt
from tests.engine.plant import Plant, task
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_c40_lines_are_written_down_while_the_step_runs(plant: Plant) -> None:
    go, seen = threading.Event(), []

    def talk(_params, context):
        context.log("first line")
        assert go.wait(30)
        context.log("last line")
        return Outputs(values={})

    def read() -> None:
        try:
            seen.append(wait_for(lambda: Attempt.objects.get(task=row).log, what="the log of the running attempt"))
        finally:
            go.set()
            connection.close()

    plant.skill("talk", talk)
    row = task(plant.run({"id": "a", "skill": "talk"}), "a")
    reader = threading.Thread(target=lambda: wait_for(Attempt.objects.filter(task=row).exists) and read())
    reader.start()
    plant.drain()
    reader.join(30)

    assert seen == ["first line"]
    assert list(row.attempts.values_list("state", "log")) == [("succeeded", "first line\nlast line")]
