"""What a run asks of one person, and what somebody has decided a moment ago."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans import queries
from plans.core.states import RequestKind
from plans.engine.requests import may_decide
from plans.models import Request, Run
from plans.web.shown.requests import RequestShown, requests_shown

# Long enough to be read on a page that somebody else's decision has just changed.
SETTLED_SECONDS = 60

DECIDED: dict[str, str | Promise] = {
    "approve": _("Approved by %(name)s"),
    "edit_and_approve": _("Edited and approved by %(name)s"),
    "reject": _("Rejected by %(name)s"),
    "answer": _("Answered by %(name)s"),
    "retry": _("Retry chosen by %(name)s"),
    "retry_with_changes": _("Retry with changes chosen by %(name)s"),
    "retry_with_hint": _("Retry with a hint chosen by %(name)s"),
    "mark_done": _("Marked as done by %(name)s"),
    "replan": _("Re-plan chosen by %(name)s"),
    "skip": _("Skipped by %(name)s"),
    "stop": _("Run stopped by %(name)s"),
    "raise": _("Budget raised by %(name)s"),
    "changes": _("Changes asked for by %(name)s"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    request: Request
    text: str
    subject: str


def asks_shown(
    run: Run, requests: Sequence[Request], user: User, now: datetime
) -> tuple[list[RequestShown], list[Settled]]:
    """Return the open requests this person may decide, oldest first, and what was decided a moment ago."""
    asked = requests_shown([one for one in requests if may_decide(one, user)])
    since = now - timedelta(seconds=SETTLED_SECONDS)
    return asked, [settled(one) for one in queries.settled_requests(run, since)]


def decided_text(request: Request) -> str:
    """Say how a request was decided and by whom; one nobody decided says what became of it."""
    if request.decided_by is None:
        return str(request.get_state_display())
    return str(DECIDED.get(request.decision, _("Decided by %(name)s"))) % {"name": request.decided_by.get_username()}


def settled(request: Request) -> Settled:
    subject = (
        str(request.task) if request.task else str(_("The plan")) if request.kind == RequestKind.PLAN_APPROVAL else ""
    )
    return Settled(request=request, text=decided_text(request), subject=subject)
