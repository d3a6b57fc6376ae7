"""The tailer's one thread and database connection: `data_version` means nothing on any other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import connection

from plans.web.live import reading
from plans.web.live.parts import Part, Waiting

WAITING_SECONDS = 0.25
WAITING_AT_LEAST_SECONDS = 5.0
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is watched now: runs with the last seq read, the languages of their readers, and whether anyone counts requests."""

    seen: Mapping[int, int]
    languages: Mapping[int, frozenset[str]]
    counts: bool
    counts_now: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look found; `is_full` means there is more to read at once."""

    parts: Mapping[int, Mapping[str, Part]] = field(default_factory=dict)
    waiting: Waiting | None = None
    is_full: bool = False


class Reader:
    """Runs reads one after the other on a thread whose connection stays open."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tailer")
        self._version: int | None = None
        self._has_more = False
        self._covered: frozenset[int] = frozenset()
        self._counts_are_old = True
        self._counted_at = 0.0

    async def run(self, function: Callable[..., Found], *arguments: object) -> Found:
        """Call `function` on the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, function, *arguments)

    async def look(self, wanted: Wanted) -> Look:
        return await self.run(self._look, wanted)

    async def forget(self) -> None:
        """Close the connection after an error: the next look opens a new one and reads in any case."""
        await self.run(self._forget)

    async def close(self) -> None:
        self._executor.submit(_close)
        # What was submitted is done first; waiting for it must not hold up the loop.
        await asyncio.to_thread(self._executor.shutdown)

    def _look(self, wanted: Wanted) -> Look:
        moved = self._has_moved()
        self._counts_are_old |= moved
        # A run that has come since the last look may have moved before that look noted the version.
        is_new = not self._covered.issuperset(wanted.seen)
        seen = wanted.seen if moved or is_new or self._has_more else {}
        # Until every read has succeeded this look counts as not done: after an error it is done again.
        version, self._version = self._version, None
        parts = reading.changes(seen, wanted.languages) if seen else {}
        waiting = self._waiting(wanted)
        self._version, self._covered = version, frozenset(wanted.seen)
        events = sum(next(iter(by.values())).to - seen[run_id] for run_id, by in parts.items())
        self._has_more = events >= reading.EVENTS_AT_ONCE or len(parts) >= reading.RUNS_AT_ONCE
        return Look(parts=parts, waiting=waiting, is_full=self._has_more)

    def _waiting(self, wanted: Wanted) -> Waiting | None:
        """Count when something may have changed, not at every look; and every few seconds for changed rights."""
        age = time.monotonic() - self._counted_at
        due = age >= WAITING_SECONDS and (self._counts_are_old or age >= WAITING_AT_LEAST_SECONDS)
        if not wanted.counts or not (due or wanted.counts_now):
            return None
        waiting = reading.waiting()
        self._counts_are_old, self._counted_at = False, time.monotonic()
        return waiting

    def _has_moved(self) -> bool:
        """Tell whether anyone has committed since the last look; PostgreSQL cannot tell, so there it is always true."""
        if connection.vendor != "sqlite":
            return True
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA data_version")
            (version,) = cursor.fetchone()
        moved: bool = version != self._version
        self._version = version
        return moved

    def _forget(self) -> None:
        self._version, self._counts_are_old = None, True
        connection.close()


def _close() -> None:
    """Close the calling thread's connection (`connection.close` named elsewhere is that of the naming thread)."""
    connection.close()
