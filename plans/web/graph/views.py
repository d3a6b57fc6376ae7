"""The SVG alone, for a fold on an open page."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from plans import tasks
from plans.web.access import get_run, member
from plans.web.graph.links import Links
from plans.web.graph.page import graph_shown
from plans.web.graph.source import revision_graph, run_graph


@require_safe
def run_svg(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer with the run's SVG under the folds of the query."""
    found = run_graph(get_run(member(request), uuid))
    shown = graph_shown(found.plan, found.looks, links=Links.of(request.GET), now=timezone.now(), seq=found.seq)
    return _fragment(request, {"graph": shown})


@require_safe
def plan_svg(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer with the SVG of the run's current revision under the folds of the query."""
    run = get_run(member(request), uuid)
    if run.revision is None:
        raise Http404
    plan = revision_graph(run.revision, run.autonomy, tasks.catalogue())
    return _fragment(request, {"graph": graph_shown(plan, None, links=Links.of(request.GET), now=timezone.now())})


def _fragment(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    response = render(request, "plans/graph/_stage.html", context)
    response["Cache-Control"] = "private, no-store"
    return response
