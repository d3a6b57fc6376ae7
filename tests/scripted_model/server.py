"""The scripted model's server: standard library, one thread a connection, on a free port of loopback."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.scripted_model.script import Fault, Raw, Reply, Silence, Step, events_of, fault, message_of

PURPOSE_HEADER = "x-forethought-purpose"
KEY = "sk-test-scripted-0123456789"
MODELS = ("claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as it came in; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def purpose(self) -> str:
        return self.headers.get(PURPOSE_HEADER, "")

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def system(self) -> str:
        return _text(self.body.get("system", ""))

    @property
    def messages(self) -> list[tuple[str, str]]:
        return [(message["role"], _text(message["content"])) for message in self.body["messages"]]

    @property
    def prompt(self) -> str:
        """Everything the model was told: system text and all messages."""
        return "\n".join([self.system, *(text for _, text in self.messages)])

    @property
    def schema(self) -> Any:
        """The JSON Schema the answer is to hold to, however it was sent; None in the mode `prompt`."""
        if self.body.get("tools"):
            return self.body["tools"][0]["input_schema"]
        return self.body.get("output_config", {}).get("format", {}).get("schema")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content)


@dataclass
class ScriptedModel:
    """Answers `POST /v1/messages` from a queue, then by the responder, then with an error that no retry helps."""

    seen: list[Call] = field(default_factory=list)
    models: Iterable[str] = MODELS
    closing: threading.Event = field(default_factory=threading.Event)
    _queue: deque[Step] = field(default_factory=deque)
    _responder: Callable[[Call], Step] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> ScriptedModel:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What makes a started process use this model."""
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": KEY, "PLANS_MODEL_MODE": "format"}

    def say(self, *steps: Step) -> None:
        """Answer the next calls with these, one each."""
        with self._lock:
            self._queue.extend(steps)

    def respond(self, responder: Callable[[Call], Step]) -> None:
        """Answer whatever comes while the queue is empty. Called in the connection's thread."""
        self._responder = responder

    @property
    def calls(self) -> list[Call]:
        """The messages asked for so far."""
        return [call for call in list(self.seen) if call.path.split("?")[0] == "/v1/messages"]

    @property
    def left(self) -> int:
        return len(self._queue)

    def next_step(self, call: Call) -> Step:
        with self._lock:
            if self._queue:
                return self._queue.popleft()
        if self._responder is None:
            return fault(400, "the script has no reply for this call")
        try:
            return self._responder(call)
        except Exception as error:  # a mistake in a test must not look like a network fault
            return fault(400, f"the script failed: {error!r}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: ScriptedModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._record(None)
        if self.path.split("?")[0] == "/v1/models":
            rows = [{"id": name, "type": "model", "display_name": name} for name in self.server.model.models]
            self._send(200, json.dumps({"data": rows, "has_more": False}).encode())
        else:
            self._send_fault(fault(404, self.path))

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        call = self._record(json.loads(data or b"null"))
        path = self.path.split("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send(200, json.dumps({"input_tokens": len(data) // 4 + 1}).encode())
        elif path == "/v1/messages":
            try:
                self._serve(self.server.model.next_step(call), call.body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
        else:
            self._send_fault(fault(404, self.path))

    def _record(self, body: Any) -> Call:
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(method=self.command, path=self.path, headers=headers, body=body)
        self.server.model.seen.append(call)
        return call

    def _serve(self, step: Step, request: Mapping[str, Any]) -> None:
        self._wait(step.delay)
        if isinstance(step, Fault):
            self._send_fault(step)
        elif isinstance(step, Raw):
            self._send(step.status, step.body, {"content-type": step.content_type})
        elif isinstance(step, Silence):
            self._begin_stream({})
            self._be_silent(step, request)
        elif not request.get("stream"):
            self._send(200, json.dumps(message_of(step, request)).encode(), step.headers)
        else:
            self._begin_stream(step.headers)
            self._stream(step, request)

    def _wait(self, seconds: float) -> None:
        if seconds:
            self.server.model.closing.wait(seconds)

    def _begin_stream(self, headers: Mapping[str, str]) -> None:
        self.close_connection = True
        self._head(200, {"content-type": "text/event-stream", "connection": "close", **headers})

    def _stream(self, reply: Reply, request: Mapping[str, Any]) -> None:
        for number, (name, payload) in enumerate(events_of(reply, request)):
            if reply.cut_after is not None and number >= reply.cut_after:
                self._end_early(reply)
                return
            self._event(name, payload)
            self._wait(reply.drip)

    def _end_early(self, reply: Reply) -> None:
        if reply.error:
            self._event("error", {"error": dict(reply.error)})
        if reply.reset:
            # The file objects of the handler keep the socket open: take it away from them. Without lingering, closing
            # it sends RST and not FIN.
            connection = socket.socket(fileno=self.connection.detach())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

    def _be_silent(self, step: Silence, request: Mapping[str, Any]) -> None:
        for number, (name, payload) in enumerate(events_of(step.reply, request)):
            if number >= step.after:
                break
            self._event(name, payload)
        while not self.server.model.closing.wait(step.every):
            if step.pings:
                self._event("ping", {})
            elif self._client_is_gone():
                return

    def _client_is_gone(self) -> bool:
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        finally:
            self.connection.setblocking(True)

    def _event(self, name: str, payload: Mapping[str, Any]) -> None:
        self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **payload})}\n\n".encode())
        self.wfile.flush()

    def _send_fault(self, step: Fault) -> None:
        self._send(step.status, step.body, step.headers)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, {"content-type": "application/json", **(headers or {}), "content-length": str(len(body))})
        self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"request-id": f"req_{len(self.server.model.seen)}", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
