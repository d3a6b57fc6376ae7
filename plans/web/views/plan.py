"""The Plan page: read it, then approve or reject it. Nothing runs before that."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from plans import queries, tasks
from plans.core.catalogue import Catalogue
from plans.core.states import RunState
from plans.engine import plans as services
from plans.models import Revision, Run
from plans.web.access import get_run, member, steers
from plans.web.decided import posted, take
from plans.web.forms.decide import CommentForm, PlanForm
from plans.web.graph.links import Links
from plans.web.graph.page import GraphShown, graph_shown
from plans.web.graph.source import revision_graph
from plans.web.shown.effects import Difference, plan_differences
from plans.web.shown.plan import plan_shown
from plans.web.shown.run import run_shown


@require_safe
def plan(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = get_run(user, uuid)
    return _page(request, run, CommentForm(), may_decide=steers(user, run))


@posted
def approve(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = _steered(request, uuid)
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
    run = _steered(request, uuid)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return _page(request, run, form, may_decide=True)

    def action() -> None:
        services.reject_plan(run=run, by=user, comment=form.cleaned_data["comment"])

    return take(request, run, action, stale="plan_changed", back="plan")


def _steered(request: HttpRequest, uuid: UUID) -> Run:
    """Return the run if this person may decide on its plan, 404 otherwise."""
    user = member(request)
    run = get_run(user, uuid)
    if not steers(user, run):
        raise Http404
    return run


def _page(request: HttpRequest, run: Run, form: CommentForm, *, may_decide: bool) -> HttpResponse:
    catalogue = tasks.catalogue()
    context = {
        "run": run,
        "shown": run_shown(run, timezone.now()),
        "plan": plan_shown(run, run.revision, catalogue) if run.revision else None,
        "graph": _graph(request, run, run.revision, catalogue) if run.revision else None,
        "selected": request.GET.get("task", ""),
        "revision": run.revision,
        "decision": queries.plan_decision(run),
        "in_review": run.state == RunState.REVIEW,
        "may_decide": may_decide,
        "form": form,
    }
    return render(request, "plans/plan.html", context)


def _graph(request: HttpRequest, run: Run, revision: Revision, catalogue: Catalogue) -> GraphShown:
    drawn = revision_graph(revision, run.autonomy, catalogue)
    source = reverse("plan_graph", args=[run.uuid])
    return graph_shown(drawn, None, links=Links.of(request.GET), now=timezone.now(), source=source)
