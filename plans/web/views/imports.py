"""Import a plan: compile what was pasted or handed in; a sound plan becomes a run in review."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans import tasks
from plans.core.compile import compile_plan
from plans.engine.runs import create_run_from_plan
from plans.management.headless.files import plan_inputs
from plans.web.access import member
from plans.web.forms.attachments import Files, receive
from plans.web.forms.imports import ImportForm
from plans.web.shown.plan import compiled_findings
from plans.web.views.new_run import files_context


@require_http_methods(["GET", "HEAD", "POST"])
def import_plan(request: HttpRequest) -> HttpResponse:
    user = member(request)
    if request.method != "POST":
        return _page(request, ImportForm(), Files())
    files = receive(request, user)
    if "remove" in request.POST:
        return _page(request, ImportForm(initial=request.POST.dict()), files)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid() or files.errors:
        return _page(request, form, files)
    compiled = compile_plan(form.cleaned_data["text"], tasks.catalogue(), tasks.circumstances_of_site())
    if compiled.plan is None or compiled.outcome == "rejected":
        # The text of a file is shown for correction, so that nothing has to be attached again.
        again = ImportForm(initial={"text": form.cleaned_data["text"]})
        return _page(request, again, files, findings=compiled_findings(compiled))
    run = create_run_from_plan(owner=user, compiled=compiled, inputs=plan_inputs(files.by_name))
    return redirect("plan", run.uuid)


def _page(request: HttpRequest, form: ImportForm, files: Files, **more: Any) -> HttpResponse:
    context = {"form": form, **files_context(files), **more}
    return render(request, "plans/import.html", context)
