"""What can go wrong with a request, as a value: what to call it, whether asking again can help, and who else can."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plans.core.errors import ErrorClass, ModelError

DETAIL_LIMIT = 300
TRANSIENT_TYPES = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
TRANSIENT_STATUS = frozenset({408, 409, 425, 429})
TYPE_OF_STATUS = {401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """`again` tells whether the same request may succeed; `retry_after` is what the endpoint asked for, in seconds."""

    code: str
    error_class: ErrorClass
    again: bool = False
    retry_after: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def error(self) -> ModelError:
        wait = {} if self.retry_after is None else {"wait": round(self.retry_after)}
        return ModelError(self.code, self.error_class, self.retry_after, **self.params, **wait)


def transient(code: str, *, retry_after: float | None = None, **params: Any) -> Fault:
    return Fault(code=code, error_class=ErrorClass.TRANSIENT, again=True, retry_after=retry_after, params=params)


def permanent(code: str, error_class: ErrorClass = ErrorClass.PERMANENT, **params: Any) -> Fault:
    return Fault(code=code, error_class=error_class, params=params)


def of_status(status: int, kind: str, detail: str, headers: Mapping[str, str], model: str) -> Fault:
    """Return the fault of an answer with an error: `kind` is its type, which alone counts for an error in a stream."""
    detail = detail[:DETAIL_LIMIT]
    kind = kind or TYPE_OF_STATUS.get(status, "")
    if is_transient(status, kind) and headers.get("x-should-retry") != "false":
        code = (
            "model_busy" if kind in ("rate_limit_error", "overloaded_error") or status in (429, 529) else "model_down"
        )
        return transient(code, retry_after=retry_after(headers), status=status, detail=detail)
    person = ErrorClass.NEEDS_PERSON
    if kind == "authentication_error":
        return permanent("model_key_refused", person, detail=detail)
    if kind == "billing_error" or "credit balance" in detail.lower():
        return permanent("model_no_credit", person, detail=detail)
    if kind == "permission_error":
        return permanent("model_not_allowed", person, model=model, detail=detail)
    if kind == "not_found_error":
        return permanent("model_unknown", model=model, detail=detail)
    if status == 413 or "prompt is too long" in detail.lower():
        return permanent("model_context_full", ErrorClass.BAD_INPUT, detail=detail)
    return permanent("model_request_rejected", status=status, detail=detail)


def is_transient(status: int, kind: str) -> bool:
    # an error in a stream comes with the status the stream began with: then its type alone counts
    return status in TRANSIENT_STATUS or status >= 500 or (status < 400 and kind in TRANSIENT_TYPES)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an answer asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        pass
    try:
        due = email.utils.parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return max(0.0, due.timestamp() - time.time())
