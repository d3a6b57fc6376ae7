"""What a run leaves behind, piece by piece: events as JSON lines, logs, whole values, rows of tables."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Generator
from functools import partial
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from plans.core.errors import SkillError
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.models import Event, Run
from plans.web.access import get_artifact, get_attempt, get_run, get_task, member
from plans.web.address import number_of, with_changes
from plans.web.shown.events import kinds_wanted
from plans.web.shown.logs import log_shown
from plans.web.shown.panel import attempt_shown
from plans.web.shown.previews import rows_page
from plans.wording import sentence

LINES_AT_ONCE = 500
PRIVATE = {"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"}


@require_safe
def events(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Lead to the events of the run's page."""
    row = get_run(member(request), uuid)
    before = number_of(request.GET, "before")
    target = redirect("run", row.uuid)
    target["Location"] += with_changes(request.GET, tab="events") + (f"&before={before}" if before else "")
    return target


@require_safe
def export(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """Send the events, oldest first, one JSON document a line."""
    row = get_run(member(request), uuid)
    chunks = _lines(row, kinds_wanted(request.GET.getlist("kind")))
    headers = {**PRIVATE, "Content-Disposition": f'attachment; filename="events-{row.uuid}.jsonl"'}
    body = _apart(chunks) if isinstance(request, ASGIRequest) else chunks
    return StreamingHttpResponse(body, content_type="application/jsonl; charset=utf-8", headers=headers)


@require_safe
def log(request: HttpRequest, uuid: UUID) -> HttpResponse:
    row = get_run(member(request), uuid)
    attempt = get_attempt(row, request.GET.get("task", ""), number_of(request.GET, "attempt") or 0)
    if "download" in request.GET:
        headers = {**PRIVATE, "Content-Disposition": "attachment; filename=log.txt"}
        return HttpResponse(attempt.log, content_type="text/plain; charset=utf-8", headers=headers)
    context = {
        "run": row,
        "attempt": attempt,
        "shown": attempt_shown(attempt, timezone.now()),
        "log": log_shown(attempt.log, number_of(request.GET, "before"), size=1000),
    }
    return render(request, "plans/log.html", context)


@require_safe
def output(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Send one value of a task whole: as text if it is text, as JSON otherwise."""
    row = get_run(member(request), uuid)
    task = get_task(row, request.GET.get("task", ""))
    name = request.GET.get("name", "")
    if name not in (task.outputs or {}):
        raise Http404
    value = (task.outputs or {})[name]
    is_text = isinstance(value, str)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    kind = "text/plain" if is_text else "application/json"
    headers = {**PRIVATE, "Content-Security-Policy": "sandbox; default-src 'none'"}
    if "download" in request.GET:
        headers["Content-Disposition"] = f"attachment; filename=value.{'txt' if is_text else 'json'}"
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", headers=headers)


@require_safe
def rows(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show a table page by page."""
    artifact = get_artifact(member(request), uuid)
    if artifact.kind != ValueKind.TABLE:
        raise Http404
    try:
        table = rows_page(artifact, number_of(request.GET, "from") or 0)
    except SkillError as error:
        messages.error(request, sentence(error.code, error.params))
        return redirect("run", artifact.run.uuid)
    return render(request, "plans/rows.html", {"artifact": artifact, "run": artifact.run, "table": table})


def _lines(run: Run, kinds: Q | None) -> Generator[bytes, None, None]:
    """Yield the events a page of keys at a time, so that a long history never lies in memory whole."""
    rows = Event.objects.filter(run=run).select_related("actor").order_by("seq")
    if kinds is not None:
        rows = rows.filter(kinds)
    seq = 0
    while found := list(rows.filter(seq__gt=seq)[:LINES_AT_ONCE]):
        seq = found[-1].seq
        yield "".join(json.dumps(_event(event), ensure_ascii=False) + "\n" for event in found).encode()


def _event(event: Event) -> JsonObject:
    return {
        "seq": event.seq,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "task": event.task_key or None,
        "attempt": event.attempt or None,
        "actor": event.actor.get_username() if event.actor else None,
        "data": event.data or {},
    }


async def _apart(chunks: Generator[bytes, None, None]) -> AsyncIterator[bytes]:
    """Read off the event loop."""
    while chunk := await sync_to_async(partial(next, chunks, b""))():
        yield chunk
