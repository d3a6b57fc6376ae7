"""Model calls as a slot reports them: slots touch no rows, so each beginning and end goes to the loop and is answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from plans.core.errors import LeaseLost, PlannerError
from plans.core.model import CallEnd, CallStart

ANSWER_SECONDS = 60.0
# After the attempt was told to stop the loop still commits what was spent; a process that ends does not for long.
STOPPING_SECONDS = 5.0


@dataclass(slots=True)
class Note:
    """A call that begins (`start`) or has ended (`call`, `ended`), or a question for an earlier reply, to the loop.

    The loop sets `call`, `found` or `refused`, then `answered`.
    """

    start: CallStart | None = None
    call: int = 0
    ended: CallEnd | None = None
    request_hash: str = ""
    found: str | None = None
    refused: PlannerError | None = None
    answered: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True, kw_only=True)
class SlotLedger:
    """The ledger of one attempt, `core.model.Ledger`. `send` hands a Note to the loop."""

    task_key: str
    attempt: int
    deadline: float
    stop: threading.Event
    send: Callable[[Note], None]

    def cancelled(self) -> bool:
        return self.stop.is_set()

    def begin(self, start: CallStart) -> int:
        return self._answered(Note(start=start)).call

    def recall(self, request_hash: str) -> str | None:
        return self._answered(Note(request_hash=request_hash)).found

    def end(self, call: int, ended: CallEnd) -> None:
        self._answered(Note(call=call, ended=ended))

    def _answered(self, note: Note) -> Note:
        self.send(note)
        sent = time.monotonic()
        while not note.answered.wait(0.5):
            waited = time.monotonic() - sent
            if waited > ANSWER_SECONDS or (self.stop.is_set() and waited > STOPPING_SECONDS):
                raise LeaseLost(task=self.task_key, attempt=self.attempt)
        if note.refused is not None:
            raise note.refused
        return note
