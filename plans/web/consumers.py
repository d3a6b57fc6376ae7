"""Sockets of the pages: frames of one run, or only the count of what waits. They carry nothing that changes state.

A client says `{"type": "seen", "seq": n}` after each frame of its run and `{"type": "snapshot"}` when it has a gap. It gets
frames `events` and `snapshot` (plans.web.live.parts), `inbox`, `beat` and `error`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from typing import Any
from urllib.parse import parse_qs

import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from plans.core.jsontypes import JsonObject
from plans.web.live.admission import NOT_FOUND, Refused, admit, language_of
from plans.web.live.feed import Feed
from plans.web.live.parts import Viewer, server_time
from plans.web.live.tailer import RunGone, tailer

log = structlog.get_logger("plans.live")

# 9 frames a second: a clock that runs a little fast still sees no more than 10.
FRAME_SECONDS = 0.11
BEAT_SECONDS = 2.0
RECHECK_SECONDS = 3.0
# daphne buffers without bound for a client that does not read, so frames beyond these wait for their "seen".
FRAMES_UNSEEN = 8
STALLED_SECONDS = 60.0
MESSAGE_BYTES = 1024
ERRORS = 20
# Autobahn lets an application send no code below 3000; these are named like their HTTP relatives.
TRY_AGAIN, TOO_BIG, TOO_MANY = 4503, 4413, 4429


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """One browser tab. What it was told is kept by the tab; this object may vanish at any time."""

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.feed: Feed | None = None
        self.sender: asyncio.Task[None] | None = None
        self.unseen: deque[int] = deque()
        self.seen = asyncio.Event()
        self.asked = False
        self.errors = 0
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Also when daphne stops or drops us without a disconnect.
            if self.feed is not None:
                tailer().leave(self.feed)
            if self.sender is not None:
                self.sender.cancel()

    async def connect(self) -> None:
        # Accepted before it may be refused: a browser shows its page only the close code of an accepted socket.
        await self.accept()
        self.sender = asyncio.create_task(self.serve())
        self.sender.add_done_callback(complain)

    async def admitted(self) -> Viewer:
        self.checked_at = time.monotonic()
        return await admit(self.scope.get("cookies", {}), self.scope["url_route"]["kwargs"].get("uuid"))

    async def serve(self) -> None:
        """Tell the client what there is until it may not look any more; end by closing."""
        code = TRY_AGAIN
        try:
            feed = await self.begin()
            while not feed.has_failed:
                await self.send_next(feed)
        except Refused as refusal:
            code = refusal.code
        except RunGone:
            code = NOT_FOUND
        except DatabaseError as error:
            log.warning("socket_failed", error=str(error))
        except TimeoutError:
            log.info("socket_stalled")
        await self.close(code)

    async def begin(self) -> Feed:
        """Join the tailer, then read what this client lacks. Raises Refused, RunGone, DatabaseError."""
        viewer = await self.admitted()
        self.feed = feed = Feed(viewer, language_of(self.scope))
        tailer().join(feed)
        if viewer.run_id is not None:
            await tailer().catch_up(feed, number(self.scope))
        if self.asked:
            feed.fall_behind()
        return feed

    async def send_next(self, feed: Feed) -> None:
        """Send what is there, or a beat after a while without; then let more come together. Raises Refused, TimeoutError."""
        has_something = await feed.wait(BEAT_SECONDS)
        await self.room()
        if feed.is_behind:
            await tailer().catch_up(feed, None)
        frames = feed.take()
        await self.recheck(feed, now=any(frame.get("requests", {}).get("changed") for frame in frames))
        for frame in frames:
            if "to" in frame:
                self.unseen.append(frame["to"])
            await self.say(frame)
        if frames:
            await asyncio.sleep(FRAME_SECONDS)
        elif not has_something:
            await self.say({"type": "beat", "server_time": server_time()})

    async def room(self) -> None:
        """Wait until the client has seen enough of what it was sent; meanwhile its feed coalesces. Raises TimeoutError."""
        async with asyncio.timeout(STALLED_SECONDS):
            while len(self.unseen) >= FRAMES_UNSEEN:
                self.seen.clear()
                await self.seen.wait()

    async def recheck(self, feed: Feed, *, now: bool) -> None:
        """Ask again what the person may see: every few seconds, and after each decision. Raises Refused."""
        if now or time.monotonic() - self.checked_at >= RECHECK_SECONDS:
            feed.viewer = await self.admitted()

    async def say(self, frame: JsonObject) -> None:
        await self.send(text_data=json.dumps(frame, ensure_ascii=False, separators=(",", ":")))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if len(text_data or bytes_data or "") > MESSAGE_BYTES:
            await self.close(TOO_BIG)
        elif not self.understood(text_data):
            self.errors += 1
            if self.errors > ERRORS:
                await self.close(TOO_MANY)
            else:
                await self.say({"type": "error", "code": "unknown_message"})

    def understood(self, text: str | None) -> bool:
        """Take in a message; False for one that is none of ours."""
        try:
            message = json.loads(text or "")
        except ValueError:
            return False
        match message:
            case {"type": "seen", "seq": int(seq)}:
                while self.unseen and self.unseen[0] <= seq:
                    self.unseen.popleft()
                self.seen.set()
            case {"type": "snapshot"} if "uuid" in self.scope["url_route"]["kwargs"]:
                self.asked = True
                if self.feed is not None:
                    self.feed.fall_behind()
            case _:
                return False
        return True


def complain(task: asyncio.Task[None]) -> None:
    """A sender that died of a bug must be seen; its client misses the beat and comes again."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("sender_died", exc_info=error)


def number(scope: dict[str, Any]) -> int | None:
    """Return the `seq` of the address; anything that is no number asks for a snapshot."""
    text = parse_qs(scope["query_string"].decode("latin-1")).get("seq", [""])[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
