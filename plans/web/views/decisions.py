"""Requests: GET shows one and decides nothing, POST decides it by its kind."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from plans import queries
from plans.core.errors import InputError
from plans.core.states import RequestKind, RequestState
from plans.engine import failures
from plans.engine import requests as services
from plans.models import Request
from plans.web.access import get_request, member
from plans.web.decided import already_decided, stale_page, take
from plans.web.forms.decide import ApprovalForm, CommentForm, FailureForm
from plans.web.forms.question import QuestionForm
from plans.web.shown.effects import Difference, effect_differences
from plans.web.shown.requests import question_form, requests_shown
from plans.web.views import tails
from plans.web.views.budgets import budget
from plans.wording import sentence


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    user = member(request)
    rows = [row for row in queries.open_requests(user) if services.may_decide(row, user)]
    return render(request, "plans/inbox.html", {"requests": requests_shown(rows)})


@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    row = get_request(user, uuid)
    if row.kind == RequestKind.PLAN_APPROVAL:
        return tails.tail(request, user, row) if tails.is_tail(row) else redirect("plan", row.run.uuid)
    if request.method != "POST":
        return _page(request, row)
    if row.kind not in HANDLERS or not services.may_decide(row, user):
        raise Http404
    return HANDLERS[row.kind](request, user, row)


def _approval(request: HttpRequest, user: User, row: Request) -> HttpResponse:
    form = ApprovalForm(request.POST)
    if not form.is_valid():
        return _page(request, row, CommentForm(request.POST))
    data = form.cleaned_data

    # Its effect has changed and another request asks about the new one: say how they differ, not "already decided".
    if row.state == RequestState.VOID and (newer := queries.newer_approval(row)):
        return stale_page(request, row.run, sentence("effect_changed"), _difference(newer, row))

    def action() -> None:
        approve = data["decision"] == "approve"
        services.decide_approval(request=row, approve=approve, digest=data["digest"], by=user, comment=data["comment"])

    def difference() -> list[Difference]:
        return _difference(row, queries.approval_by_digest(row, data["digest"]))

    return take(request, row.run, action, stale="effect_changed", difference=difference)


def _difference(now: Request, before: Request | None) -> list[Difference]:
    """Return how what would happen differs from what was shown; nothing when nobody knows what was shown."""
    if before is None:
        return []
    return effect_differences(before.content.get("effect") or {}, now.content.get("effect") or {})


def _answer(request: HttpRequest, user: User, row: Request) -> HttpResponse:
    form = question_form(row, request.POST)
    # A question that is no longer open is not worth correcting an answer for.
    if row.state == RequestState.OPEN and not _fits(form, row):
        return _page(request, row, form)
    answer = form.answer() if form.is_valid() else {}

    def action() -> None:
        services.answer_question(request=row, answer=answer, by=user, digest=request.POST.get("digest") or None)

    return take(request, row.run, action, stale="effect_changed")


def _fits(form: QuestionForm, row: Request) -> bool:
    """Check the answer by the form and by the question's schema; objections go next to their fields."""
    if not form.is_valid():
        return False
    try:
        services.check_answer(row, form.answer())
    except InputError as error:
        form.refuse(error.params.get("field"), sentence(error.code, error.params))
    return form.is_valid()


def _failure(request: HttpRequest, user: User, row: Request) -> HttpResponse:
    form = FailureForm(request.POST)
    if not form.is_valid():
        return _page(request, row, CommentForm(request.POST))
    data = form.cleaned_data

    def action() -> None:
        failures.decide_failure(
            of=row, choice=data["choice"], by=user, comment=data["comment"], digest=data["digest"] or None
        )

    return take(request, row.run, action, stale="effect_changed")


HANDLERS: dict[str, Callable[[HttpRequest, User, Request], HttpResponse]] = {
    RequestKind.TASK_APPROVAL: _approval,
    RequestKind.QUESTION: _answer,
    RequestKind.FAILURE: _failure,
    RequestKind.BUDGET: budget,
}


def _page(request: HttpRequest, row: Request, form: QuestionForm | CommentForm | None = None) -> HttpResponse:
    by = row.decided_by.get_username() if row.decided_by else ""
    context = {
        "asked": requests_shown([row], form)[0],
        "run": row.run,
        "already": "" if row.state == RequestState.OPEN else already_decided(by),
    }
    return render(request, "plans/request.html", context)
