"""Planning as leased work: queue it for a new run, for a plan under review, or for what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import F

from plans.core.errors import InputError, StaleDecision
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind, RunsIn
from plans.core.states import RUN_TERMINAL, RunState, TaskKind, TaskState, run_sources
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.plans import already_decided, decide, lock_run, open_plan_request
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import ModelSettings, Revision, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PLANNING_SECONDS = 900
LONGEST_COMMENT = 4000


@patient
def ask_for_changes(*, run: Run, by: User, comment: str, seen: int | None = None) -> Task:
    """Send the plan under review back with a comment: the run is planned again and comes back as a new revision.

    `seen` is the number of the revision the comment is about. Raises AlreadyDecided, StaleDecision, InputError
    `comment_empty`, `comment_too_long`.
    """
    comment = checked(comment)
    with committing(Boundary.PLAN_AGAIN):
        run = lock_run(run)
        request, revision = open_plan_request(run), run.revision
        if request is None or revision is None or run.state != RunState.REVIEW:
            raise already_decided(run)
        if seen not in (None, revision.number):
            raise StaleDecision("plan_changed", revision=revision.number)
        changes = Changes(run.pk)
        decide(changes, request, "changes", by, comment)
        Run.objects.filter(pk=run.pk, state__in=run_sources(RunState.PLANNING)).update(state=RunState.PLANNING)
        changes.say(EventKind.PLAN_CHANGES_ASKED, actor_id=by.pk, revision=revision.number, comment=comment)
        task = queue(changes, run, "changes", comment=comment, **_previous(revision))
        changes.flush()
    return task


def ask_for_alternatives(*, run: Run, by: User) -> Task:
    """Have other plans drafted beside the one under review, which stays as it is. Raises AlreadyDecided, InputError."""
    return _beside(run, "alternatives", by)


def ask_for_opinion(*, run: Run, by: User) -> Task:
    """Have the plan under review read against the goal. Raises AlreadyDecided, InputError `planning_under_way`."""
    return _beside(run, "review", by)


@patient
def _beside(run: Run, stage: str, by: User) -> Task:
    with committing(Boundary.PLAN_AGAIN):
        run = lock_run(run)
        revision = run.revision
        if revision is None or run.state != RunState.REVIEW:
            raise already_decided(run)
        if _under_way(run):
            raise InputError("planning_under_way")
        changes = Changes(run.pk)
        task = queue(changes, run, stage, **_previous(revision))
        changes.flush()
    return task


def _under_way(run: Run) -> bool:
    live = [TaskState.READY, TaskState.RUNNING, TaskState.RETRYING, TaskState.WAITING]
    return run.tasks.filter(kind=TaskKind.PLANNING, state__in=live).exists()


def queue(changes: Changes, run: Run, stage: str, **more: object) -> Task:
    """Queue planning work for `run` within the caller's transaction, which ends with `changes.flush()`.

    The work gets what the run's first planning was told, and `more`. Stages: plan, changes, alternatives and review
    (committed by `engine.planned`), any other leaves its answer in the task's outputs.
    """
    if run.state in RUN_TERMINAL:
        raise already_decided(run)
    earlier = run.tasks.filter(kind=TaskKind.PLANNING).order_by("pk")
    told = dict(first.spec.get("params", {})) if (first := earlier.first()) else {}
    task = Task.objects.create(
        run=run,
        key=f"planning:{earlier.count() + 1}",
        kind=TaskKind.PLANNING,
        name="Planning",
        skill="planning",
        spec={"params": {**told, **told_of(run), "stage": stage, **more}},
        state=TaskState.READY,
        runs_in=RunsIn.THREAD,
        timeout_seconds=PLANNING_SECONDS,
    )
    Run.objects.filter(pk=run.pk).update(left=F("left") + 1)
    run.left += 1
    changes.readied.append(task.key)
    doorbell.ring(run.pk)
    return task


def told_of(run: Run) -> JsonObject:
    """Return what every planner is told of a run; slots read no rows."""
    chosen = ModelSettings.objects.first()
    return {
        "goal": run.goal,
        "playbook": run.playbook,
        "inputs": run.inputs,
        "time_zone": run.time_zone,
        "autonomy": run.autonomy,
        "sees_rows": run.model_sees_rows,
        "review": bool(chosen and chosen.review),
        "alternatives": bool(chosen and chosen.alternatives),
    }


def _previous(revision: Revision) -> JsonObject:
    return {"previous": revision.plan, "findings": revision.findings, "revision": revision.number}


def checked(comment: str) -> str:
    """Return a comment without surrounding blanks. Raises InputError `comment_empty`, `comment_too_long`."""
    comment = comment.replace("\r\n", "\n").strip()
    if not comment:
        raise InputError("comment_empty")
    if len(comment) > LONGEST_COMMENT:
        raise InputError("comment_too_long", length=len(comment), limit=LONGEST_COMMENT)
    return comment
