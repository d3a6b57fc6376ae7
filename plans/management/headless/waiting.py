"""Carry a run from planning to its end: drain here or watch the workers, approve when told to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from plans import tasks
from plans.core.errors import StateError
from plans.core.states import RunState
from plans.engine.local import drain_until_done
from plans.engine.plans import approve_plan
from plans.models import Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LOOK_SECONDS = 0.1
REVIEW = frozenset({RunState.REVIEW.value})


class NotInTime(StateError):
    """The time given is over and the run has not ended; it goes on where workers run."""

    default_code = "not_in_time"


def carry(run: Run, *, approve: bool, local: bool, by: User, timeout_seconds: float) -> None:
    """Wait until the plan is there; with `approve` approve it and wait for the end.

    Raises NotInTime, and InputError `plan_has_errors` for a plan nobody may approve.
    """
    deadline = time.monotonic() + timeout_seconds
    _wait(run, local, deadline, until=REVIEW)
    if not approve or run.is_terminal:
        return
    if run.state == RunState.REVIEW and run.revision is not None:
        approve_plan(run=run, graph_hash=run.revision.graph_hash, by=by, catalogue=tasks.catalogue())
    _wait(run, local, deadline)


def _wait(run: Run, local: bool, deadline: float, until: frozenset[str] = frozenset()) -> None:
    """Wait until `run` has ended or is in a state of `until`. Raises NotInTime."""
    while True:
        if local:
            # Returns early when only a person can move the run: then look again, somebody may answer elsewhere.
            drain_until_done(run, tasks.runner(), max(deadline - time.monotonic(), 0), until=until)
        run.refresh_from_db()
        if run.is_terminal or run.state in until:
            return
        if time.monotonic() >= deadline:
            raise NotInTime(state=run.state)
        time.sleep(min(LOOK_SECONDS, max(deadline - time.monotonic(), 0)))
