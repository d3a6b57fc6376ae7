"""What a watching page is told while a model writes: the stage, the end of its thoughts, the steps as they appear."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from plans.core.jsontypes import JsonObject
from plans.core.model import Progress
from plans.core.skill import Context

EVERY_SECONDS = 0.5
LONGEST_THOUGHT = 300
LONGEST_NAME = 60
MOST_NAMES = 20


@dataclass(slots=True)
class Watch:
    """Sends at most two events a second; `begin` names the stage, `see` takes a look at a reply being written."""

    context: Context
    now: Callable[[], float] = time.monotonic
    stage: str = ""
    before: list[str] = field(default_factory=list)
    """Names of steps from replies that are finished."""
    _sent_at: float = float("-inf")
    _sent: JsonObject = field(default_factory=dict)

    def begin(self, stage: str) -> None:
        self.stage = stage
        self._send({"stage": stage, "thinking": "", "tasks": self.before[-MOST_NAMES:], "count": len(self.before)})

    def see(self, look: Progress) -> None:
        if self.now() - self._sent_at < EVERY_SECONDS:
            return
        names = [*self.before, *names_in(look.text)]
        thinking = " ".join(look.thinking.split())[-LONGEST_THOUGHT:]
        self._send({"stage": self.stage, "thinking": thinking, "tasks": names[-MOST_NAMES:], "count": len(names)})

    def _send(self, data: JsonObject) -> None:
        if data != self._sent:
            self._sent_at, self._sent = self.now(), data
            self.context.progress(data)


def names_in(text: str) -> list[str]:
    """Return the names of the steps (or milestones) in JSON that is not finished; those cut in the middle wait."""
    start = text.find("{")
    if start < 0:
        return []
    try:
        found: Any = from_json(text[start:], allow_partial=True)
    except ValueError:
        return []
    parts = found.get("tasks") or found.get("milestones") if isinstance(found, dict) else None
    if not isinstance(parts, list):
        return []
    return [str(each["name"])[:LONGEST_NAME] for each in parts if isinstance(each, dict) and each.get("name")]
