"""Decide on a plan: approve (which makes the rows and starts the run) or reject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import F
from django.db.models.functions import Now

from plans.core.catalogue import SkillInfo
from plans.core.errors import AlreadyDecided, InputError, StaleDecision
from plans.core.kinds import EventKind
from plans.core.spec import PlanSpec
from plans.core.states import RequestKind, RequestState, RunState, run_sources
from plans.engine import doorbell, rows
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Pool, Request, Revision, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@patient
def approve_plan(*, run: Run, graph_hash: str, by: User, catalogue: Mapping[str, SkillInfo]) -> None:
    """Approve the revision named by `graph_hash` and start the run.

    Raises AlreadyDecided, StaleDecision (another revision is current), InputError `plan_has_errors`.
    """
    with committing(Boundary.APPROVE):
        run = lock_run(run)
        request = open_plan_request(run)
        revision = run.revision
        if request is None or revision is None or run.state != RunState.REVIEW:
            raise already_decided(run)
        if graph_hash != revision.graph_hash:
            raise StaleDecision("plan_changed", revision=revision.number)
        if not revision.is_acceptable:
            raise InputError("plan_has_errors")
        missing = sorted({t["skill"] for t in revision.plan["tasks"]} - set(catalogue))
        if missing:
            raise InputError("skill_not_enabled", skills=", ".join(missing))
        _check_pools(revision)
        changes = Changes(run.pk)
        decide(changes, request, "approve", by)
        start_run(changes, run, revision, catalogue, by=by)
        changes.flush()


def _check_pools(revision: Revision) -> None:
    """A pool that is not there would hold nothing back, without a word."""
    named = {task.get("pool") for task in revision.plan["tasks"]} - {None}
    missing = named - set(Pool.objects.filter(name__in=named).values_list("name", flat=True)) if named else set()
    if missing:
        raise InputError("pool_missing", pools=", ".join(sorted(missing)))


@patient
def reject_plan(*, run: Run, by: User, comment: str = "") -> None:
    """Reject the plan; the run ends as cancelled. Raises AlreadyDecided."""
    with committing(Boundary.REJECT):
        run = lock_run(run)
        request = open_plan_request(run)
        if request is None or run.state != RunState.REVIEW:
            raise already_decided(run)
        changes = Changes(run.pk)
        decide(changes, request, "reject", by, comment)
        changes.say(EventKind.PLAN_REJECTED, actor_id=by.pk, comment=comment)
        Run.objects.filter(pk=run.pk).update(cancel_requested_at=Now())
        changes.flush()


def start_run(
    changes: Changes,
    run: Run,
    revision: Revision,
    catalogue: Mapping[str, SkillInfo],
    *,
    by: User | None,
    kept: Mapping[str, Task] | None = None,
) -> None:
    """Make the rows of an approved revision and put the run to work; `kept` are rows that need not run again."""
    plan = PlanSpec.model_validate(revision.plan)
    ready = rows.create(run, plan, catalogue, kept)
    Run.objects.filter(pk=run.pk, state__in=run_sources(RunState.RUNNING)).update(
        state=RunState.RUNNING,
        started_at=Now(),
        left=F("left") + len(plan.tasks) + len(plan.milestones) - len(kept or {}),
    )
    actor_id = by.pk if by else None
    changes.say(EventKind.PLAN_APPROVED, actor_id=actor_id, revision=revision.number)
    changes.say(EventKind.RUN_STARTED, actor_id=actor_id)
    changes.readied += ready
    doorbell.ring(run.pk, min(len(ready), doorbell.workers()))


def lock_run(run: Run) -> Run:
    """Return the run's row as it is now, locked until the transaction ends."""
    return Run.objects.select_for_update(of=("self",)).select_related("revision").get(pk=run.pk)


def open_plan_request(run: Run) -> Request | None:
    return Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL, state=RequestState.OPEN).last()


def already_decided(run: Run) -> AlreadyDecided:
    """Return the error that says who decided this run's plan, and how."""
    last = Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL).exclude(state=RequestState.OPEN).last()
    return decided_error(last)


def decided_error(request: Request | None) -> AlreadyDecided:
    by = request.decided_by.get_username() if request and request.decided_by else ""
    return AlreadyDecided(
        "already_decided" if by else "no_longer_open", by=by, decision=request.decision if request else ""
    )


def decide(
    changes: Changes, request: Request, decision: str, by: User | None, comment: str = "", **columns: Any
) -> None:
    """Close an open request exactly once. Raises AlreadyDecided when someone was faster."""
    moved = Request.objects.filter(pk=request.pk, state=RequestState.OPEN).update(
        state=RequestState.DECIDED, decision=decision, decided_by=by, decided_at=Now(), comment=comment, **columns
    )
    if not moved:
        raise decided_error(Request.objects.get(pk=request.pk))
    changes.say(
        EventKind.REQUEST_DECIDED,
        request.task,
        actor_id=by.pk if by else None,
        request=str(request.uuid),
        decision=decision,
        comment=comment,
    )
