"""A step's log while it runs: the loop looks twice a second and writes down what has come, for whoever follows it.

A worker that dies leaves what its step had said; the whole log is written with the outcome.
"""

from __future__ import annotations

from plans.core.states import AttemptState
from plans.engine.boundaries import Boundary
from plans.engine.slots import Slots
from plans.engine.sql import transact
from plans.models import Attempt


def write_down(slots: Slots) -> None:
    """Store the logs that have grown since the last call; attempts that have ended keep theirs."""
    grown = []
    for task_id, active in sorted(slots.active.items()):
        context = active.job.context
        if context is not None and (text := context.news()) is not None:
            grown.append((task_id, active.job.claimed.attempt, text))
    if not grown:
        return

    def work() -> None:
        for task_id, number, text in grown:
            running = Attempt.objects.filter(task_id=task_id, number=number, state=AttemptState.RUNNING)
            running.update(log=text)

    transact(work, Boundary.PROGRESS)
