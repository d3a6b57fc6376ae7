"""Model calls as people read them: what for, which model, tokens by kind, money, how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from plans.core.model import CallOutcome, Purpose
from plans.models import ModelCall
from plans.web.shown.costs import usd
from plans.web.shown.values import duration
from plans.wording import sentence

PURPOSES: dict[str, str | Promise] = {
    Purpose.INTENT: _("Understanding the goal"),
    Purpose.DRAFT: _("Writing the plan"),
    Purpose.REPAIR: _("Mending the plan"),
    Purpose.REVIEW: _("Second opinion"),
    Purpose.ALTERNATIVE: _("Another plan"),
    Purpose.REPLAN: _("Planning the rest anew"),
    Purpose.ARGUMENTS: _("Other parameters"),
    Purpose.SKILL: _("A step"),
    Purpose.TEST: _("Test"),
}
OUTCOMES: dict[str, tuple[str | Promise, str, str]] = {
    CallOutcome.RUNNING: (_("Under way"), "running", "s-running"),
    CallOutcome.LOST: (_("Lost: its worker stopped answering"), "x", "s-failed"),
    CallOutcome.OK: (_("Answered"), "check", "s-success"),
    CallOutcome.REFUSED: (_("Refused"), "ban", "s-failed"),
    CallOutcome.CUT: (_("Cut off"), "x", "s-failed"),
    CallOutcome.INVALID: (_("Not usable"), "x", "s-failed"),
    CallOutcome.ERROR: (_("Failed"), "x", "s-failed"),
    CallOutcome.CANCELLED: (_("Cancelled"), "ban", "s-cancelled"),
}
AT_MOST = {CallOutcome.RUNNING, CallOutcome.LOST}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """One call. `is_most`: tokens and money are the most it can have taken, since nobody knows better."""

    call: ModelCall
    purpose: str | Promise
    outcome: str | Promise
    symbol: str
    css: str
    problem: str
    cost: str
    took: str
    is_most: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Tokens by kind, the money whose price is known, and how many calls have none."""

    calls: int
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    cost: str
    unpriced: int


def call_shown(call: ModelCall) -> CallShown:
    word, symbol, css = OUTCOMES[call.outcome]
    return CallShown(
        call=call,
        purpose=PURPOSES.get(call.purpose, call.purpose),
        outcome=word,
        symbol=symbol,
        css=css,
        problem=sentence(call.problem) if call.problem else "",
        cost=usd(call.usd) or _now("unknown"),
        took=duration(call.latency_ms / 1000) if call.latency_ms else "",
        is_most=call.outcome in AT_MOST,
    )


def totals(calls: Iterable[ModelCall]) -> Totals:
    rows = list(calls)
    priced = [row.usd for row in rows if row.usd is not None]
    return Totals(
        calls=len(rows),
        input_tokens=sum(row.input_tokens for row in rows),
        output_tokens=sum(row.output_tokens for row in rows),
        cache_write_tokens=sum(row.cache_write_tokens for row in rows),
        cache_read_tokens=sum(row.cache_read_tokens for row in rows),
        cost=usd(sum(priced, Decimal(0))) if priced or not rows else _now("unknown"),
        unpriced=len(rows) - len(priced),
    )
