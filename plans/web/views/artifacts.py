"""Artifacts: download, and a look at reports and pictures that can do no harm to the page around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from functools import partial
from pathlib import Path
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from plans import storage
from plans.core.errors import SkillError
from plans.core.kinds import ValueKind
from plans.models import Artifact
from plans.web.access import get_artifact, member
from plans.web.shown.csv import as_csv
from plans.wording import sentence

CHUNK = 256 * 1024
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
# The files come from runs: they are shown without scripts, without an origin of their own and without any request.
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-store",
}


@require_safe
def download(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    artifact = get_artifact(member(request), uuid)
    return _send(request, artifact, artifact.media_type or "application/octet-stream", attached=True)


@require_safe
@xframe_options_sameorigin
def view(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """Show a report or a PNG in place; anything else is a download, whatever its name says."""
    artifact = get_artifact(member(request), uuid)
    if artifact.kind == ValueKind.HTML:
        return _send(request, artifact, "text/html; charset=utf-8", attached=False)
    if artifact.kind == ValueKind.IMAGE and _is_png(storage.local_path(artifact.blob_id)):
        return _send(request, artifact, "image/png", attached=False)
    return _send(request, artifact, "application/octet-stream", attached=True)


@require_safe
def table_csv(request: HttpRequest, uuid: UUID) -> HttpResponseBase:
    """Send a table as CSV, which more programs read than Parquet."""
    artifact = get_artifact(member(request), uuid)
    if artifact.kind != ValueKind.TABLE or not storage.local_path(artifact.blob_id).is_file():
        raise Http404
    try:
        text = as_csv(artifact)
    except SkillError as error:
        messages.error(request, sentence(error.code, error.params))
        return redirect("run", artifact.run.uuid)
    disposition = content_disposition_header(True, f"{artifact.name}.csv") or "attachment"
    headers = {**HEADERS, "Content-Disposition": disposition}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


def _is_png(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(PNG_MAGIC)) == PNG_MAGIC
    except FileNotFoundError as error:
        raise Http404 from error


def _send(request: HttpRequest, artifact: Artifact, media_type: str, *, attached: bool) -> HttpResponseBase:
    path = storage.local_path(artifact.blob_id)
    headers = {**HEADERS, "Content-Length": str(artifact.blob.size)}
    if disposition := content_disposition_header(attached, artifact.filename):
        headers["Content-Disposition"] = disposition
    if not path.is_file():
        raise Http404
    chunks = _chunks_async(path) if isinstance(request, ASGIRequest) else _chunks(path)
    return StreamingHttpResponse(chunks, content_type=media_type, headers=headers)


def _chunks(path: Path) -> Generator[bytes, None, None]:
    """Read a file piece by piece, so that a large one never lies in memory whole."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


async def _chunks_async(path: Path) -> AsyncIterator[bytes]:
    """Do the same off the event loop."""
    pieces = _chunks(path)
    try:
        while chunk := await sync_to_async(partial(next, pieces, b""), thread_sensitive=False)():
            yield chunk
    finally:
        pieces.close()
