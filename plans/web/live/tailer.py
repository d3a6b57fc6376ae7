"""One task per web process that follows the event table while somebody watches, and feeds every socket of the process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from weakref import WeakKeyDictionary

import structlog
from django.db import DatabaseError, connection

from plans.web.live import reading
from plans.web.live.feed import Feed
from plans.web.live.parts import Part, Waiting
from plans.web.live.reader import Look, Reader, Wanted

log = structlog.get_logger("plans.live")

SQLITE_SECONDS = 0.05
POSTGRES_SECONDS = 0.1
FIRST_BACKOFF_SECONDS = 0.1
LONGEST_BACKOFF_SECONDS = 5.0


class RunGone(Exception):
    """The run a client asked for is no longer there."""


class Tailer:
    """Nothing here is state of the product: whatever is lost with the process is read again from the database.

    It belongs to one event loop. The task and its connection live from the first `join` to the last `leave`.
    """

    def __init__(self) -> None:
        self._feeds: set[Feed] = set()
        self._seen: dict[int, int] = {}
        self._waiting: Waiting | None = None
        self._task: asyncio.Task[None] | None = None
        self._reader: Reader | None = None
        self._wake = asyncio.Event()

    @property
    def is_running(self) -> bool:
        return self._task is not None

    def join(self, feed: Feed) -> None:
        """Begin to fill `feed`; a feed of a run says nothing before `catch_up`."""
        self._feeds.add(feed)
        if self._waiting is not None:
            feed.offer_waiting(self._waiting)
        if self._task is None:
            self._reader = Reader()
            self._task = asyncio.create_task(self._tail(self._reader), name="tailer")
            self._task.add_done_callback(self._ended)
        self.wake()

    def leave(self, feed: Feed) -> None:
        """Stop filling `feed`; with the last one the task ends."""
        self._feeds.discard(feed)
        watched = {each.run_id for each in self._feeds}
        self._seen = {run_id: seq for run_id, seq in self._seen.items() if run_id in watched}
        if not self._feeds and self._task is not None:
            self._task.cancel()
            self._task = self._reader = self._waiting = None

    async def catch_up(self, feed: Feed, seq: int | None) -> None:
        """Read what `feed` lacks after `seq` and start it there. Raises RunGone, DatabaseError."""
        if self._reader is None or feed.run_id is None:
            raise RuntimeError("catch_up needs a feed of a run that has joined")
        feed.hold()
        part = await self._reader.run(reading.catch_up, feed.run_id, seq, feed.language)
        if part is None:
            raise RunGone
        if feed in self._feeds:
            self._seen.setdefault(feed.run_id, part.to)
            feed.start(part)

    def wake(self) -> None:
        """Look now rather than at the next tick: for whoever learns of a commit sooner (a subscription to Redis, a NOTIFY)."""
        self._wake.set()

    async def _tail(self, reader: Reader) -> None:
        backoff = 0.0
        try:
            while True:
                try:
                    look = await reader.look(self._wanted())
                    backoff = 0.0
                except DatabaseError as error:
                    backoff = min(max(backoff * 2, FIRST_BACKOFF_SECONDS), LONGEST_BACKOFF_SECONDS)
                    log.warning("tail_failed", error=str(error), again_in_seconds=backoff)
                    await reader.forget()
                    await asyncio.sleep(backoff)
                    continue
                self._deliver(look)
                await self._pause(0 if look.is_full else _tick_seconds())
        finally:
            await reader.close()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A tailer that died of a bug is seen in the log; its clients are sent away to come again, to a new one."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        log.error("tailer_died", exc_info=error)
        feeds, self._feeds, self._seen = self._feeds, set(), {}
        self._task = self._reader = self._waiting = None
        for feed in feeds:
            feed.fail()

    def _wanted(self) -> Wanted:
        languages: dict[int, set[str]] = defaultdict(set)
        for feed in self._feeds:
            if feed.run_id in self._seen:
                languages[feed.run_id].add(feed.language)
        return Wanted(
            seen={run_id: self._seen[run_id] for run_id in languages},
            languages={run_id: frozenset(each) for run_id, each in languages.items()},
            counts=bool(self._feeds),
            counts_now=self._waiting is None,
        )

    def _deliver(self, look: Look) -> None:
        if look.waiting is not None:
            self._waiting = look.waiting
        for feed in self._feeds:
            if look.waiting is not None:
                feed.offer_waiting(look.waiting)
            part = self._part_for(look, feed)
            if part is not None:
                feed.offer(part)
        for run_id, parts in look.parts.items():
            if run_id in self._seen:
                self._seen[run_id] = max(self._seen[run_id], *(part.to for part in parts.values()))

    def _part_for(self, look: Look, feed: Feed) -> Part | None:
        """Return what `look` has for `feed`: nothing in its language means it joined later, and its own reading has it."""
        return look.parts.get(feed.run_id, {}).get(feed.language) if feed.run_id is not None else None


def _tick_seconds() -> float:
    return SQLITE_SECONDS if connection.vendor == "sqlite" else POSTGRES_SECONDS


_tailers: WeakKeyDictionary[asyncio.AbstractEventLoop, Tailer] = WeakKeyDictionary()


def tailer() -> Tailer:
    """Return the tailer of the running event loop: a server has one, a test suite several."""
    return _tailers.setdefault(asyncio.get_running_loop(), Tailer())
