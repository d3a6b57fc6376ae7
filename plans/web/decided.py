"""Taking a decision: one service call, and in words what may come instead of success."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Protocol
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from plans.core.errors import AlreadyDecided, InputError, StaleDecision, StateError
from plans.engine.requests import NotAllowed
from plans.models import Run
from plans.web.access import member
from plans.web.shown.effects import Difference
from plans.wording import sentence


class _RunView(Protocol):
    def __call__(self, request: HttpRequest, uuid: UUID) -> HttpResponse: ...


def posted(view: _RunView) -> _RunView:
    """Let a deciding view see only POST: a GET (after a login, say) goes to the plan and decides nothing."""

    @wraps(view)
    def checked(request: HttpRequest, uuid: UUID) -> HttpResponse:
        return view(request, uuid) if request.method == "POST" else redirect("plan", uuid)

    return checked


def already_decided(by: str) -> str:
    if by:
        return _("Already decided by %(name)s.") % {"name": by}
    return _("This is no longer open, so nothing was changed.")


def take(
    request: HttpRequest,
    run: Run,
    action: Callable[[], object],
    *,
    stale: str,
    back: str = "run",
    onto: str = "run",
    difference: Callable[[], list[Difference]] = list,
) -> HttpResponse:
    """Call `action` and go on to page `onto`; a second decision, a stale or a refused one each end in a sentence.

    `stale` is the code of the 409 page's sentence, `difference` gives what it lists; `back` names the page to return to
    when nothing was decided.
    """
    try:
        action()
    except StaleDecision:
        return stale_page(request, run, sentence(stale), difference(), back)
    except AlreadyDecided as error:
        messages.warning(request, already_decided(str(error.params.get("by") or "")))
    except NotAllowed as error:
        raise Http404 from error
    except (InputError, StateError) as error:
        messages.error(request, sentence(error.code, error.params))
        return onward(request, run, back)
    return onward(request, run, onto)


def stale_page(
    request: HttpRequest, run: Run, text: str, differences: list[Difference], back: str = "run"
) -> HttpResponse:
    """Say that nothing was decided, and what has changed since the person looked."""
    context = {"run": run, "text": text, "page": back, "differences": differences}
    return render(request, "plans/stale.html", context, status=409)


def onward(request: HttpRequest, run: Run, page: str) -> HttpResponse:
    """Go to a page of `run`, or to the inbox when deciding was all this person might see of it."""
    if Run.objects.for_user(member(request)).filter(pk=run.pk).exists():
        return redirect(page, run.uuid)
    return redirect("inbox")
