"""System: how every part is, who works on what, and the switch that holds new work. Health addresses for machines."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from plans.engine import hosts
from plans.models import Hold
from plans.supervise import checkup
from plans.web.access import member
from plans.web.shown.system import system_shown
from plans.wording import sentence

LONGEST_REASON = 500


@never_cache
@require_safe
def system(request: HttpRequest) -> HttpResponse:
    _operator(request)
    context = {
        "parts": [(part, sentence(part.code, part.params)) for part in checkup.examine()],
        "held": Hold.objects.select_related("by").first(),
        "queue_seconds": round(checkup.queue_age()),
        **system_shown(timezone.now()),
    }
    return render(request, "plans/system.html", context)


@require_POST
def hold(request: HttpRequest) -> HttpResponse:
    _operator(request)
    hosts.hold(by=member(request), reason=request.POST.get("reason", "").strip()[:LONGEST_REASON])
    messages.success(request, _("New work is held. What runs now goes on to its end."))
    return redirect("system")


@require_POST
def release(request: HttpRequest) -> HttpResponse:
    _operator(request)
    hosts.release()
    messages.success(request, _("Work goes on."))
    return redirect("system")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Tell that this process answers; touches nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Tell whether this site can take and do work: 503 with the names of the parts that are bad. Names no path, no host."""
    wrong = checkup.is_ready()
    sweep, queue = (None, None) if any(part.name == "database" for part in wrong) else _ages()
    answer = {
        "status": "not ready" if wrong else "ready",
        "bad": [part.name for part in wrong],
        "last_sweep_seconds": sweep,
        "queue_age_seconds": queue,
    }
    return JsonResponse(answer, status=503 if wrong else 200)


def _ages() -> tuple[float | None, float]:
    sweep = checkup.sweep_age()
    return (None if sweep is None else round(sweep, 1)), round(checkup.queue_age(), 1)


def _operator(request: HttpRequest) -> None:
    if not member(request).has_perm("plans.operate"):
        raise Http404
