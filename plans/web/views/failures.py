"""Decide about a failed step, while it waits for that or after it has failed for good: `?task=KEY&way=mark_done`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans import queries, tasks
from plans.core.errors import InputError, SkillError
from plans.core.values import ArtifactRef
from plans.engine import edits, failures, given
from plans.engine.attachments import clean_filename
from plans.engine.requests import may_decide
from plans.models import Request, Run, Task
from plans.skills.handed_in import as_artifact
from plans.web.access import get_run, get_task, member, steers
from plans.web.decided import take
from plans.web.forms.decide import FailureForm
from plans.web.forms.failures import ChangesForm, DoneForm, HintForm, SeenForm
from plans.web.shown.failures import CONSEQUENCES, LABELS
from plans.wording import sentence

Made = tuple[SeenForm, Callable[[], object] | None]
"""A form, and what to do when it is right; None: show it."""


@require_http_methods(["GET", "HEAD", "POST"])
def failed_step(request: HttpRequest, uuid: UUID) -> HttpResponse:
    user = member(request)
    run = get_run(user, uuid)
    if not request.GET.get("task"):
        return redirect("run", run.uuid)
    task = get_task(run, request.GET["task"])
    asked = queries.open_failure(task)
    if not (may_decide(asked, user) if asked else steers(user, run)):
        raise Http404
    of = asked or task
    if request.GET.get("way") in WAYS:
        return _with_form(request, user, run, of)
    if request.method != "POST":
        return redirect("request", asked.uuid) if asked else redirect("run", run.uuid)
    form = FailureForm(request.POST)
    if not form.is_valid():
        return redirect("run", run.uuid)
    data = form.cleaned_data

    def action() -> None:
        failures.decide_failure(of=of, choice=data["choice"], by=user, comment=data["comment"])

    return take(request, run, action, stale="effect_changed")


def _with_form(request: HttpRequest, user: User, run: Run, of: Request | Task) -> HttpResponse:
    way = request.GET["way"]
    form, action = WAYS[way](request, user, of)
    if action is not None:
        return take(request, run, action, stale="effect_changed")
    task = _task(of)
    context = {"run": run, "task": task, "form": form, "way": LABELS[way], "leads_to": CONSEQUENCES[way]}
    return render(request, "plans/failed_step.html", context)


def _task(of: Request | Task) -> Task:
    task = of.task if isinstance(of, Request) else of
    if task is None:
        raise Http404
    return task


def _seen(of: Request | Task) -> dict[str, str]:
    return {"digest": of.digest} if isinstance(of, Request) else {}


def _changes(request: HttpRequest, user: User, of: Request | Task) -> Made:
    task, catalogue = _task(of), tasks.catalogue()
    info = catalogue.get(str(task.spec.get("skill") or task.skill))
    if info is None:
        raise Http404
    before = task.spec.get("params", {})
    form = ChangesForm(info, before, request.POST or None, initial=_seen(of))
    if not form.is_valid():
        return form, None
    params = form.values()
    try:
        edits.check_written(task, params, catalogue)
    except InputError as error:
        form.add_error(None, sentence(error.code, error.params))
        return form, None
    data = form.cleaned_data
    return form, lambda: failures.retry_with_changes(
        of=of, params=params, by=user, catalogue=catalogue, comment=data["comment"], digest=data["digest"] or None
    )


def _hint(request: HttpRequest, user: User, of: Request | Task) -> Made:
    form = HintForm(request.POST or None, initial=_seen(of))
    if not form.is_valid():
        return form, None
    data = form.cleaned_data
    return form, lambda: failures.retry_with_hint(of=of, hint=data["hint"], by=user, digest=data["digest"] or None)


def _done(request: HttpRequest, user: User, of: Request | Task) -> Made:
    task = _task(of)
    form = DoneForm(given.declared(task), *((request.POST, request.FILES) if request.POST else ()), initial=_seen(of))
    if not form.is_valid():
        return form, None
    files, values, data = _files(form), form.values(), form.cleaned_data
    if form.is_valid():
        try:
            given.typed(task, values, user, files)
        except InputError as error:
            form.refuse(error.params.get("name"), sentence(error.code, error.params))
    if not form.is_valid():
        return form, None
    return form, lambda: failures.mark_done(
        of=of, outputs=values, files=files, by=user, comment=data["comment"], digest=data["digest"] or None
    )


def _files(form: DoneForm) -> dict[str, ArtifactRef]:
    """Store the uploaded files as what they are to be; an objection goes next to its field."""
    found: dict[str, ArtifactRef] = {}
    for name, (kind, upload) in form.uploads().items():
        filename = clean_filename(upload.name)
        with tempfile.TemporaryDirectory(prefix="upload-") as folder:
            path = Path(folder) / "file"
            with path.open("wb") as target:
                target.writelines(upload.chunks())
            try:
                found[name] = as_artifact(path, filename, kind)
            except SkillError as error:
                form.refuse(name, sentence(error.code, {**error.params, "file": filename}))
    return found


def _replan(request: HttpRequest, user: User, of: Request | Task) -> Made:
    form = SeenForm(request.POST or None, initial=_seen(of))
    if not request.POST or not form.is_valid():
        return form, None
    data = form.cleaned_data
    return form, lambda: failures.replan(of=of, by=user, comment=data["comment"], digest=data["digest"] or None)


WAYS: dict[str, Callable[[HttpRequest, User, Request | Task], Made]] = {
    "retry_with_changes": _changes,
    "retry_with_hint": _hint,
    "mark_done": _done,
    "replan": _replan,
}
