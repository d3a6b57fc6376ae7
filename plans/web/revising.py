"""One edit of a plan under review: the service call, and in words what may come instead of success."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse

from plans import queries, tasks
from plans.core.jsontypes import JsonObject
from plans.core.states import RunState
from plans.engine import revising
from plans.models import Run
from plans.web.access import get_run, member, steers
from plans.web.address import number_of
from plans.web.decided import take
from plans.web.shown.effects import Difference, plan_differences

Change = Callable[[JsonObject], JsonObject]


def steered(request: HttpRequest, uuid: UUID) -> Run:
    """Return the run if this person may decide on its plan, 404 otherwise."""
    user = member(request)
    run = get_run(user, uuid)
    if not steers(user, run):
        raise Http404
    return run


def seen_of(request: HttpRequest) -> int:
    """Return the number of the revision the page showed; 0, which none has, when it does not say."""
    return number_of(request.POST, "revision") or 0


def is_open(run: Run) -> bool:
    """Tell whether the plan of `run` can be edited now."""
    return run.state == RunState.REVIEW and run.revision is not None


def edit(request: HttpRequest, run: Run, change: Change) -> HttpResponse:
    """Make `change` to the plan as a new revision and go back to it; 409 when another revision is current."""

    def action() -> None:
        revising.revise(
            run=run,
            seen=seen_of(request),
            change=change,
            by=member(request),
            catalogue=tasks.catalogue(),
            circumstances=tasks.circumstances_of(run),
        )

    return taken(request, run, action)


def taken(request: HttpRequest, run: Run, action: Callable[[], object]) -> HttpResponse:
    """Call a service that changes the plan that was seen."""

    def difference() -> list[Difference]:
        before = queries.revision_numbered(run, seen_of(request))
        now = get_run(member(request), run.uuid).revision
        return plan_differences(before.plan, now.plan) if before and now else []

    return take(request, run, action, stale="plan_edited_elsewhere", back="plan", onto="plan", difference=difference)
