"""The plan for the rest of a run: ask for one, see what it would change, approve or reject it."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from plans import tasks
from plans.engine import replanning
from plans.engine.requests import may_decide
from plans.models import Request, Revision
from plans.web.access import get_run, member, steers
from plans.web.decided import already_decided, take
from plans.web.forms.decide import ApprovalForm, ChangesForm, CommentForm
from plans.web.shown.revisions import differences


def tail(request: HttpRequest, user: User, row: Request) -> HttpResponse:
    """Show what the new plan changes (GET), or take the decision about it (POST)."""
    if request.method != "POST":
        return _page(request, row, CommentForm())
    if not may_decide(row, user):
        raise Http404
    form = ApprovalForm(request.POST)
    if not form.is_valid():
        return _page(request, row, CommentForm(request.POST))
    data = form.cleaned_data

    def action() -> None:
        replanning.decide_tail(
            request=row, approve=data["decision"] == "approve", digest=data["digest"], by=user,
            catalogue=tasks.catalogue(), comment=data["comment"],
        )  # fmt: skip

    return take(request, row.run, action, stale="plan_changed")


def is_tail(row: Request) -> bool:
    return "tail" in row.content


@require_http_methods(["GET", "HEAD", "POST"])
def replan(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask for a new plan of what has not started, with a comment."""
    user = member(request)
    run = get_run(user, uuid)
    if not steers(user, run):
        raise Http404
    form = ChangesForm(request.POST or None)
    if not form.is_valid():
        return render(request, "plans/replan.html", {"run": run, "form": form})
    comment = form.cleaned_data["comment"]
    return take(request, run, lambda: replanning.ask_again(run=run, by=user, comment=comment), stale="plan_changed")


def _page(request: HttpRequest, row: Request, form: CommentForm) -> HttpResponse:
    numbers = [row.content.get("base"), row.content.get("revision")]
    found = {each.number: each for each in Revision.objects.filter(run=row.run, number__in=numbers)}
    before, after = (found.get(number) for number in numbers)
    by = row.decided_by.get_username() if row.decided_by else ""
    context = {
        "asked": row,
        "run": row.run,
        "form": form,
        "already": "" if row.state == "open" else already_decided(by),
        "changes": differences(before, after) if before and after else [],
    }
    return render(request, "plans/tail.html", context)
