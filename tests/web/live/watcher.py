"""A page without a browser: connects to the socket of a run, follows the rules of static/plans/live.js, notes what it saw."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.processes import session_cookie

Frame = dict[str, Any]


@dataclass
class Watcher:
    """What one tab knows; `numbers` are the events it took in, in the order it got them."""

    socket: ClientConnection
    seq: int = 0
    tasks: dict[str, Frame] = field(default_factory=dict)
    run: Frame = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    inbox: int | None = None
    sees: bool = True

    @property
    def states(self) -> dict[str, str]:
        return {key: task["state"] for key, task in self.tasks.items()}

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def take(self, timeout: float = 20) -> Frame:
        """Receive one frame and take it in. Raises ConnectionClosed, TimeoutError."""
        frame = json.loads(self.socket.recv(timeout=timeout))
        self.frames.append(frame)
        self.times.append(time.monotonic())
        if frame["type"] == "inbox":
            self.inbox = frame["open"]
        if frame["type"] in {"events", "snapshot"}:
            self._take_in(frame)
        return frame

    def _take_in(self, frame: Frame) -> None:
        if frame["type"] == "events":
            assert frame["from"] <= self.seq + 1, "a gap"
            self.numbers += [event["seq"] for event in frame["events"] if event["seq"] > self.seq]
        elif not self.numbers:
            self.numbers = list(range(1, frame["to"] + 1))
        self.seq = max(self.seq, frame["to"])
        self.tasks |= {task["key"]: task for task in frame["tasks"]}
        self.run = frame["run"]
        if self.sees:
            self.say(type="seen", seq=self.seq)

    def until(self, condition: Callable[[Watcher], Any], timeout: float = 30) -> Watcher:
        """Take frames until `condition` holds."""
        deadline = time.monotonic() + timeout
        while not condition(self):
            assert time.monotonic() < deadline, (self.seq, self.run, self.states)
            with suppress(TimeoutError):
                self.take(timeout=1)
        return self

    def closed_with(self, timeout: float = 20) -> int:
        """Take frames until the server closes; return the code."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                self.take(timeout=1)
            except TimeoutError:
                continue
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0
        raise AssertionError("the socket is still open")


def headers(user: User | None) -> dict[str, str]:
    cookies = session_cookie(user) if user is not None else {}
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}


@contextmanager
def watching(
    url: str, path: str, user: User | None = None, *, seq: int | None = None, cookie: dict[str, str] | None = None
) -> Iterator[Watcher]:
    """Connect as a page of the site does; `seq` is what the page was drawn with."""
    address = url.replace("http", "ws", 1) + path + (f"?seq={seq}" if seq is not None else "")
    head = cookie if cookie is not None else headers(user)
    with connect(address, origin=url, additional_headers=head, proxy=None, max_size=None, close_timeout=2) as socket:
        yield Watcher(socket, seq=seq or 0, numbers=list(range(1, (seq or 0) + 1)))


def refusal(url: str, path: str, *, origin: str | None, head: dict[str, str]) -> int:
    """Return the HTTP status with which a handshake is refused, or 101."""
    address = url.replace("http", "ws", 1) + path
    try:
        with connect(address, origin=origin, additional_headers=head, proxy=None, close_timeout=2):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code
