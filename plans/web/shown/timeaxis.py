"""The time axis of a timeline: moments to percent, with long idle stretches squeezed so that the busy ones stay readable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from plans.web.shown.values import duration

# An idle stretch longer than this share of all busy time (and than IDLE_SECONDS) is drawn as if it were that long.
IDLE_SHARE = 0.15
IDLE_SECONDS = 20.0
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
TICKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of real time (seconds from the start) and where it is drawn (seconds of the drawn axis)."""

    start: float
    end: float
    at: float
    width: float

    @property
    def is_squeezed(self) -> bool:
        return self.width < self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    x: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """A squeezed stretch: where it stands and how long it really was."""

    x: str
    width: str
    text: str


class Axis:
    """Maps moments between `start` and `end`; `busy` are the stretches in which something ran."""

    def __init__(self, start: datetime, end: datetime, busy: Iterable[tuple[datetime, datetime]]) -> None:
        self.start = start
        total = max((end - start).total_seconds(), 0.001)
        spans = merged([(self._seconds(first), self._seconds(last)) for first, last in busy], total)
        self.pieces = _pieces(spans, total)
        self.length = self.pieces[-1].at + self.pieces[-1].width

    def _seconds(self, at: datetime) -> float:
        return (at - self.start).total_seconds()

    def x(self, at: datetime) -> float:
        """Return where a moment stands, in percent; moments outside stand at the ends."""
        return self._percent(self._seconds(at))

    def _percent(self, seconds: float) -> float:
        for piece in self.pieces:
            if seconds <= piece.end:
                share = max(seconds - piece.start, 0) / max(piece.end - piece.start, 1e-9)
                return 100 * (piece.at + share * piece.width) / self.length
        return 100.0

    def idles(self) -> list[Idle]:
        return [
            Idle(
                x=f"{100 * piece.at / self.length:.3f}%",
                width=f"{100 * piece.width / self.length:.3f}%",
                text=duration(piece.end - piece.start),
            )
            for piece in self.pieces
            if piece.is_squeezed
        ]

    def ticks(self) -> list[Tick]:
        """Return about TICKS round times from the start, none inside a squeezed stretch."""
        step = next((step for step in STEPS if self.length / step <= TICKS), STEPS[-1])
        found: list[Tick] = []
        for piece in self.pieces:
            if piece.is_squeezed:
                continue
            at = -(-piece.start // step) * step
            # the last text would run over the edge
            while at < piece.end and self._percent(at) < 97:
                found.append(Tick(x=f"{self._percent(at):.3f}%", text=duration(at) if at else "0"))
                at += step
        return found


def merged(spans: Sequence[tuple[float, float]], total: float) -> list[tuple[float, float]]:
    """Return the union of `spans` within 0 … total, in order."""
    found: list[tuple[float, float]] = []
    for first, last in sorted((max(first, 0.0), min(last, total)) for first, last in spans):
        if last < first:
            continue
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _pieces(spans: Sequence[tuple[float, float]], total: float) -> list[Piece]:
    busy = sum(last - first for first, last in spans) or total
    longest = max(IDLE_SHARE * busy, IDLE_SECONDS)
    pieces: list[Piece] = []
    at, before = 0.0, 0.0
    for first, last in [*spans, (total, total)]:
        for start, end, most in ((before, first, longest), (first, last, last - first)):
            if end > start:
                width = min(end - start, most)
                pieces.append(Piece(start=start, end=end, at=at, width=width))
                at += width
        before = max(before, last)
    return pieces or [Piece(start=0.0, end=total, at=0.0, width=total)]
