"""Ask the real client over HTTP: a ledger that keeps what it is told in memory, and short times."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from plans.core.errors import PlannerError
from plans.core.model import CallEnd, CallStart, Message, Purpose, Reply, Tier

# imported here and not within the first call: it takes seconds on a busy machine, and the deadlines here are short
from plans.llm import transport  # noqa: F401
from plans.llm.client import Client
from plans.llm.config import Config, Mode
from tests.scripted_model import ScriptedModel

KEY = "sk-test-0123456789abcdef"
SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["Red", "Blue"]}, "count": {"type": "integer", "minimum": 1}},
    "required": ["colour", "count"],
    "additionalProperties": False,
}
GOOD = {"colour": "Red", "count": 2}
MODELS = {Tier.SMALL: "claude-haiku-5-5", Tier.PLAN: "claude-sonnet-5-5", Tier.HARD: "claude-opus-5-5"}


@dataclass
class ListLedger:
    """Keeps calls in lists; `refuses` is raised instead of beginning one."""

    deadline: float
    begun: list[CallStart] = field(default_factory=list)
    ended: list[CallEnd] = field(default_factory=list)
    stopped: bool = False
    refuses: PlannerError | None = None
    known: dict[str, str] = field(default_factory=dict)

    def cancelled(self) -> bool:
        return self.stopped

    def begin(self, start: CallStart) -> int:
        if self.refuses:
            raise self.refuses
        self.begun.append(start)
        return len(self.begun)

    def recall(self, request_hash: str) -> str | None:
        return self.known.get(request_hash)

    def end(self, call: int, ended: CallEnd) -> None:
        assert call == len(self.begun)
        self.ended.append(ended)
        if ended.outcome == "ok":
            self.known[self.begun[-1].request_hash] = ended.reply_text


@dataclass
class Asking:
    """A client of a scripted model."""

    model: ScriptedModel
    seconds: float = 20
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ledger = ListLedger(deadline=time.monotonic() + self.seconds)
        values = {"base_url": self.model.url, "api_key": KEY, "mode": Mode.FORMAT, "models": MODELS}
        times = {"silence_seconds": 10, "retry_base_seconds": 0.02, "retry_cap_seconds": 0.1}
        self.client = Client(config=Config(**values | times | self.settings), ledger=self.ledger)

    def ask(self, text: str = "Which?", **more: Any) -> Reply:
        values = {"purpose": Purpose.DRAFT, "system": "be short", "messages": [Message(role="user", text=text)]}
        return self.client.ask(**values | {"schema": SCHEMA} | more)

    @property
    def outcomes(self) -> list[str]:
        return [str(ended.outcome) for ended in self.ledger.ended]
