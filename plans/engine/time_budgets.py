"""Wall time: a run that has taken its time, or meets its deadline, is paused and asks for more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.db.models.functions import Now

from plans.core.errors import ErrorClass, InputError
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import Autonomy, Ending, RequestKind, RequestState, RunState
from plans.engine import control, pausing
from plans.engine.boundaries import Boundary
from plans.engine.plans import decide, decided_error
from plans.engine.requests import NotAllowed, may_decide
from plans.engine.rungs import error_json
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient, transact
from plans.models import Request, Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHOICES = ["raise", "stop"]


def ends_at(run: Run) -> datetime | None:
    """Return when the time of a started run is over, None when it may take as long as it likes."""
    ends = [run.deadline_at] if run.deadline_at else []
    if run.budget_seconds is not None and run.started_at is not None:
        ends.append(run.started_at + timedelta(seconds=run.budget_seconds))
    return min(ends, default=None)


def enforce() -> int:
    """Pause runs whose time is over and open a request for each; return how many. By the database's clock."""
    going = Run.objects.filter(state=RunState.RUNNING, pause_requested_at=None, cancel_requested_at=None)
    bounded = list(going.filter(Q(budget_seconds__isnull=False) | Q(deadline_at__isnull=False)))
    now = _now(bounded[0].pk) if bounded else None
    over = [run.pk for run in bounded if now and (end := ends_at(run)) is not None and end <= now]
    return sum(transact(partial(_reach, pk), Boundary.TIME_BUDGET) for pk in over)


def _now(run_id: int) -> datetime:
    """Return the time by the database's clock."""
    found: datetime = Run.objects.filter(pk=run_id).values_list(Now(), flat=True).get()
    return found


def _reach(run_id: int) -> bool:
    run, now = Run.objects.get(pk=run_id), _now(run_id)
    if run.state != RunState.RUNNING or run.pause_requested_at or run.cancel_requested_at:
        return False
    error = _error(run, now)
    if run.autonomy == Autonomy.UNATTENDED:
        # Nobody is there to ask: what goes on without its limits would be a run without limits.
        changes = Changes(run_id)
        control.cancel_rest(changes, run, None, ending=Ending.FAILED)
        Run.objects.filter(pk=run_id).update(error=error)
        changes.flush()
        return True
    pausing.pause_run(run=run, by=None)
    if not _open(run_id).exists():
        content = {"error": error, "choices": CHOICES, **facts(run, now)}
        request = Request.objects.create(run=run, kind=RequestKind.BUDGET, key="time", content=content)
        changes = Changes(run_id)
        changes.say(EventKind.REQUEST_OPENED, request=str(request.uuid), kind=RequestKind.BUDGET.value)
        changes.flush()
    return True


def _open(run_id: int) -> Any:
    return Request.objects.filter(run=run_id, kind=RequestKind.BUDGET, state=RequestState.OPEN, task=None)


def _error(run: Run, now: datetime) -> JsonObject:
    if run.deadline_at is not None and run.deadline_at <= now:
        return error_json("deadline_reached", {"deadline": run.deadline_at.isoformat()}, ErrorClass.BUDGET)
    return error_json("budget_seconds_reached", {"budget": run.budget_seconds}, ErrorClass.BUDGET)


def facts(run: Run, now: datetime) -> JsonObject:
    """Return what a run may take and has taken, in whole seconds."""
    return {"budget_seconds": run.budget_seconds, "elapsed_seconds": _elapsed(run, now)}


def _elapsed(run: Run, now: datetime) -> int:
    return math.ceil((now - run.started_at).total_seconds()) if run.started_at else 0


@patient
def raise_time(*, request: Request, by: User, seconds: int, comment: str = "") -> None:
    """Give a run `seconds` more from now on, and let it go on.

    Raises InputError `raise_by_more`, AlreadyDecided, NotAllowed.
    """
    if seconds <= 0:
        raise InputError("raise_by_more")
    with committing(Boundary.TIME_BUDGET):
        request = _opened(request, by)
        run, now = Run.objects.get(pk=request.run_id), _now(request.run_id)
        changed: Mapping[str, Any] = {}
        if run.budget_seconds is not None:
            changed = {"budget_seconds": max(run.budget_seconds, _elapsed(run, now) + seconds)}
        if run.deadline_at is not None and run.deadline_at < now + timedelta(seconds=seconds):
            changed = {**changed, "deadline_at": now + timedelta(seconds=seconds)}
        if run.pause_requested_at is not None:
            # first, since it locks task rows
            pausing.resume_run(run=run, by=by)
        Run.objects.filter(pk=run.pk).update(**changed)
        changes = Changes(run.pk)
        decide(changes, request, "raise", by, comment, answer={"seconds": seconds})
        changes.flush()


@patient
def stop(*, request: Request, by: User, comment: str = "") -> None:
    """End the run where its time is over. Raises AlreadyDecided, NotAllowed."""
    with committing(Boundary.TIME_BUDGET):
        request = _opened(request, by)
        changes = Changes(request.run_id)
        control.cancel_rest(changes, request.run, by, ending=Ending.STOPPED)
        decide(changes, request, "stop", by, comment)
        changes.flush()


def _opened(request: Request, by: User) -> Request:
    now = Request.objects.select_related("run", "decided_by").get(pk=request.pk)
    if now.kind != RequestKind.BUDGET or now.task_id is not None:
        raise InputError("request_of_other_kind", kind=now.kind)
    if not may_decide(now, by):
        raise NotAllowed
    if now.state != RequestState.OPEN or now.run.is_terminal:
        raise decided_error(now)
    return now
