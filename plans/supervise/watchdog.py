"""Decide when a cluster is wedged: work is ready, slots are idle, and still nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Pulse(Protocol):
    """What one look at the task table gives; `claims` only has to change when this host's cluster claims something."""

    @property
    def ready(self) -> int: ...
    @property
    def claims(self) -> int: ...
    @property
    def idle_slots(self) -> int: ...


@dataclass(kw_only=True)
class Watchdog:
    """Fed with each sweep's pulse. Times are monotonic seconds, given by the caller.

    After a gap of more than `longest_gap_seconds` between two looks it starts over: nobody knows what happened in it.
    """

    seconds: float
    longest_gap_seconds: float
    _claims: int | None = None
    _still_since: float | None = None
    _seen_at: float | None = None

    def is_wedged(self, pulse: Pulse, now: float) -> bool:
        """Take in one pulse; true when for `seconds` of continuous watching each one showed work that nobody took."""
        watched = self._seen_at is not None and now - self._seen_at <= self.longest_gap_seconds
        is_same = pulse.claims == self._claims
        self._claims, self._seen_at = pulse.claims, now
        if pulse.ready == 0 or pulse.idle_slots == 0:
            self._still_since = None
            return False
        if self._still_since is None or not (watched and is_same):
            self._still_since = now
        if now - self._still_since < self.seconds:
            return False
        self.begin(now)
        return True

    def begin(self, now: float) -> None:
        """Start over: the cluster was just started, it gets the whole time again."""
        self._still_since = now
