"""What this supervisor tells the others: that it lives, what it runs, and a probe in the storage they share."""

from __future__ import annotations

import socket
import time

from django.conf import settings

from plans.engine import hosts
from plans.supervise.version import version

TELL_SECONDS = 5.0


class Presence:
    """One supervisor's row. `tell` is called every second or so and writes now and then."""

    def __init__(self, *, has_web: bool, has_workers: bool) -> None:
        name = settings.PLANS_HOST_NAME or socket.gethostname()
        # Web and workers of one machine may be two supervisors.
        part = "" if has_web == has_workers else (" (web)" if has_web else " (workers)")
        self.name = name[:100] + part
        self.has_web, self.has_workers = has_web, has_workers
        self._told_at: float | None = None

    def tell(self) -> None:
        now = time.monotonic()
        if self._told_at is None:
            workers = settings.PLANS_WORKERS if self.has_workers else 0
            slots = workers * settings.PLANS_SLOTS_PER_WORKER
            hosts.announce(self.name, version=version(), has_web=self.has_web, workers=workers, slots=slots)
        elif now - self._told_at < TELL_SECONDS:
            return
        else:
            hosts.seen(self.name)
        self._told_at = now

    def count_restart(self) -> None:
        hosts.restarted(self.name)

    def leave(self) -> None:
        if self._told_at is not None:
            hosts.left(self.name)
