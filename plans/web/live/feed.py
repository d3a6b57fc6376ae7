"""One client's queue: bounded, coalescing, and dropped to "catch up later from the database" when the client is slow."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from plans.core.jsontypes import JsonObject
from plans.core.states import RequestKind
from plans.web.live.parts import Part, Viewer, Waiting
from plans.web.shown.states import NEEDS

PENDING_EVENTS = 2000


class Feed:
    """What one client still has to be told.

    It is filled from the moment it joins the tailer but gives nothing out between `hold` and `start`, so that what happens
    while the database is read for it is neither lost nor doubled.
    """

    def __init__(self, viewer: Viewer, language: str) -> None:
        self.viewer = viewer
        self.language = language
        self.is_behind = False
        self.has_failed = False
        self._is_started = viewer.run_id is None
        self._pending: Part | None = None
        # the last event taken in; what the tailer reads for others may begin before it
        self._to = 0
        self._waiting: Mapping[str, int] | None = None
        self._waiting_is_new = False
        self._something = asyncio.Event()

    @property
    def run_id(self) -> int | None:
        return self.viewer.run_id

    @property
    def pending_events(self) -> int:
        return len(self._pending.events) if self._pending else 0

    def offer(self, part: Part) -> None:
        """Take in what is new; more than the bound is forgotten and read again when the client is ready for it."""
        if self.is_behind or part.to <= self._to:
            return
        has_gap = self._is_started and part.since > self._to
        self._add(part)
        if has_gap or self.pending_events > PENDING_EVENTS:
            self.fall_behind()
        self._tell()

    def _add(self, part: Part) -> None:
        if self._pending is None:
            self._pending = part.after(self._to)
        else:
            self._pending.merge(part)
        self._to = part.to

    def offer_waiting(self, waiting: Waiting) -> None:
        counts = waiting.for_viewer(self.viewer)
        if counts != self._waiting:
            self._waiting, self._waiting_is_new = dict(counts), True
            self._tell()

    def hold(self) -> None:
        """Forget what there is and keep what comes while the database is read for this client."""
        self._pending, self._to, self.is_behind, self._is_started = None, 0, False, False

    def start(self, part: Part) -> None:
        """Begin with what was read for this client, then what came after it (too much of that: read again)."""
        held, self._pending = self._pending, None
        self._is_started, self._to = True, part.to
        if part.events or part.is_snapshot:
            self._pending = part.after(0)
        if held is not None and held.to > part.to:
            self._add(held)
        self._tell()

    def fall_behind(self) -> None:
        """Forget everything: the client asked for a snapshot."""
        self._pending, self.is_behind = None, True
        self._tell()

    def fail(self) -> None:
        """Nothing will come any more: the client has to connect anew."""
        self.has_failed = True
        self._something.set()

    async def wait(self, seconds: float) -> bool:
        """Wait until there is something to send; False when there is not after `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._something.wait()
        except TimeoutError:
            return False
        return True

    def take(self) -> list[JsonObject]:
        """Return the frames to send now: at most one of the run and one of the inbox."""
        frames: list[JsonObject] = []
        if self._pending is not None and self._is_started:
            part, self._pending = self._pending, self._pending.split()
            frames.append(part.frame(self.viewer))
        if self._waiting_is_new and self._waiting is not None:
            self._waiting_is_new = False
            frames.append(inbox_frame(self._waiting))
        if self._pending is None and not self.is_behind:
            self._something.clear()
        return frames

    def _tell(self) -> None:
        if self._is_started:
            self._something.set()


def inbox_frame(counts: Mapping[str, int]) -> JsonObject:
    """Return how many requests this person may decide, and what the title calls them."""
    kinds = list(counts)
    label = NEEDS[kinds[0] if len(kinds) == 1 else RequestKind.FAILURE] if kinds else ""
    return {"type": "inbox", "open": sum(counts.values()), "label": str(label)}
