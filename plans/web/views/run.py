"""One run's page: the whole of it, and the parts a page fetches again: a tab, the panel of a task."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from plans import queries, tasks
from plans.core.states import RunState
from plans.engine import control, ledger, undoing
from plans.engine.overview import is_quiet
from plans.models import Run
from plans.web.access import get_run, get_task, member, steers
from plans.web.address import TABS, number_of, tab_of, with_changes
from plans.web.decided import take
from plans.web.graph.links import Links
from plans.web.graph.page import graph_shown
from plans.web.graph.source import run_graph
from plans.web.shown.asks import asks_shown
from plans.web.shown.costs import meter
from plans.web.shown.events import FILTERS, events_shown, kinds_wanted
from plans.web.shown.panel import task_panel
from plans.web.shown.planning import planning_shown
from plans.web.shown.rows import task_list
from plans.web.shown.run import RunShown, run_shown
from plans.web.shown.timeline import timeline_shown
from plans.web.shown.tracks import tracks
from plans.web.shown.why import why_shown

EVENTS = 100


@require_safe
def run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    row = get_run(user, uuid)
    now = timezone.now()
    shown = run_shown(row, now)
    key = request.GET.get("task", "")
    context = {
        "run": row,
        "shown": shown,
        "now": now,
        "may_steer": steers(user, row),
        "may_replan": row.state in {RunState.RUNNING, RunState.PAUSED} and steers(user, row) and tasks.has_model(),
        "may_cancel": not row.is_terminal and not row.cancel_requested_at and steers(user, row),
        "why": why_shown(row, now) if is_quiet(row, now) else [],
        "meter": meter(row, ledger.spent(row.pk)),
        "planning": planning_shown(row) if row.state == RunState.PLANNING else None,
        **_undo(row),
        "tab_links": {name: with_changes(request.GET, tab=name) for name in TABS},
        "close_link": with_changes(request.GET, task=None),
        **_asked(row, shown, user, now),
        **_tabs(request.GET, row, shown, now),
        **(_panel(row, shown, request.GET, now) if key else {"panel": None}),
    }
    return render(request, "plans/run.html", context)


@never_cache
@require_safe
def tab(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw what is in one tab."""
    row = get_run(member(request), uuid)
    name, now = tab_of(request.GET), timezone.now()
    if name not in {"timeline", "events"}:
        raise Http404
    shown = run_shown(row, now)
    return render(
        request, f"plans/run/_{name}.html", {"run": row, "shown": shown, **_tabs(request.GET, row, shown, now)}
    )


@never_cache
@require_safe
def panel(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw the panel of one task."""
    row = get_run(member(request), uuid)
    now, requests = timezone.now(), queries.run_requests(row)
    shown = task_panel(get_task(row, request.GET.get("task", "")), requests, request.GET, now)
    context = {
        "run": row,
        "panel": shown,
        "close_link": with_changes(request.GET, task=None),
        "may_steer": steers(member(request), row),
    }
    return render(request, "plans/run/_panel.html", context)


@never_cache
@require_safe
def why(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw why the run does not move."""
    row = get_run(member(request), uuid)
    return render(request, "plans/run/_why.html", {"why": why_shown(row, timezone.now())})


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask first, then cancel: GET changes nothing."""
    user = member(request)
    row = get_run(user, uuid)
    if not steers(user, row):
        raise Http404
    if request.method != "POST":
        return render(request, "plans/cancel.html", {"run": row})
    return take(request, row, lambda: control.cancel_run(run=row, by=user), stale="plan_changed")


def _undo(row: Run) -> dict[str, Any]:
    """Return how the whole of a run that did not come to its end is taken back, and how many steps can be undone."""
    if row.state not in {RunState.FAILED, RunState.CANCELLED} or row.revision is None:
        return {"rollback": "", "undoable": 0}
    return {"rollback": row.revision.plan.get("rollback") or "", "undoable": len(undoing.undoable(row))}


def _asked(row: Run, shown: RunShown, user: User, now: datetime) -> dict[str, Any]:
    asked, settled = asks_shown(row, shown.requests, user, now)
    return {"asked": asked, "settled": settled}


def _panel(row: Run, shown: RunShown, query: QueryDict, now: datetime) -> dict[str, Any]:
    return {"panel": task_panel(get_task(row, query.get("task", "")), shown.requests, query, now)}


def _tabs(query: QueryDict, row: Run, shown: RunShown, now: datetime) -> dict[str, Any]:
    """Return what the tab of this address needs; without a tab the page has the graph and the tasks."""
    name, selected = tab_of(query), query.get("task", "")
    context: dict[str, Any] = {
        "tab": name,
        "has_graph": name in {"", "graph"},
        "has_tasks": name in {"", "graph", "tasks"},
    }
    kept = with_changes(query, task=None)
    link = partial(_task_link, kept if kept == "?" else f"{kept}&")
    if context["has_graph"]:
        found = run_graph(row)
        source = reverse("run_graph", args=[row.uuid])
        context["graph"] = graph_shown(
            found.plan, found.looks, links=Links.of(query), now=now, seq=found.seq, source=source
        )
    if context["has_tasks"]:
        context["tasks"] = task_list(shown.groups, link, selected)
    if name == "timeline":
        timeline = timeline_shown(shown, now)
        context["timeline"] = tracks(timeline, link, selected, now) if timeline else ""
    if name == "events":
        context |= _events(query, row, shown)
    return context


def _task_link(rest: str, key: str) -> str:
    return f"{rest}task={quote(key, safe='')}#task"


def _events(query: QueryDict, row: Run, shown: RunShown) -> dict[str, Any]:
    chosen = [name for name in query.getlist("kind") if name in FILTERS]
    before = number_of(query, "before")
    page = queries.events_page(row, before=before, limit=EVENTS, kinds=kinds_wanted(chosen))
    names = {
        task.key: task.name for group in shown.groups for task in [*group.tasks, *([group.head] if group.head else [])]
    }
    here = {"tab": "events"}
    return {
        "events": events_shown(page.rows, names),
        "is_newest": before is None,
        "older_link": f"{with_changes(query, **here)}&before={page.older}" if page.older else "",
        "newest_link": with_changes(query, **here),
        "filters": [
            (word, name in chosen, with_changes(query, **here, kind=_toggled(chosen, name)))
            for name, word in FILTERS.items()
        ],
        "all_link": with_changes(query, **here, kind=None),
        "chosen": chosen,
        "export": reverse("events_export", args=[row.uuid]) + with_changes(QueryDict(), kind=chosen).rstrip("?"),
    }


def _toggled(chosen: list[str], name: str) -> list[str]:
    return [one for one in chosen if one != name] if name in chosen else [*chosen, name]
