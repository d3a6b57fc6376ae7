"""An outside service that counts what reaches it. No transaction of ours covers it."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Outside:
    """Counts arrivals by the task that caused them, and what was done: one effect for each idempotency key."""

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        self.keys: dict[str, set[str]] = {}
        self.port = 0
        self._guard = threading.Lock()

    def note(self, name: str, key: str) -> None:
        with self._guard:
            self.arrived[name] += 1
            self.keys.setdefault(name, set()).add(key)

    def effects(self, name: str) -> int:
        """Return how often it was done, by a service that does a thing once for each idempotency key."""
        return len(self.keys.get(name, ()))

    def call(self, context: Any) -> None:
        """Cause the effect, from a skill."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            headers = {"Idempotency-Key": context.idempotency_key}
            connection.request("POST", f"/{context.run_id}/{context.task_key}", headers=headers)
            assert connection.getresponse().status == 204
        finally:
            connection.close()


@contextmanager
def outside() -> Iterator[Outside]:
    """Serve on a free loopback port."""
    counted = Outside()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            counted.note(self.path[1:], self.headers["Idempotency-Key"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    counted.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield counted
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
