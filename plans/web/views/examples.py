"""One click on an example: the sample is attached here, the parameters are guessed, and the plan is next."""

from __future__ import annotations

import re
import zoneinfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from plans.core.errors import InputError
from plans.core.hashing import digest
from plans.planning.playbooks import InputErrors
from plans.web.access import member
from plans.web.examples import find_example, run_example
from plans.web.forms.goal import TOKEN
from plans.wording import sentence


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, name: str) -> HttpResponse:
    user = member(request)
    example = find_example(name)
    if example is None:
        raise Http404
    if request.method != "POST":
        # Back from a login, say: a GET starts nothing.
        return redirect("new_run")
    zone, token = request.POST.get("time_zone", ""), request.POST.get("token", "")
    try:
        run = run_example(
            example,
            user,
            time_zone=zone if zone in zoneinfo.available_timezones() else "UTC",
            token=digest([token, name]) if re.fullmatch(TOKEN, token) else None,
        )
    except InputErrors:
        messages.error(request, sentence("example_unusable"))
        return redirect("new_run")
    except InputError as error:
        messages.error(request, sentence(error.code, error.params))
        return redirect("new_run")
    return redirect("plan", run.uuid)
