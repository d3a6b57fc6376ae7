"""Signals as something to wait for: a pipe wakes the loop, so nothing is done inside a handler."""

from __future__ import annotations

import os
import select
import signal
import time
from types import FrameType

# One Ctrl-C can reach us twice (the terminal's group and `make` passing it on): a second wish is one a while later.
SAME_WISH_SECONDS = 1.0


class Signals:
    """Counts wishes to stop and wakes `wait` for them and for every child that ends."""

    def __init__(self) -> None:
        self._reader, writer = os.pipe()
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self.stop_wanted = False
        self.now_wanted = False
        self._first_at = 0.0
        stopping = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # ignored under nohup, and so it stays
            stopping.append(signal.SIGHUP)
        for number in stopping:
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.stop_wanted:
            self.stop_wanted, self._first_at = True, now
        elif now - self._first_at > SAME_WISH_SECONDS:
            self.now_wanted = True

    def wait(self, seconds: float) -> None:
        """Wait for any signal, at most `seconds`."""
        ready, _, _ = select.select([self._reader], [], [], max(0.0, seconds))
        if ready:
            os.read(self._reader, 4096)
