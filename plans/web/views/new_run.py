"""New run: the goal with its files, then the fitting playbook's parameters, then the run."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from plans import tasks
from plans.core.errors import NoPlaybook
from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.engine.runs import create_run
from plans.planning import shelf
from plans.planning.playbooks import Playbook
from plans.web.access import member, own_attachments
from plans.web.examples import every_example
from plans.web.forms.attachments import MOST_FILES, Files, receive
from plans.web.forms.goal import LONGEST_GOAL, SHORTEST_GOAL, GoalForm, said_length
from plans.web.forms.parameters import ParametersForm
from plans.web.listing import list_recent
from plans.web.shown.files import files_shown
from plans.web.shown.runs import rows_shown

RECENT = 6
MOST_MATCHES = 3


@require_http_methods(["GET", "HEAD", "POST"])
def new_run(request: HttpRequest) -> HttpResponse:
    """Show the form, or take it one step further. Nothing is lost on the way: files are stored at the first POST."""
    user = member(request)
    if request.method != "POST":
        return _goal_page(request, GoalForm(user=user, initial=_from_address(request)), Files())
    files = receive(request, user)
    if "remove" in request.POST or "back" in request.POST:
        return _goal_page(request, GoalForm(user=user, initial=_from_post(request)), files)
    form = GoalForm(request.POST, user=user)
    if not form.is_valid() or files.errors:
        return _goal_page(request, form, files)
    return _second_step(request, user, form, files)


@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """Draw the playbooks that fit a goal that is being written, each with the reasons."""
    goal = request.GET.get("goal", "")[:LONGEST_GOAL].strip()
    files = Files(kept=own_attachments(member(request), request.GET.getlist("attachment")))
    is_enough = said_length(goal) >= SHORTEST_GOAL
    found = shelf.match(goal, files.profiles) if is_enough else []
    context = {"matches": found[:MOST_MATCHES], "is_enough": is_enough}
    return render(request, "plans/_suggestions.html", context)


def _second_step(request: HttpRequest, user: User, form: GoalForm, files: Files) -> HttpResponse:
    goal = form.cleaned_data["goal"]
    chosen = request.POST.get("use") or form.cleaned_data["playbook"]
    if not chosen and tasks.has_model():
        return _modelled(user, form, files)
    found = _choose(chosen, goal, files)
    if not found:
        return _goal_page(request, form, files, nothing_fits=True)
    playbook, bound = found[0], "parameters" in request.POST and "use" not in request.POST
    is_bound = (bound and "refresh" not in request.POST) or not playbook.parameters
    parameters = ParametersForm(playbook, goal, files, request.POST if bound else {}, bound=is_bound)
    if not parameters.is_valid():
        return _parameters_page(request, form, parameters, found[1:])
    run = create_run(
        owner=user,
        goal=goal,
        inputs=parameters.inputs,
        playbook=playbook.name,
        autonomy=form.cleaned_data["autonomy"],
        time_zone=form.cleaned_data["time_zone"],
        client_token=_token(form, playbook.name, parameters.inputs),
        limits=form.limits(),
        model_sees_rows=form.sees_rows,
    )
    return redirect("plan", run.uuid)


def _modelled(user: User, form: GoalForm, files: Files) -> HttpResponse:
    """Let the model plan the goal: nothing has to be asked first."""
    inputs, profiles = files.for_model()
    run = create_run(
        owner=user,
        goal=form.cleaned_data["goal"],
        inputs=inputs,
        autonomy=form.cleaned_data["autonomy"],
        time_zone=form.cleaned_data["time_zone"],
        client_token=_token(form, "", inputs),
        limits=form.limits(),
        files=profiles,
        model_sees_rows=form.sees_rows,
    )
    return redirect("plan", run.uuid)


def _token(form: GoalForm, playbook: str, inputs: JsonObject) -> str:
    """Bind the form's token to what was sent: the same POST twice is one run, a changed one sent again is another."""
    data = form.cleaned_data
    limits = [str(each) for each in form.limits().columns().values()]
    return digest([data["token"], data["goal"], data["autonomy"], playbook, inputs, limits, form.sees_rows])


def _choose(name: str, goal: str, files: Files) -> list[Playbook]:
    """Return the playbook a person named, else those that fit, the best first."""
    if not name:
        return [match.playbook for match in shelf.match(goal, files.profiles)]
    try:
        return [shelf.get(name)]
    except NoPlaybook:
        return []


def _from_post(request: HttpRequest) -> JsonObject:
    """Return what was typed so far, unjudged. A box that was not ticked is not sent."""
    return {**request.POST.dict(), "model_sees_rows": "model_sees_rows" in request.POST}


def _from_address(request: HttpRequest) -> dict[str, str]:
    """Return what `?playbook=` presets: the playbook and its example as a goal to start from."""
    chosen = _choose(request.GET["playbook"], "", Files()) if request.GET.get("playbook") else []
    return {"playbook": chosen[0].name, "goal": str(chosen[0].example)} if chosen else {}


def _goal_page(request: HttpRequest, form: GoalForm, files: Files, *, nothing_fits: bool = False) -> HttpResponse:
    chosen = _choose(str(form["playbook"].value() or ""), "", Files()) if form["playbook"].value() else []
    user = member(request)
    recent = rows_shown(list_recent(user, RECENT), timezone.now())
    context = {
        "form": form,
        "longest_goal": LONGEST_GOAL,
        "shortest_goal": SHORTEST_GOAL,
        **files_context(files),
        "has_model": tasks.has_model(),
        "nothing_fits": nothing_fits,
        "offers": shelf.offers(files.profiles) if nothing_fits else [],
        "playbook": chosen[0] if chosen else None,
        "recent": recent,
        "examples": every_example() if len(recent) < RECENT // 2 else [],
    }
    return render(request, "plans/new_run.html", context)


def files_context(files: Files) -> JsonObject:
    """Return what the attachments part of a form needs."""
    return {
        "files": files_shown(files.kept),
        "file_errors": files.errors,
        "largest_file": settings.PLANS_MAX_UPLOAD_BYTES,
        "most_files": MOST_FILES,
    }


def _parameters_page(
    request: HttpRequest, form: GoalForm, parameters: ParametersForm, others: list[Playbook]
) -> HttpResponse:
    context = {
        "form": form,
        "parameters": parameters,
        "playbook": parameters.playbook,
        "others": others,
        "files": files_shown(parameters.attached.kept),
        "can_refresh": len(parameters.attached.kept) > 1,
    }
    return render(request, "plans/parameters.html", context)
