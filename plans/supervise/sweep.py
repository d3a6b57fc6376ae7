"""The sweep loop: a thread of the supervisor that repairs what was lost and feeds the watchdog."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.db import Error, connection

from plans.supervise.watchdog import Pulse, Watchdog

logger = logging.getLogger(__name__)


class SweepLoop(threading.Thread):
    """Calls `sweep` every `seconds`; `on_wedged` is called when the watchdog has seen enough."""

    def __init__(
        self,
        sweep: Callable[[], Pulse],
        *,
        seconds: float,
        watchdog: Watchdog,
        is_working: Callable[[], bool],
        on_wedged: Callable[[], None],
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(name="sweep", daemon=True)
        self._sweep = sweep
        self._seconds = seconds
        self._watchdog = watchdog
        self._is_working = is_working
        self._on_wedged = on_wedged
        self._on_end = on_end
        self._stop_wanted = threading.Event()

    def run(self) -> None:
        """Sweep until asked to stop, with this thread's own database connection."""
        try:
            while not self._stop_wanted.wait(self._seconds):
                self._turn()
            self._end()
        finally:
            connection.close()

    def _turn(self) -> None:
        try:
            pulse = self._sweep()
        except Error:
            logger.exception("sweep failed: the database did not answer")
            connection.close()
            return
        except Exception:
            # The sweep is what repairs everything else: a fault in one turn must not be the end of it.
            logger.exception("sweep failed")
            return
        now = time.monotonic()
        if not self._is_working():
            self._watchdog.begin(now)
        elif self._watchdog.is_wedged(pulse, now):
            self._on_wedged()

    def _end(self) -> None:
        try:
            self._on_end()
        except Error:
            logger.exception("the database did not answer at the end")

    def stop(self) -> None:
        """Ask for the end and wait for the turn under way."""
        self._stop_wanted.set()
        if self.is_alive():
            self.join(timeout=30)
