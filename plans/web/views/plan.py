"""The Plan page: read it, edit it, then approve or reject it. Nothing runs before that."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from plans import queries, tasks
from plans.core.catalogue import Catalogue
from plans.core.states import RunState
from plans.engine import ledger
from plans.engine import plans as services
from plans.models import Revision, Run
from plans.web.access import get_run, member, steers
from plans.web.address import number_of
from plans.web.decided import posted, take
from plans.web.forms.decide import CommentForm, PlanForm
from plans.web.graph.links import Links
from plans.web.graph.page import GraphShown, graph_shown
from plans.web.graph.source import revision_graph
from plans.web.revising import steered
from plans.web.shown.asks import asks_shown
from plans.web.shown.costs import meter, took
from plans.web.shown.effects import Difference, plan_differences
from plans.web.shown.plan import plan_shown
from plans.web.shown.planning import planning_shown
from plans.web.shown.revisions import revisions_shown
from plans.web.shown.run import run_shown


@require_safe
def plan(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = get_run(user, uuid)
    return page(request, run, CommentForm(), may_decide=steers(user, run))


@never_cache
@require_safe
def progress(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw how far planning is."""
    run = get_run(member(request), uuid)
    return render(request, "plans/_planning.html", {"run": run, "planning": planning_shown(run)})


@posted
def approve(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = steered(request, uuid)
    form = PlanForm(request.POST)
    # A form without a hash has shown no plan: whatever is there now, it is not what the person saw.
    seen = form.cleaned_data["graph_hash"] if form.is_valid() else ""

    def action() -> None:
        services.approve_plan(run=run, graph_hash=seen, by=user, catalogue=tasks.catalogue())

    def difference() -> list[Difference]:
        before = queries.revision_by_hash(run, seen)
        return plan_differences(before.plan, run.revision.plan) if before and run.revision else []

    return take(request, run, action, stale="plan_changed", back="plan", difference=difference)


@posted
def reject(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = steered(request, uuid)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return page(request, run, form, may_decide=True)

    def action() -> None:
        services.reject_plan(run=run, by=user, comment=form.cleaned_data["comment"])

    return take(request, run, action, stale="plan_changed", back="plan")


def page(request: HttpRequest, run: Run, form: CommentForm, *, may_decide: bool) -> HttpResponse:
    """Draw the plan: the revision to decide on, or another one (`?revision=N`) to look at."""
    catalogue, now = tasks.catalogue(), timezone.now()
    revision = _asked_for(request, run)
    is_current = revision is None or revision.pk == run.revision_id
    in_review = run.state == RunState.REVIEW and is_current
    rows = queries.revisions(run) if revision else []
    known = revisions_shown(run, rows)
    context = {
        "run": run,
        "shown": run_shown(run, now),
        "plan": plan_shown(run, revision, catalogue, took(run) if is_current else None) if revision else None,
        "graph": _graph(request, run, revision, catalogue, is_current) if revision else None,
        "selected": request.GET.get("task", ""),
        "revision": revision,
        "is_current": is_current,
        "this": next((each for each in known if revision and each.revision.pk == revision.pk), None),
        "revisions": known,
        "alternatives": [each for each in known if each.revision.label],
        "decision": queries.plan_decision(run),
        "in_review": in_review,
        "may_decide": may_decide,
        "may_edit": in_review and may_decide,
        "may_choose": run.state == RunState.REVIEW and may_decide and not is_current,
        "has_model": tasks.has_model(),
        "meter": meter(run, ledger.spent(run.pk)),
        "form": form,
        **_while_planned(run, member(request), now),
    }
    return render(request, "plans/plan.html", context)


def _asked_for(request: HttpRequest, run: Run) -> Revision | None:
    number = number_of(request.GET, "revision")
    if number is None:
        return run.revision
    found = queries.revision_numbered(run, number)
    if found is None:
        raise Http404
    return found


def _while_planned(run: Run, user: User, now: datetime) -> dict[str, Any]:
    """Return how far planning is, and what it asks of this person."""
    if run.state not in (RunState.PLANNING, RunState.REVIEW):
        return {}
    asked, settled = asks_shown(run, queries.run_requests(run), user, now)
    return {
        "planning": planning_shown(run),
        # The approval is what the whole page is about.
        "asked": [one for one in asked if one.request.kind != "plan_approval"],
        "settled": settled if run.state == RunState.PLANNING else [],
    }


def _graph(request: HttpRequest, run: Run, revision: Revision, catalogue: Catalogue, is_current: bool) -> GraphShown:
    drawn = revision_graph(revision, run.autonomy, catalogue)
    # The address that draws folds anew knows the current revision only; another one folds by loading the page.
    source = reverse("plan_graph", args=[run.uuid]) if is_current else ""
    return graph_shown(drawn, None, links=Links.of(request.GET), now=timezone.now(), source=source)
