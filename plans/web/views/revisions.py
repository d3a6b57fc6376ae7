"""The revisions of a run's plan: who made which, and how two of them differ, in words."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from plans import queries
from plans.models import Revision, Run
from plans.web.access import get_run, member, steers
from plans.web.address import number_of
from plans.web.revising import is_open
from plans.web.shown.revisions import differences, revisions_shown


@require_safe
def revisions(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """List the revisions, newest first, each with what it changed."""
    user = member(request)
    run = get_run(user, uuid)
    rows = revisions_shown(run, queries.revisions(run))
    context = {"run": run, "revisions": rows, "may_choose": is_open(run) and steers(user, run)}
    return render(request, "plans/revisions.html", context)


@require_safe
def diff(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show the difference between revisions `?from=N&to=N`; by default what the current one changed."""
    run = get_run(member(request), uuid)
    current = run.revision.number if run.revision else 0
    after = _numbered(run, number_of(request.GET, "to") or current)
    before = _numbered(run, number_of(request.GET, "from") or max(after.number - 1, 1))
    context = {
        "run": run,
        "before": before,
        "after": after,
        "changes": differences(before, after),
        "numbers": [row.number for row in queries.revisions(run)],
    }
    return render(request, "plans/revision_diff.html", context)


def _numbered(run: Run, number: int) -> Revision:
    found = queries.revision_numbered(run, number)
    if found is None:
        raise Http404
    return found
