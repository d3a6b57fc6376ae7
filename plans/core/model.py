"""The model as the rest of the product sees it: one call, one reply. `plans.llm` implements it; core knows no client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal, Protocol

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


class CallOutcome(StrEnum):
    """How a call ended, one per row of the ledger."""

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
    ) -> Reply:
        """Return the reply; with `schema` (JSON Schema within the limits of structured outputs) `data` holds to it.

        Raises `core.errors.ModelError` (a SkillError: the failure ladder knows what to do) when no usable reply came
        within the attempt's deadline, BudgetReached before a call that would pass the run's budget, SkillCancelled.
        """
