"""Steer a run by button: pause, resume, run again, fork. A GET only asks."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans import tasks
from plans.core.errors import PlannerError
from plans.engine import again, pausing, undoing
from plans.models import Run
from plans.web.access import get_run, get_task, member, steers
from plans.web.decided import posted, take
from plans.wording import sentence

LONGEST_TOKEN = 64


@posted
def pause(request: HttpRequest, uuid: UUID) -> HttpResponse:
    run = _steered(request, uuid)
    return take(request, run, lambda: pausing.pause_run(run=run, by=member(request)), stale="plan_changed")


@posted
def resume(request: HttpRequest, uuid: UUID) -> HttpResponse:
    run = _steered(request, uuid)
    return take(request, run, lambda: pausing.resume_run(run=run, by=member(request)), stale="plan_changed")


@require_http_methods(["GET", "HEAD", "POST"])
def rerun(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask first (`?from=KEY`: only from that step on), then start the plan again as a new run."""
    run = _steered(request, uuid)
    key = (request.POST if request.method == "POST" else request.GET).get("from") or None
    task = get_task(run, key) if key else None
    if request.method != "POST":
        return render(request, "plans/rerun.html", {"run": run, "task": task, "token": uuid4().hex})
    return _made(
        request,
        run,
        lambda token: again.rerun(
            run=run, by=member(request), catalogue=tasks.catalogue(), from_key=key, client_token=token
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def fork(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask first, then make a new run that reviews a revision of this plan."""
    run = _steered(request, uuid)
    if run.revision is None:
        raise Http404
    text = request.POST.get("revision", "") if request.method == "POST" else request.GET.get("revision", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else run.revision.number
    if request.method != "POST":
        return render(request, "plans/fork.html", {"run": run, "number": number, "token": uuid4().hex})
    return _made(
        request,
        run,
        lambda token: again.fork(
            run=run, number=number, by=member(request), catalogue=tasks.catalogue(), client_token=token
        ),
        page="plan",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask first, then make a run that undoes the finished steps, the last one first; it waits for approval."""
    run = get_run(member(request), uuid)
    steps = undoing.undoable(run)
    if request.method != "POST":
        if not steps or not run.is_terminal:
            return redirect("run", run.uuid)
        return render(request, "plans/undo.html", {"run": run, "steps": steps, "token": uuid4().hex})

    def make(token: str | None) -> Run:
        return undoing.undo_steps(
            run=run, by=member(request), catalogue=tasks.catalogue(), runner=tasks.runner(), client_token=token
        )

    return _made(request, run, make, page="plan")


def _made(request: HttpRequest, run: Run, make: Callable[[str | None], Run], page: str = "run") -> HttpResponse:
    token = request.POST.get("token", "")[:LONGEST_TOKEN] or None
    try:
        made = make(token)
    except PlannerError as error:
        messages.error(request, sentence(error.code, error.params))
        return redirect("run", run.uuid)
    return redirect(page, made.uuid)


def _steered(request: HttpRequest, uuid: UUID) -> Run:
    user = member(request)
    run = get_run(user, uuid)
    if not steers(user, run):
        raise Http404
    return run
