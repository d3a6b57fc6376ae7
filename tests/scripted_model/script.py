"""What a scripted model can answer, as values, and the server-sent events of a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
USAGE = {"input_tokens": 1000, "output_tokens": 200}
NUMBERS = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A message. `data` is sent as text, or as the input of the tool when the request forces one."""

    text: str = ""
    data: Any = None
    thinking: str = ""
    stop_reason: str | None = "end_turn"
    stop_details: Mapping[str, Any] | None = None
    usage: Mapping[str, int] = field(default_factory=lambda: dict(USAGE))
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    """Seconds before the first byte."""
    drip: float = 0.0
    """Seconds between two events."""
    piece: int = 24
    """Characters of a delta."""
    cut_after: int | None = None
    """Events after which the connection ends: cleanly, or by `reset`, or after an `error` event."""
    reset: bool = False
    error: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An answer with a status of failure."""

    status: int
    message: str = "scripted fault"
    type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0

    @property
    def body(self) -> bytes:
        usual = "api_error" if self.status >= 500 else "invalid_request_error"
        kind = self.type or ERROR_TYPES.get(self.status, usual)
        return json.dumps({"type": "error", "error": {"type": kind, "message": self.message}}).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Bytes that are no Messages API at all."""

    body: bytes
    status: int = 200
    content_type: str = "text/html"
    delay: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A stream that begins (`after` events of `reply`), then brings nothing more, or pings only, until the client goes."""

    pings: bool = False
    every: float = 0.02
    after: int = 1
    reply: Reply = field(default_factory=Reply)
    delay: float = 0.0


Step: TypeAlias = Reply | Fault | Raw | Silence


def said(text: str, **more: Any) -> Reply:
    """Answer with plain text."""
    return Reply(text=text, **more)


def answer(data: Any, **more: Any) -> Reply:
    """Answer with JSON, in the form the request asks for."""
    return Reply(data=data, **more)


def refusal(category: str | None = "general_harms", explanation: str = "declined in a test", **more: Any) -> Reply:
    details = {"type": "refusal", "category": category, "explanation": explanation}
    return Reply(stop_reason="refusal", stop_details=details, **more)


def out_of_tokens(text: str, **more: Any) -> Reply:
    """End in the middle because `max_tokens` was reached."""
    return Reply(text=text, stop_reason="max_tokens", **more)


def cut(reply: Reply, after: int, **more: Any) -> Reply:
    """Return `reply` so that its connection ends after `after` events; `reset=True` or `error={…}` say how."""
    names = Reply.__dataclass_fields__
    return Reply(**{name: getattr(reply, name) for name in names} | {"cut_after": after} | more)


def fault(
    status: int, message: str = "scripted fault", *, retry_after: float | str | None = None, **more: Any
) -> Fault:
    headers = {**more.pop("headers", {})}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    return Fault(status=status, message=message, headers=headers, **more)


def page(html: str = "<html><body>Gateway</body></html>", **more: Any) -> Raw:
    """Answer with a web page and status 200, as a captive portal or a wrong address does."""
    return Raw(body=html.encode(), **more)


def silence(*, pings: bool = False, **more: Any) -> Silence:
    return Silence(pings=pings, **more)


def blocks_of(reply: Reply, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the content blocks of a reply to `request`."""
    blocks: list[dict[str, Any]] = []
    if reply.thinking:
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": "signed"})
    forced = request.get("tool_choice", {}).get("type") in ("any", "tool")
    if reply.data is not None and forced:
        name = request["tools"][0]["name"]
        blocks.append({"type": "tool_use", "id": f"toolu_{next(NUMBERS)}", "name": name, "input": reply.data})
    elif reply.data is not None:
        blocks.append({"type": "text", "text": json.dumps(reply.data, ensure_ascii=False)})
    elif reply.text:
        blocks.append({"type": "text", "text": reply.text})
    return blocks


def message_of(reply: Reply, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole message, as a request without `stream` gets it."""
    blocks = blocks_of(reply, request)
    uses_tool = any(block["type"] == "tool_use" for block in blocks)
    stop_reason = "tool_use" if uses_tool and reply.stop_reason == "end_turn" else reply.stop_reason
    return {
        "id": f"msg_{next(NUMBERS)}",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "stop_details": reply.stop_details,
        "usage": dict(reply.usage),
    }


def events_of(reply: Reply, request: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and payload of each event of the stream."""
    message = message_of(reply, request)
    started = {"content": [], "stop_reason": None, "stop_details": None, "usage": {**reply.usage, "output_tokens": 1}}
    yield "message_start", {"message": message | started}
    yield "ping", {}
    for index, block in enumerate(message["content"]):
        empty, deltas = _block_events(block, reply.piece)
        yield "content_block_start", {"index": index, "content_block": empty}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    delta = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    yield "message_delta", {"delta": delta, "usage": {"output_tokens": reply.usage["output_tokens"]}}
    yield "message_stop", {}


def _block_events(block: Mapping[str, Any], piece: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, _deltas("text", block["text"], piece)
    if block["type"] == "thinking":
        signed = {"type": "signature_delta", "signature": block["signature"]}
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        return empty, [*_deltas("thinking", block["thinking"], piece), signed]
    written = json.dumps(block["input"], ensure_ascii=False)
    return {**block, "input": {}}, _deltas("partial_json", written, piece, kind="input_json_delta")


def _deltas(key: str, text: str, piece: int, kind: str = "") -> list[dict[str, Any]]:
    kind = kind or f"{key}_delta"
    return [{"type": kind, key: text[at : at + piece]} for at in range(0, len(text), piece)]
