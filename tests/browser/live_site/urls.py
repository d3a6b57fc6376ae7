"""The product's addresses and the test page's."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone

from planner_site.urls import urlpatterns as product
from plans import queries
from plans.engine.requests import may_decide
from plans.web.access import get_run, member
from plans.web.shown.events import events_shown
from plans.web.shown.requests import request_shown
from plans.web.shown.run import run_shown, task_shown

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@login_required
def live_page(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = get_run(user, uuid)
    shown = run_shown(run, timezone.now())
    lines = queries.task_lines(run, shown.requests)
    names = {line.task.key: str(line.task) for line in lines}
    context = {
        "run": run,
        "events": events_shown(queries.events_page(run).rows, names),
        "shown": shown,
        "tasks": [(line.task, task_shown(line, timezone.now())) for line in lines],
        "asked": [request_shown(one) for one in shown.requests if may_decide(one, user)],
        "now": timezone.now(),
    }
    answer = render(request, "live_page.html", context)
    answer["Content-Security-Policy"] = POLICY
    return answer


urlpatterns = [path("live-page/<uuid:uuid>", live_page), *product]
