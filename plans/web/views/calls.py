"""Model calls of a run: what each took, and the exact text both ways, redacted. Whoever may see the run may read it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from plans import queries, tasks
from plans.engine import ledger
from plans.models import ModelCall
from plans.web.access import get_run, member
from plans.web.shown.calls import call_shown, totals
from plans.web.shown.costs import meter

MOST = 500


@never_cache
@require_safe
def cost(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw what the calls of a run took so far."""
    run = get_run(member(request), uuid)
    return render(request, "plans/run/_cost.html", {"run": run, "meter": meter(run, ledger.spent(run.pk))})


@require_safe
def calls(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """List the calls, newest first, with their totals; `?task=KEY` lists those of one task."""
    run = get_run(member(request), uuid)
    rows = queries.model_calls(run)
    key = request.GET.get("task", "")
    if key:
        rows = rows.filter(task__key=key)
    every = list(rows)
    context = {
        "run": run,
        "key": key,
        "calls": [call_shown(row) for row in every[:MOST]],
        "left_out": max(len(every) - MOST, 0),
        "totals": totals(every),
        "has_model": tasks.has_model(),
    }
    return render(request, "plans/model_calls.html", context)


@require_safe
def call(request: HttpRequest, uuid: UUID, number: int) -> HttpResponse:
    """Show the exact text of one call."""
    run = get_run(member(request), uuid)
    row = get_object_or_404(ModelCall.objects.select_related("task"), run=run, pk=number)
    return render(request, "plans/model_call.html", {"run": run, "shown": call_shown(row), "call": row})
