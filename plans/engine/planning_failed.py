"""Planning that could not be done: a plan that is there stays, what a person can mend is asked, the rest ends the run."""

from __future__ import annotations

from django.db.models.functions import Now

from plans.core.errors import ErrorClass
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import Autonomy, RunState
from plans.engine import replanning, revisions, rungs
from plans.engine.settle import Changes
from plans.models import Run, Task

# Failures of planning that another try may end otherwise, once something outside has changed.
MENDABLE = frozenset({ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.NEEDS_PERSON})


def give_up(changes: Changes, task: Task, error: JsonObject) -> bool:
    """End planning work that has no further try."""
    run = task.run
    if task.spec.get("params", {}).get("stage") in replanning.STAGES:
        if not rungs.fail_for_good(changes, task, error):
            return False
        replanning.gave_up(changes, task, error)
        return True
    if run.revision_id is not None:
        return _keep_plan(changes, task, error)
    if error.get("class") in MENDABLE and run.autonomy != Autonomy.UNATTENDED:
        return rungs.ask(changes, task, error)
    return _fail(changes, task, error)


def _keep_plan(changes: Changes, task: Task, error: JsonObject) -> bool:
    if not rungs.fail_for_good(changes, task, error):
        return False
    changes.say(EventKind.PLAN_FAILED, error=error)
    run = task.run
    back = Run.objects.filter(pk=run.pk, state=RunState.PLANNING).update(state=RunState.REVIEW)
    if back and run.revision is not None:
        revisions.ask_for_approval(changes, run, run.revision)
    return True


def _fail(changes: Changes, task: Task, error: JsonObject) -> bool:
    if not rungs.fail_for_good(changes, task, error):
        return False
    Run.objects.filter(pk=task.run_id, state=RunState.PLANNING).update(
        state=RunState.FAILED, ended_at=Now(), error=error
    )
    changes.say(EventKind.PLAN_FAILED, error=error)
    changes.say(EventKind.RUN_FAILED)
    return True
