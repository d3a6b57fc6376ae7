"""Decide how long to wait before a child is started again, and when to give up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class Restarts:
    """Backoff of one child: doubles up to `longest_seconds`, forgotten after a life that was not quick."""

    quick_seconds: float = 10
    limit: int = 6
    first_seconds: float = 0.25
    longest_seconds: float = 8
    quick_failures: int = 0

    def delay_after(self, lived_seconds: float) -> float | None:
        """Return the seconds to wait after a life of `lived_seconds`, or None: too many quick failures in a row."""
        self.quick_failures = self.quick_failures + 1 if lived_seconds < self.quick_seconds else 1
        if self.quick_failures >= self.limit:
            return None
        return min(self.first_seconds * 2.0 ** (self.quick_failures - 1), self.longest_seconds)
