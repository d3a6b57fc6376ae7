"""Edit and approve: a form over what a waiting step will do."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans.core.errors import InputError
from plans.core.states import RequestKind, RequestState
from plans.engine import edits as services
from plans.engine.requests import may_decide
from plans.models import Request
from plans.tasks import catalogue
from plans.web.access import get_request, member
from plans.web.decided import take
from plans.web.forms.effect import EffectForm
from plans.wording import sentence


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    row = get_request(user, uuid)
    if not may_decide(row, user):
        raise Http404
    is_editable = row.kind == RequestKind.TASK_APPROVAL and "items" not in row.content.get("effect", {})
    if not is_editable or (request.method != "POST" and row.state != RequestState.OPEN):
        # What is decided, or asks something else, is not edited; its own page says what it is.
        return redirect("request", row.uuid)
    if request.method != "POST":
        return _page(request, row)
    form = EffectForm(row.content["effect"], request.POST)
    if row.state == RequestState.OPEN and not _fits(form, row):
        return _page(request, row, form)

    def action() -> None:
        typed, seen = form.params(), form.cleaned_data
        services.edit_and_approve(
            request=row, params=typed, digest=seen["digest"], by=user, catalogue=catalogue(), comment=seen["comment"]
        )

    return take(request, row.run, action, stale="effect_changed")


def _fits(form: EffectForm, row: Request) -> bool:
    """Check what was typed by the form and by the compiler; the objection goes to the top of the form."""
    if not form.is_valid():
        return False
    try:
        services.check_params(row, form.params(), catalogue())
    except InputError as error:
        form.add_error(None, sentence(error.code, error.params))
    return form.is_valid()


def _page(request: HttpRequest, row: Request, form: EffectForm | None = None) -> HttpResponse:
    effect = row.content["effect"]
    form = form or EffectForm(effect, initial={"digest": row.digest})
    context = {"asked": row, "run": row.run, "form": form, "skill": effect.get("skill", "")}
    return render(request, "plans/edit_request.html", context)
