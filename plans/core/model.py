"""The model as the rest of the product sees it: one call, one reply. `plans.llm` implements it; core knows no client."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias

from plans.core.jsontypes import Json, JsonObject


class Purpose(StrEnum):
    """What a call is for: decides the model, and is what the ledger groups by."""

    INTENT = "intent"
    DRAFT = "draft"
    REPAIR = "repair"
    REVIEW = "review"
    ALTERNATIVE = "alternative"
    REPLAN = "replan"
    ARGUMENTS = "arguments"
    SKILL = "skill"
    TEST = "test"


class Tier(StrEnum):
    """Which of the configured models answers: the cheap one, the usual one, the one for what is hard."""

    SMALL = "small"
    PLAN = "plan"
    HARD = "hard"


class CallOutcome(StrEnum):
    """How a call ended, one per row of the ledger. RUNNING rows hold what the call may cost at most, LOST ones as well."""

    RUNNING = "running"
    LOST = "lost"
    OK = "ok"
    REFUSED = "refused"
    CUT = "cut"
    INVALID = "invalid"
    ERROR = "error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens by kind. `input_tokens` leaves out what the cache wrote and read; `output_tokens` holds thinking."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens + self.cache_write_tokens + self.cache_read_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A look at a reply that is still being written: everything so far, not the difference."""

    thinking: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. `data` is the parsed JSON when a schema was given; `usd` is None where no price is known."""

    text: str
    model: str
    data: Json = None
    thinking: str = ""
    usage: Usage = field(default_factory=Usage)
    usd: Decimal | None = None
    request_id: str = ""
    reused: bool = False
    """True when an earlier reply to the very same request was taken: nothing was asked, and it cost nothing."""


class Model(Protocol):
    """A model bound to the ledger and the budget of one run, task and attempt."""

    def ask(
        self,
        *,
        purpose: Purpose,
        system: str,
        messages: Sequence[Message],
        schema: JsonObject | None = None,
        max_tokens: int = 16_000,
        effort: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        tier: Tier | None = None,
        reuse: bool = False,
    ) -> Reply:
        """Return the reply; with `schema` (a JSON Schema of type object) `data` holds to it.

        `effort` is low, medium, high or max, None the model's own; `tier` None: as the purpose says (`TIERS`).
        `reuse` takes the reply the owner of this run once got for the very same request, if there is one.
        `on_progress` is called in the asking thread, a few times a second; what it raises ends the call.

        Raises `core.errors.ModelError` (a SkillError: the failure ladder knows what to do) when no usable reply came
        within the attempt's deadline, BudgetReached before a call that would pass the run's budget, SkillCancelled.
        A reply that is no JSON or does not hold to `schema` is ModelError `model_reply_invalid`, one that broke off
        because of `max_tokens` is `model_out_of_tokens`: `error.reply` is then what came.
        """


TIERS: Mapping[Purpose, Tier] = {
    Purpose.INTENT: Tier.SMALL,
    Purpose.REVIEW: Tier.SMALL,
    Purpose.ARGUMENTS: Tier.SMALL,
    Purpose.SKILL: Tier.SMALL,
}
"""What is not here is for Tier.PLAN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStart:
    """A call about to be made: its exact request (redacted), and the most it can take."""

    purpose: Purpose
    model: str
    request_text: str
    request_hash: str = ""
    """Of the exact request: equal requests have equal ones. Empty where the answer is never to be reused."""
    most: Usage
    most_usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """How a call ended. `tries` counts requests: those that were refused without taking a token belong to one call."""

    outcome: CallOutcome
    problem: str = ""
    request_id: str = ""
    usage: Usage = field(default_factory=Usage)
    usd: Decimal | None = None
    latency_ms: int = 0
    tries: int = 1
    reply_text: str = ""
    thinking_text: str = ""


class Ledger(Protocol):
    """Where the calls of one attempt are written down: what a client is bound to."""

    deadline: float
    """`time.monotonic()` value after which nobody waits for a reply."""

    def cancelled(self) -> bool: ...

    def begin(self, start: CallStart) -> int:
        """Write the call down before it is made; return its number. Raises BudgetReached, LeaseLost."""

    def recall(self, request_hash: str) -> str | None:
        """Return what the model wrote when the owner of this run last made this request, None if that is not known."""

    def end(self, call: int, ended: CallEnd) -> None:
        """Write down how it ended; returns when that is committed. Raises LeaseLost."""


Connect: TypeAlias = Callable[[Ledger], Model]
