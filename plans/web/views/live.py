"""The live page without a socket: the same frame by GET, and the server-drawn areas a page swaps in."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from plans import queries
from plans.core.jsontypes import JsonObject
from plans.web.access import get_run, member
from plans.web.live import reading
from plans.web.live.admission import Refused, viewer_of
from plans.web.live.feed import inbox_frame
from plans.web.live.parts import Viewer, server_time
from plans.web.shown.asks import asks_shown
from plans.web.shown.run import run_shown


@never_cache
@require_safe
def run(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer what a socket would say to `?seq=`: new events, a snapshot, or a beat; with the inbox count."""
    viewer = _viewer(request, uuid)
    text = request.GET.get("seq", "")
    seq = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
    part = reading.catch_up(viewer.run_id or 0, seq, get_language() or "en")
    if part is None:
        raise Http404
    is_new = part.is_snapshot or part.events
    frame: JsonObject = part.frame(viewer) if is_new else {"type": "beat", "to": part.to, "server_time": server_time()}
    return JsonResponse({**frame, "inbox": _inbox(viewer)})


@never_cache
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"type": "beat", "server_time": server_time(), "inbox": _inbox(_viewer(request, None))})


@never_cache
@require_safe
def requests(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw what the run asks of this person."""
    user = member(request)
    row = get_run(user, uuid)
    asked, settled = asks_shown(row, queries.run_requests(row), user, timezone.now())
    return render(request, "plans/_requests.html", {"run": row, "asked": asked, "settled": settled})


@never_cache
@require_safe
def result(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Draw the result of a run that has ended; empty before."""
    row = get_run(member(request), uuid)
    return render(request, "plans/_result_area.html", {"run": row, "shown": run_shown(row, timezone.now())})


def _viewer(request: HttpRequest, uuid: UUID | None) -> Viewer:
    try:
        return viewer_of(member(request), uuid)
    except Refused as refusal:
        raise Http404 from refusal


def _inbox(viewer: Viewer) -> JsonObject:
    return inbox_frame(reading.waiting().for_viewer(viewer))
