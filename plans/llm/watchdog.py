"""Ends a request nobody waits for any more: pings keep a connection open, and a blocked read asks no clock."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any

LOOK_SECONDS = 0.1


class Why(StrEnum):
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    SILENCE = "silence"


class Watchdog:
    """Watches one request from a thread of its own: `with` around it, `heard` for each piece that came.

    `hold` is given each connection as soon as there is one. Shutting its socket wakes the thread that reads; closing
    would not.
    """

    def __init__(self, *, deadline: float, silence_seconds: float, cancelled: Callable[[], bool]) -> None:
        self.why: Why | None = None
        self._deadline = deadline
        self._silence_seconds = silence_seconds
        self._cancelled = cancelled
        self._heard = time.monotonic()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._streams: list[Any] = []

    def __enter__(self) -> Watchdog:
        self._heard = time.monotonic()
        self._thread = threading.Thread(target=self._watch, name="model-watchdog", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def heard(self) -> None:
        self._heard = time.monotonic()

    def hold(self, stream: Any) -> None:
        """Take a network stream (httpcore's) to shut when the time is over."""
        with self._lock:
            self._streams.append(stream)
            if self.why is not None:
                _shut(stream)

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            why = self._reason()
            if why is not None:
                with self._lock:
                    self.why = why
                    for stream in self._streams:
                        _shut(stream)
                return

    def _reason(self) -> Why | None:
        now = time.monotonic()
        if self._cancelled():
            return Why.CANCELLED
        if now >= self._deadline:
            return Why.DEADLINE
        return Why.SILENCE if now - self._heard >= self._silence_seconds else None


def _shut(stream: Any) -> None:
    found = stream.get_extra_info("socket")
    if found is not None:
        with suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)
