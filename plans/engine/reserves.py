"""What a budget keeps free: running steps reserve what the plan says they cost, until their calls have cost it."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from django.db.models import Sum

from plans.core.errors import ErrorClass
from plans.core.states import Autonomy, TaskState
from plans.engine import budgets, ledger, rungs
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes, locked
from plans.engine.sql import transact
from plans.models import ModelCall, Run, Task

MICRO = 1_000_000


def micro(usd: Decimal) -> int:
    """Return USD in whole millionths, as limits are counted."""
    return int(usd * MICRO)


def used(run_ids: Collection[int]) -> dict[int, int]:
    """Return what is spent, under way and reserved of each run's budget, in millionths of a USD."""
    found: dict[int, int] = {}
    for run_id in run_ids:
        spent = ledger.spent(run_id)
        found[run_id] = micro(spent.usd + spent.running_usd)
    running = Task.objects.filter(run__in=run_ids, state=TaskState.RUNNING, reserve_usd__isnull=False)
    rows = list(running.values_list("pk", "run_id", "attempt", "reserve_usd"))
    calls = ModelCall.objects.filter(task__in=[pk for pk, *_ in rows]).order_by()
    taken = {(pk, attempt): n for pk, attempt, n in calls.values_list("task_id", "attempt").annotate(n=Sum("usd"))}
    for pk, run_id, attempt, reserve in rows:
        # What this attempt's calls took is in the ledger already.
        found[run_id] += max(0, micro(reserve or Decimal(0)) - micro(taken.get((pk, attempt)) or Decimal(0)))
    return found


def ask(task_id: int) -> bool:
    """Ask about the budget that does not reach for a ready step and nothing under way can free; unattended, it fails."""

    def work() -> bool:
        (task,) = locked([task_id])
        run = Run.objects.get(pk=task.run_id)
        if task.state != TaskState.READY or run.budget_usd is None or task.reserve_usd is None:
            return False
        params = {"budget": _money(run.budget_usd), "most": _money(task.reserve_usd)}
        params["spent"] = _money(Decimal(used([run.pk])[run.pk]) / MICRO)
        error = rungs.error_json("budget_estimate_reached", params, ErrorClass.BUDGET)
        changes = Changes(run.pk)
        if run.autonomy == Autonomy.UNATTENDED:
            moved = rungs.fail_for_good(changes, task, error)
        else:
            moved = budgets.ask(changes, task, error, tried=False)
        changes.flush()
        return moved

    return transact(work, Boundary.BUDGET)


def _money(usd: Decimal) -> str:
    return f"{usd:.4f}"
