"""Deciding about a budget that is reached: raise it or stop the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from plans.core.states import RequestState
from plans.engine import budgets, time_budgets
from plans.models import Request
from plans.web.decided import take
from plans.web.shown.requests import budget_form, request_shown


def budget(request: HttpRequest, user: User, row: Request) -> HttpResponse:
    form = budget_form(row, request.POST)
    data = form.cleaned_data if form.is_valid() else {}
    if row.state == RequestState.OPEN and not data.get("choice"):
        return render(request, "plans/request.html", {"asked": request_shown(row, form), "run": row.run})

    def action() -> None:
        comment = data.get("comment", "")
        if row.task_id is None:
            _take_time(row, user, data, comment)
            return
        if data.get("choice") == "stop":
            budgets.stop_at_budget(request=row, by=user, comment=comment)
        else:
            budgets.raise_budget(request=row, by=user, usd=data.get("usd"), tokens=data.get("tokens"), comment=comment)

    return take(request, row.run, action, stale="effect_changed")


def _take_time(row: Request, user: User, data: Mapping[str, Any], comment: str) -> None:
    """Decide about the time of a whole run: no task waits for it."""
    if data.get("choice") == "stop":
        time_budgets.stop(request=row, by=user, comment=comment)
    else:
        time_budgets.raise_time(request=row, by=user, seconds=data.get("seconds") or 0, comment=comment)
