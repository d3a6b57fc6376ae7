"""Edits of a plan as a whole: assumptions, mechanical fixes, its JSON, another revision, planning it anew."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans import queries, tasks
from plans.core import editing
from plans.core.fixing import apply_fix
from plans.engine import planning_work, revising
from plans.models import Run
from plans.web.access import member
from plans.web.address import number_of
from plans.web.decided import posted
from plans.web.forms.decide import ChangesForm
from plans.web.forms.step import StepJsonForm, as_json
from plans.web.revising import edit, is_open, seen_of, steered, taken
from plans.web.views.plan import page
from plans.wording import sentence


@posted
def assumption(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Reword an assumption, or drop it: an empty text is none."""
    run = steered(request, uuid)
    place = number_of(request.POST, "place")
    text = "" if "drop" in request.POST else str(request.POST.get("text", ""))[: revising.LONGEST_TEXT]
    return edit(request, run, partial(editing.correct_assumption, place=-1 if place is None else place, text=text))


@posted
def fix(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Make the mechanical fix of one finding of the revision that was seen."""
    run = steered(request, uuid)
    revision = queries.revision_numbered(run, seen_of(request))
    place = number_of(request.POST, "finding")
    findings = revision.findings if revision else []
    if place is None or place >= len(findings) or not findings[place].get("fix") or not findings[place].get("task"):
        raise Http404
    finding = findings[place]
    return edit(request, run, partial(apply_fix, key=finding["task"], fix=finding["fix"]))


@posted
def choose(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Make another revision the one to decide on."""
    run = steered(request, uuid)
    number = number_of(request.POST, "number") or 0
    user = member(request)
    return taken(
        request,
        run,
        lambda: revising.choose_revision(run=run, seen=seen_of(request), number=number, by=user),
    )


@posted
def changes(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Send the plan back to planning with a comment."""
    run = steered(request, uuid)
    if not tasks.has_model():
        return _without_model(request, run)
    form = ChangesForm(request.POST)
    if not form.is_valid():
        return page(request, run, form, may_decide=True)
    comment, user = form.cleaned_data["comment"], member(request)
    return taken(
        request,
        run,
        lambda: planning_work.ask_for_changes(run=run, by=user, comment=comment, seen=seen_of(request)),
    )


@posted
def alternatives(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Have other plans for the goal drafted, to choose from."""
    run = steered(request, uuid)
    if not tasks.has_model():
        return _without_model(request, run)
    user = member(request)
    return taken(request, run, lambda: planning_work.ask_for_alternatives(run=run, by=user))


@require_http_methods(["GET", "HEAD", "POST"])
def whole(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Edit the whole plan as JSON."""
    run = steered(request, uuid)
    if not is_open(run) or run.revision is None:
        return redirect("plan", run.uuid)
    form = StepJsonForm(request.POST or None, initial={"text": as_json(run.revision.plan)})
    if form.is_valid():
        typed = form.cleaned_data["text"]
        return edit(request, run, lambda plan: typed)
    seen = request.POST.get("revision") or run.revision.number
    return render(request, "plans/edit_plan.html", {"run": run, "form": form, "seen": seen})


def _without_model(request: HttpRequest, run: Run) -> HttpResponse:
    messages.error(request, sentence("no_model"))
    return redirect("plan", run.uuid)
