"""What browsers refused by our content policy: one log line each, bounded, from anybody and therefore never trusted."""

from __future__ import annotations

import json
import logging

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

log = logging.getLogger(__name__)

LARGEST = 8192
LONGEST = 300
KEPT = ("document-uri", "effective-directive", "violated-directive", "blocked-uri", "source-file", "line-number")


@csrf_exempt
@require_POST
def report(request: HttpRequest) -> HttpResponse:
    """Log a report. Browsers send it without a session and without a CSRF token."""
    size = request.META.get("CONTENT_LENGTH") or "0"
    if not size.isdigit() or int(size) > LARGEST:
        return HttpResponse(status=413)
    try:
        found = json.loads(request.body)
    except ValueError:
        return HttpResponseBadRequest()
    body = found.get("csp-report") if isinstance(found, dict) else None
    if not isinstance(body, dict):
        return HttpResponseBadRequest()
    kept = {name: str(body[name])[:LONGEST] for name in KEPT if name in body}
    log.warning("content policy: %s", json.dumps(kept, ensure_ascii=True))
    return HttpResponse(status=204)
