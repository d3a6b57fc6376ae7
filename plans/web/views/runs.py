"""Runs: the list, one run's page, its events, a task's log, cancelling."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from plans import queries
from plans.engine import control
from plans.engine.requests import may_decide
from plans.web.access import get_attempt, get_run, get_task, member, steers
from plans.web.decided import take
from plans.web.shown.events import events_shown
from plans.web.shown.requests import request_shown
from plans.web.shown.run import attempt_shown, run_shown, task_panel
from plans.web.shown.runs import rows_shown


@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    page = queries.runs_page(request.user, before=_number(request, "before"))
    return render(request, "plans/runs.html", {"rows": rows_shown(page.rows), "older": page.older})


@require_safe
def run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    row = get_run(user, uuid)
    now = timezone.now()
    shown = run_shown(row, now)
    key = request.GET.get("task")
    context = {
        "run": row,
        "shown": shown,
        "asked": [request_shown(one) for one in shown.requests if may_decide(one, user)],
        "panel": task_panel(get_task(row, key), shown.requests, now) if key else None,
        "may_cancel": not row.is_terminal and not row.cancel_requested_at and steers(user, row),
        "has_plan": row.revision is not None,
    }
    return render(request, "plans/run.html", context)


@require_safe
def events(request: HttpRequest, uuid: UUID) -> HttpResponse:
    row = get_run(member(request), uuid)
    page = queries.events_page(row, before=_number(request, "before"))
    shown = events_shown(page.rows, queries.task_names(row))
    context = {"run": row, "events": shown, "older": page.older}
    return render(request, "plans/events.html", context)


@require_safe
def log(request: HttpRequest, uuid: UUID) -> HttpResponse:
    row = get_run(member(request), uuid)
    attempt = get_attempt(row, request.GET.get("task", ""), _number(request, "attempt") or 0)
    if "download" in request.GET:
        headers = {"Content-Disposition": "attachment; filename=log.txt", "Cache-Control": "private, no-store"}
        return HttpResponse(attempt.log, content_type="text/plain; charset=utf-8", headers=headers)
    context = {"run": row, "attempt": attempt, "shown": attempt_shown(attempt, timezone.now())}
    return render(request, "plans/log.html", context)


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


def _number(request: HttpRequest, name: str) -> int | None:
    """Return a number of the query string; anything that is none counts as absent."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
