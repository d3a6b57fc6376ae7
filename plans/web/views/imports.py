"""Import a plan: compile what was pasted or handed in; a sound plan becomes a run in review."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from plans.core.compile import compile_plan
from plans.engine.runs import create_run_from_plan
from plans.web import catalogue
from plans.web.access import member
from plans.web.forms.imports import ImportForm
from plans.web.shown.plan import compiled_findings


@require_http_methods(["GET", "HEAD", "POST"])
def import_plan(request: HttpRequest) -> HttpResponse:
    user = member(request)
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if not form.is_valid():
        return render(request, "plans/import.html", {"form": form})
    compiled = compile_plan(form.cleaned_data["text"], catalogue.current())
    if compiled.plan is None or compiled.outcome == "rejected":
        # The text of a file is shown for correction, so that nothing has to be attached again.
        again = ImportForm(initial={"text": form.cleaned_data["text"]})
        return render(request, "plans/import.html", {"form": again, "findings": compiled_findings(compiled)})
    run = create_run_from_plan(owner=user, compiled=compiled, inputs={})
    return redirect("plan", run.uuid)
