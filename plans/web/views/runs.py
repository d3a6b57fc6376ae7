"""Runs: the list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from plans.planning import playbooks
from plans.web.access import member
from plans.web.address import number_of
from plans.web.listing import GROUPS, NEEDS_YOU, PERIODS, Filters, Listed, list_runs, owners
from plans.web.shown.runs import rows_shown
from plans.web.shown.states import GROUP_WORDS, STATES


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    user = member(request)
    filters = Filters.of(request.GET)
    listed = list_runs(user, filters, before=number_of(request.GET, "before"), after=number_of(request.GET, "after"))
    rows = rows_shown(listed.runs, timezone.now())
    context = {
        "rows": rows,
        "moves": any(row.moves for row in rows),
        "here": request.get_full_path(),
        "filters": filters,
        "chips": _chips(filters, listed),
        "total": listed.total,
        "newer": filters.query(after=listed.newer) if listed.newer else "",
        "older": filters.query(before=listed.older) if listed.older else "",
        "owners": owners(user),
        "playbooks": playbooks.load_all(),
        "periods": PERIODS,
    }
    return render(request, "plans/runs.html", context)


def _chips(filters: Filters, listed: Listed) -> list[dict[str, object]]:
    """Return the states to filter by; pressing the one that is on takes the filter away."""
    return [
        {
            "word": GROUP_WORDS[name],
            "state": STATES["review" if name == NEEDS_YOU else name],
            "n": listed.counts[name],
            "is_on": filters.state == name,
            "query": filters.with_state("" if filters.state == name else name),
        }
        for name in GROUPS
    ]
