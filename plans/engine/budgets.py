"""A budget that is reached: ask to raise it or to stop. Nothing is lost, and nothing goes on by itself."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import RequestKind, RequestState, TaskState
from plans.engine import control, ledger, requests
from plans.engine.boundaries import Boundary
from plans.engine.plans import decide
from plans.engine.settle import Changes, locked
from plans.engine.sql import committing, patient
from plans.models import Request, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHOICES = ["raise", "stop"]


def ask(changes: Changes, task: Task, error: JsonObject, *, tried: bool = True) -> bool:
    """Let a running or ready task wait for a decision about the budget; an attempt that met it counts as no try."""
    tries = max(0, task.tries_used - 1) if tried else task.tries_used
    columns: dict[str, Any] = {"error": error, "tries_used": tries, "ready_at": None}
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, **columns):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=RequestKind.BUDGET.value, error=error)
    content = {"error": error, "choices": CHOICES, "task": task.key, **facts(task.run)}
    request = Request.objects.create(run_id=task.run_id, task=task, kind=RequestKind.BUDGET, content=content)
    changes.say(EventKind.REQUEST_OPENED, task, request=str(request.uuid), kind=RequestKind.BUDGET.value)
    return True


def facts(run: Run) -> JsonObject:
    """Return what a run may take and has taken, as texts and whole numbers."""
    spent = ledger.spent(run.pk)
    return {
        "budget_usd": None if run.budget_usd is None else str(run.budget_usd),
        "budget_tokens": run.budget_tokens,
        "spent_usd": str(spent.usd),
        "spent_tokens": spent.tokens,
    }


@patient
def raise_budget(
    *, request: Request, by: User, usd: Decimal | None = None, tokens: int | None = None, comment: str = ""
) -> None:
    """Raise the run's budget by `usd` or `tokens`; every task that waits for it goes on.

    Raises InputError `raise_by_more`, AlreadyDecided, NotAllowed.
    """
    if (usd or 0) <= 0 and (tokens or 0) <= 0:
        raise InputError("raise_by_more")
    with committing(Boundary.BUDGET):
        others = _others(request)
        # all task rows first, in the order of their ids; the run row comes after them
        locked([pk for pk in (request.task_id, *(other.task_id for other in others)) if pk is not None])
        changes, request, task = requests.open_for(request, RequestKind.BUDGET, by)
        run = Run.objects.get(pk=request.run_id)
        Run.objects.filter(pk=run.pk).update(
            budget_usd=None if run.budget_usd is None else run.budget_usd + (usd or 0),
            budget_tokens=None if run.budget_tokens is None else run.budget_tokens + (tokens or 0),
        )
        decide(changes, request, "raise", by, comment, answer={"usd": str(usd or 0), "tokens": tokens or 0})
        requests.to_ready(changes, task)
        for other in others:
            decide(changes, other, "raise", by)
            if other.task is not None:
                requests.to_ready(changes, other.task)
        changes.flush()


@patient
def stop_at_budget(*, request: Request, by: User, comment: str = "") -> None:
    """End the run where its budget is reached. Raises AlreadyDecided, NotAllowed."""
    with committing(Boundary.BUDGET):
        changes, request, task = requests.open_for(request, RequestKind.BUDGET, by)
        decide(changes, request, "stop", by, comment)
        if changes.end(task, TaskState.FAILED):
            changes.say(EventKind.TASK_FAILED, task, actor_id=by.pk, error=task.error)
        control.cancel_rest(changes, request.run, by)
        changes.flush()


def _others(request: Request) -> list[Request]:
    rows = Request.objects.filter(
        run=request.run_id, kind=RequestKind.BUDGET, state=RequestState.OPEN, task__isnull=False
    )
    return list(rows.exclude(pk=request.pk).select_related("task").order_by("task_id"))
