"""Keep the children running: start, watch, restart with backoff, stop each by its leader and leave nothing behind."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from plans.supervise import logs, orphans
from plans.supervise.child import Child, Program
from plans.supervise.refusals import CannotStart
from plans.supervise.signals import Signals

logger = logging.getLogger(__name__)

READY_SECONDS = 90
# A worker uses PLANS_STOP_SECONDS for its steps; it then gives leases back, and a busy machine needs a moment for that.
STOP_MARGIN_SECONDS = 5.0
TICK_SECONDS = 1.0
TELL_STOP_SECONDS = 3.0
STARTING_TICK_SECONDS = 0.1


class Supervisor:
    """Runs the children until a signal says stop or one of them cannot be kept alive."""

    def __init__(self, programs: Sequence[Program], signals: Signals, *, stop_seconds: float) -> None:
        self.children = [Child(program=program) for program in programs]
        self.signals = signals
        self.stop_seconds = stop_seconds
        self._kill_wanted: set[str] = set()

    def kill_soon(self, name: str) -> None:
        """Have the child's group killed and started anew at the next look. May be called from another thread."""
        self._kill_wanted.add(name)

    def run(
        self, *, on_ready: Callable[[], None], on_start: Callable[[str], None], on_stop: Callable[[], None]
    ) -> None:
        """Run to the end. `on_ready` is called once, when all are ready; `on_stop` before a stop that takes a while.

        Raises CannotStart when a child does not get ready or keeps failing. No child is left in either case.
        """
        orphans.adopt()
        deadline = time.monotonic() + READY_SECONDS
        try:
            for child in self.children if not self.signals.stop_wanted else ():
                self._start(child, on_start)
            told = False
            while not self.signals.stop_wanted:
                self._look(on_start)
                if not told and self._all_ready(deadline):
                    told = True
                    on_ready()
                self.signals.wait(self._pause(told))
            self._stop(on_stop)
        finally:
            self._kill_all()

    def _start(self, child: Child, on_start: Callable[[str], None]) -> None:
        now = time.monotonic()
        child.start(now)
        on_start(child.program.name)
        logger.info("child started", extra={"child": child.program.name, "child_pid": child.pid})

    def _known(self) -> set[int]:
        return {child.pid for child in self.children if child.pid is not None}

    def _look(self, on_start: Callable[[str], None]) -> None:
        """See to each child: kill what is wedged, note what has ended, start what is due."""
        orphans.reap(self._known())
        for child in self.children:
            if child.program.name in self._kill_wanted:
                self._kill_wanted.discard(child.program.name)
                logger.error("child claims nothing while work is ready: killed", extra={"child": child.program.name})
                child.kill()
            if child.process and child.has_ended():
                self._note_end(child)
            if child.start_at is not None and time.monotonic() >= child.start_at:
                self._start(child, on_start)

    def _note_end(self, child: Child) -> None:
        """Clean up after an end nobody asked for, exit code 0 included, and plan the next start. Raises CannotStart."""
        now = time.monotonic()
        lived = now - child.started_at
        exit_code = child.clear()
        orphans.kill_orphans(self._known())
        delay = child.restarts.delay_after(lived)
        details = {"child": child.program.name, "exit_code": exit_code, "lived_seconds": round(lived, 1)}
        if delay is None:
            logger.error("child keeps ending: giving up", extra=details)
            raise CannotStart(
                "up_child_failed",
                name=child.program.name,
                times=child.restarts.quick_failures,
                exit_code=exit_code,
                reason=logs.last_line(child.program.log),
                log=str(child.program.log),
            )
        logger.error("child ended: starting it again", extra={**details, "delay_seconds": delay})
        child.start_at = now + delay

    def _all_ready(self, deadline: float) -> bool:
        """Tell whether all are ready. Raises CannotStart after the deadline."""
        for child in self.children:
            if not child.was_ready:
                child.was_ready = not child.has_ended() and child.program.is_ready()
            if not child.was_ready:
                if time.monotonic() > deadline:
                    name, log = child.program.name, str(child.program.log)
                    raise CannotStart("up_not_ready", name=name, seconds=READY_SECONDS, log=log)
                return False
        return True

    def _pause(self, told: bool) -> float:
        """Return how long to wait for a signal: a child that is due for a start is not kept waiting."""
        due = [child.start_at - time.monotonic() for child in self.children if child.start_at is not None]
        return min([TICK_SECONDS if told else STARTING_TICK_SECONDS, *due])

    def _stop(self, on_stop: Callable[[], None]) -> None:
        """Ask every leader to stop and wait; a second wish or the end of the time ends the waiting."""
        for child in self.children:
            child.ask_to_stop()
        began, told = time.monotonic(), False
        deadline = began + self.stop_seconds + STOP_MARGIN_SECONDS
        while not self.signals.now_wanted and time.monotonic() < deadline:
            orphans.reap(self._known())
            if all(child.has_ended() for child in self.children):
                return
            if not told and time.monotonic() - began > TELL_STOP_SECONDS:
                told = True
                on_stop()
            self.signals.wait(min(TICK_SECONDS / 4, deadline - time.monotonic()))
        late = [child.program.name for child in self.children if not child.has_ended()]
        logger.warning("children did not stop: killing them", extra={"children": late})

    def _kill_all(self) -> None:
        for child in self.children:
            child.kill()
        orphans.kill_orphans(())
