"""One request to the endpoint, streamed, and what came of it: the only module that knows the vendor's client."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message as Received

from plans.core import tokens
from plans.core.errors import ErrorClass
from plans.core.model import Progress, Usage
from plans.core.redaction import redact
from plans.llm import faults
from plans.llm.came import Came
from plans.llm.config import Config
from plans.llm.faults import Fault
from plans.llm.question import Question, arguments
from plans.llm.watchdog import Watchdog, Why

PURPOSE_HEADER = "x-forethought-purpose"
CONNECT_SECONDS = 10.0
TELL_SECONDS = 0.2
EVENT_STREAM = "text/event-stream"
# a gateway on this machine may want no key at all, the client wants one
NO_KEY = "none"


class _Told(Exception):
    """Carries what `on_progress` raised past the handling of the client's own errors."""


def send(
    config: Config, question: Question, watchdog: Watchdog, on_progress: Callable[[Progress], None] | None
) -> Came:
    """Make one request; every way it can end is in what is returned."""
    came = Came(model=question.model)
    is_stream = False
    try:
        with _client(config, question, watchdog) as client:
            request = client.messages.stream(**arguments(config, question))
            with request as stream:
                is_stream = EVENT_STREAM in stream.response.headers.get("content-type", "")
                came.request_id = stream.request_id or ""
                _listen(stream, came, watchdog, on_progress)
    except _Told as told:
        came.raised = told.args[0]
    except (anthropic.APIError, httpx2.HTTPError, httpx2.StreamError, ValueError, AssertionError, OSError) as error:
        came.fault = _fault(error, config, question, is_stream)
        came.request_id = getattr(error, "request_id", None) or came.request_id
    _note_why(came, watchdog)
    return came


def _client(config: Config, question: Question, watchdog: Watchdog) -> anthropic.Anthropic:
    def trace(name: str, info: dict[str, Any]) -> None:
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            watchdog.hold(info["return_value"])

    def watch(request: httpx2.Request) -> None:
        request.extensions["trace"] = trace

    # A little longer than the watchdog, which knows why it acts: this only bounds what the watchdog cannot reach.
    timeout = httpx2.Timeout(config.silence_seconds + 5, connect=CONNECT_SECONDS)
    headers = {PURPOSE_HEADER: question.purpose.value}
    if not config.is_claude and config.api_key:
        headers["x-api-key"] = config.api_key
    return anthropic.Anthropic(
        api_key=config.api_key or NO_KEY,
        base_url=config.url,
        max_retries=0,
        timeout=timeout,
        default_headers=headers,
        http_client=anthropic.DefaultHttpxClient(timeout=timeout, event_hooks={"request": [watch]}),
    )


def _listen(stream: Any, came: Came, watchdog: Watchdog, on_progress: Callable[[Progress], None] | None) -> None:
    told_at = 0.0
    try:
        for event in stream:
            # the client does not hand pings on
            watchdog.heard()
            came.began = True
            now = time.monotonic()
            if on_progress is not None and event.type in ("text", "thinking") and now - told_at >= TELL_SECONDS:
                told_at = now
                _take(came, stream.current_message_snapshot)
                _tell(on_progress, came)
        _take(came, stream.current_message_snapshot)
        if on_progress is not None:
            _tell(on_progress, came)
    except BaseException:
        # tokens of a stream that died were paid for as well
        if came.began:
            _take(came, stream.current_message_snapshot)
        raise


def _tell(on_progress: Callable[[Progress], None], came: Came) -> None:
    try:
        on_progress(Progress(thinking=came.thinking, text=came.text))
    except Exception as error:
        raise _Told(error) from error


def _take(came: Came, message: Received) -> None:
    """Copy what has come so far out of the message the client builds."""
    came.text = "".join(block.text for block in message.content if block.type == "text")
    came.thinking = "".join(block.thinking for block in message.content if block.type == "thinking")
    for block in message.content:
        if block.type == "tool_use":
            came.tool_input = block.input
    came.stop_reason, came.stop_details = message.stop_reason, message.stop_details
    came.model = message.model or came.model
    came.usage = _usage(came, message)


def _usage(came: Came, message: Received) -> Usage:
    counted = message.usage
    written = counted.output_tokens or 0
    if message.stop_reason is None:
        # The count comes with the end; until then it says 1, whatever was written.
        tool = json.dumps(came.tool_input, ensure_ascii=False) if came.tool_input else ""
        written = max(written, tokens.estimate(came.text + came.thinking + tool))
    return Usage(
        input_tokens=counted.input_tokens or 0,
        output_tokens=written,
        cache_write_tokens=counted.cache_creation_input_tokens or 0,
        cache_read_tokens=counted.cache_read_input_tokens or 0,
    )


def _fault(error: Exception, config: Config, question: Question, is_stream: bool) -> Fault:
    if isinstance(error, anthropic.APIStatusError):
        return _status_fault(error, config, question)
    if isinstance(error, (anthropic.APITimeoutError, httpx2.TimeoutException)):
        if not _is_connect(error):
            return faults.transient("model_silent")
        return faults.transient("model_unreachable", address=config.url, detail="no connection within the time")
    if isinstance(error, anthropic.APIConnectionError) and not isinstance(error, anthropic.APIResponseValidationError):
        return faults.transient(
            "model_unreachable", address=config.url, detail=_detail(error.__cause__ or error, config)
        )
    if isinstance(error, (httpx2.HTTPError, httpx2.StreamError, OSError)) or is_stream:
        # lost in the middle, closed before the first event, or an event that is no JSON
        return faults.transient("model_stream_cut")
    return faults.permanent("model_not_an_api", address=config.url)


def _is_connect(error: Exception) -> bool:
    return isinstance(error.__cause__, httpx2.ConnectTimeout) or isinstance(error, httpx2.ConnectTimeout)


def _detail(error: BaseException, config: Config) -> str:
    return redact(str(error) or type(error).__name__, [config.api_key])[: faults.DETAIL_LIMIT]


def _status_fault(error: anthropic.APIStatusError, config: Config, question: Question) -> Fault:
    status, kind = error.status_code, error.type or ""
    if not isinstance(error.body, dict) and status in (400, 404, 405, 501):
        # a page of a proxy or of another server, not an answer of this API
        return faults.permanent("model_not_an_api", address=config.url)
    detail = redact(str(error.api_message or error), [config.api_key])
    return faults.of_status(status, kind, detail, error.response.headers, question.model)


def _note_why(came: Came, watchdog: Watchdog) -> None:
    """Say why the watchdog ended the request, whatever the client made of it."""
    if watchdog.why is None or came.stop_reason is not None:
        return
    if watchdog.why == Why.CANCELLED:
        came.fault = faults.permanent("cancelled")
    elif watchdog.why == Why.DEADLINE:
        came.fault = faults.permanent("model_too_slow", ErrorClass.TIMEOUT)
    else:
        came.fault = faults.transient("model_silent")
