"""Slots: threads that run skills and touch no rows. They hand what happened back to the loop through one queue."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from plans.core.skill import Runner
from plans.engine.steps import Ended, Glimpse, Job, Kept, Message, Stopped, Told, perform


@dataclass(slots=True)
class Active:
    """A job in a slot, as the loop sees it. `ends_at` is monotonic; `fenced_at` is set once it was told to stop."""

    job: Job
    ends_at: float
    fenced_at: float | None = None
    why: str = ""


@dataclass
class Slots:
    """`count` daemon threads. Made after the fork, kept for the life of the process."""

    count: int
    runner: Runner
    done: SimpleQueue[Ended | Message] = field(default_factory=SimpleQueue)
    active: dict[int, Active] = field(default_factory=dict)
    # threads whose job was fenced off and has not come back: they hold their slot
    stuck: set[tuple[int, int]] = field(default_factory=set)
    _jobs: SimpleQueue[Job] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        for number in range(self.count):
            threading.Thread(target=self._serve, name=f"slot-{number}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            self.done.put(perform(job, self.runner, self.done.put))

    @property
    def free(self) -> int:
        return self.count - len(self.active) - len(self.stuck)

    @property
    def is_exhausted(self) -> bool:
        """True when every slot is held by a step that does not come back: the process must be replaced."""
        return len(self.stuck) >= self.count

    def start(self, job: Job) -> None:
        seconds = job.claimed.timeout_seconds
        self.active[job.claimed.task_id] = Active(job=job, ends_at=time.monotonic() + seconds)
        self._jobs.put(job)

    def collect(self, wait_seconds: float) -> list[Ended | Message]:
        """Return what has ended; wait up to `wait_seconds` for the first. Late results of fenced jobs are dropped."""
        found: list[Ended | Message] = []
        try:
            found.append(self.done.get(timeout=wait_seconds) if wait_seconds > 0 else self.done.get_nowait())
            while True:
                found.append(self.done.get_nowait())
        except Empty:
            pass
        return [one for one in found if self._is_awaited(one)]

    def _is_awaited(self, one: Ended | Message) -> bool:
        if isinstance(one, Told):
            # What a call took is written down even when nobody waits for the step any more.
            return True
        claimed = one.claimed
        token = (claimed.task_id, claimed.attempt)
        if isinstance(one, Glimpse):
            return token not in self.stuck
        if isinstance(one, Kept):
            if token in self.stuck:
                one.checkpoint.committed.set()
                return False
            return True
        if token in self.stuck:
            self.stuck.discard(token)
            return False
        active = self.active.pop(claimed.task_id, None)
        if active is not None and isinstance(one, Stopped):
            one.why = active.why
        return True

    def fence(self, task_id: int) -> Job:
        """Give up on a job: its result will be dropped; its thread keeps the slot until it comes back."""
        job = self.active.pop(task_id).job
        self.stuck.add((task_id, job.claimed.attempt))
        return job
