"""What the plans of a run are judged against beside the catalogue: its limits, the pools, the slots of this site."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from plans import history
from plans.core.circumstances import Circumstances
from plans.core.states import Autonomy
from plans.models import Pool, Run


def of_site() -> Circumstances:
    """Return the circumstances of a plan that belongs to no run yet: the pools, slots and usual times of this site."""
    return Circumstances(
        pools=dict(Pool.objects.values_list("name", "slots")),
        slots=settings.PLANS_WORKERS * settings.PLANS_SLOTS_PER_WORKER,
        usual=history.usual(),
    )


def of_run(run: Run) -> Circumstances:
    """Return the circumstances of `run` as they are now."""
    slots = settings.PLANS_WORKERS * settings.PLANS_SLOTS_PER_WORKER
    return Circumstances(
        pools=dict(Pool.objects.values_list("name", "slots")),
        budget_usd=None if run.budget_usd is None else float(run.budget_usd),
        deadline_seconds=_seconds_left(run),
        slots=min(slots, run.tasks_at_once or slots),
        unattended=run.autonomy == Autonomy.UNATTENDED,
        inputs=frozenset(run.inputs),
        usual=history.usual(),
    )


def _seconds_left(run: Run) -> float | None:
    """Return the tighter of the run's deadline, from now, and the time it may take; None when it has neither."""
    left = [] if run.budget_seconds is None else [float(run.budget_seconds)]
    if run.deadline_at is not None:
        left.append(max(0.0, (run.deadline_at - timezone.now()).total_seconds()))
    return min(left, default=None)
