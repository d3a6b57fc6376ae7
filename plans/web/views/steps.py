"""Edit the steps of a plan under review: change, add, remove, move. Each is a new revision."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans import tasks
from plans.core import editing
from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject
from plans.models import Run
from plans.web.decided import posted
from plans.web.forms.step import StepForm, StepJsonForm, as_json
from plans.web.revising import edit, is_open, steered


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show the form of a step (`?step=KEY`, `&as=json`) or of a new one (`?after=KEY`), and take it."""
    run = steered(request, uuid)
    if not is_open(run) or run.revision is None:
        # What is decided is not edited; the page says what became of it.
        return redirect("plan", run.uuid)
    key = str(request.POST.get("step", request.GET.get("step", "")))
    before = _before(run.revision.plan, key, request.GET.get("after", ""))
    if request.GET.get("as") == "json":
        return _as_json(request, run, key, before)
    form = StepForm(run.revision.plan, before, tasks.catalogue(), *([request.POST] if request.method == "POST" else []))
    if request.method != "POST" or "refresh" in request.POST or form.is_other_skill or not form.is_valid():
        return _page(request, run, key, form)
    typed = form.step()
    if key:
        return edit(request, run, partial(editing.change_step, key=key, fields=typed))
    return edit(request, run, partial(editing.add_step, fields=typed, after=str(request.POST.get("place", ""))))


@posted
def remove(request: HttpRequest, uuid: UUID) -> HttpResponse:
    run = steered(request, uuid)
    return edit(request, run, partial(editing.remove_step, key=str(request.POST.get("step", ""))))


@posted
def move(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Put a step before or after another one that may start at the same time."""
    run = steered(request, uuid)
    where = "before" if "before" in request.POST else "after"
    beside = str(request.POST.get(where, ""))
    return edit(
        request,
        run,
        partial(editing.move_step, key=str(request.POST.get("step", "")), beside=beside, where=where),  # type: ignore[arg-type]
    )


def _before(plan: JsonObject, key: str, after: str) -> JsonObject:
    """Return the step as it is; a new one waits for the step it is put behind, by default the last one."""
    if key:
        try:
            return editing.step_of(plan, key)
        except InputError as error:
            raise Http404 from error
    ids = [row["id"] for row in plan["tasks"]]
    return {"depends_on": [after if after in ids else ids[-1]] if ids else []}


def _as_json(request: HttpRequest, run: Run, key: str, before: JsonObject) -> HttpResponse:
    if not key:
        raise Http404
    form = StepJsonForm(request.POST or None, initial={"text": as_json(before)})
    if not form.is_valid():
        return _page(request, run, key, form, as_json=True)
    typed = {**form.cleaned_data["text"], "id": key}
    gone = {name for name in before if name not in typed}

    def change(plan: JsonObject) -> JsonObject:
        changed = editing.change_step(plan, key, typed)
        steps = [{k: v for k, v in row.items() if row["id"] != key or k not in gone} for row in changed["tasks"]]
        return {**changed, "tasks": steps}

    return edit(request, run, change)


def _page(request: HttpRequest, run: Run, key: str, form: Any, *, as_json: bool = False) -> HttpResponse:
    context = {
        "run": run,
        "form": form,
        "key": key,
        "place": request.POST.get("place", request.GET.get("after", "")),
        # An edit is of what was shown first, however often the form comes back.
        "seen": request.POST.get("revision") or (run.revision.number if run.revision else ""),
        "as_json": as_json,
    }
    return render(request, "plans/edit_step.html", context)
