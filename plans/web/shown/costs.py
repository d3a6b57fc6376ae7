"""Money and tokens as people read them, and what was estimated beside what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from plans import queries
from plans.engine.ledger import Spent
from plans.models import Run
from plans.web.shown.values import duration, number

SMALL, CENT = Decimal("0.1"), Decimal("0.01")
# The share of a budget from which on a page warns.
NEAR = Decimal("0.8")


def usd(amount: Decimal | float | None) -> str:
    """Return an amount: `$2.76`, below ten cents as exact as `$0.0042`, `$0.00` for nothing; empty when not known."""
    if amount is None:
        return ""
    exact = Decimal(str(amount))
    if exact == 0 or exact >= SMALL:
        return f"${number(exact.quantize(CENT))}"
    return (
        f"${number(Decimal(f'{exact:.2g}').normalize())}" if exact >= Decimal("0.000001") else _("less than $0.000001")
    )


def spent_text(spent: Spent) -> str:
    """Return what calls took: the money whose price is known, and that more was spent where some is not."""
    if not spent.calls:
        return ""
    if spent.unpriced and not spent.usd:
        return _("cost unknown")
    return _("%(usd)s and more") % {"usd": usd(spent.usd)} if spent.unpriced else usd(spent.usd)


def tokens_text(count: int) -> str:
    """Return a number of tokens, in thousands and millions where that is exact enough."""
    if count < 1000:
        return ngettext("%(n)s token", "%(n)s tokens", count) % {"n": number(count)}
    if count < 1_000_000:
        return _("%(n)sk tokens") % {"n": _short(count / 1000)}
    return _("%(n)sM tokens") % {"n": _short(count / 1_000_000)}


def _short(amount: float) -> str:
    rounded = round(amount, 1 if amount < 10 else None)
    return number(int(rounded) if rounded == int(rounded) else rounded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What model calls took so far; `budget` and `is_near` (of its end) when the run has one. Empty `cost`: no call."""

    cost: str
    tokens: str
    budget: str = ""
    is_near: bool = False


def meter(run: Run, spent: Spent) -> Meter:
    budget, used = run.budget_usd, spent.tokens + spent.running_tokens
    tokens = tokens_text(used)
    if run.budget_tokens is not None:
        tokens = _("%(used)s of %(budget)s") % {"used": tokens, "budget": tokens_text(run.budget_tokens)}
    return Meter(
        cost=spent_text(spent),
        tokens=tokens,
        budget=usd(budget),
        is_near=(budget is not None and spent.usd + spent.running_usd >= NEAR * budget)
        or (run.budget_tokens is not None and used >= NEAR * run.budget_tokens),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What a step took: its last attempt's time, and what its model calls cost over all attempts."""

    seconds: float | None = None
    usd: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """Estimate and outcome, each empty where it is not known; `seconds` and `usd` are the estimate."""

    seconds: str = ""
    usd: str = ""
    took: str = ""
    cost: str = ""

    @property
    def text(self) -> str:
        # Most steps cost nothing: saying so at each would hide those that do.
        return ", ".join(filter(None, (self.seconds, self.usd if self.usd != usd(0) else "")))

    @property
    def outcome(self) -> str:
        return ", ".join(filter(None, (self.took, self.cost)))


def estimated(estimate: Mapping[str, Any], took: Took | None) -> Estimated:
    """Return an `{"seconds", "usd"}` of a plan beside what it took."""
    took = took or Took()
    return Estimated(
        seconds=duration(estimate.get("seconds")),
        usd=usd(estimate.get("usd")),
        took=duration(took.seconds),
        cost=usd(took.usd),
    )


def took(run: Run) -> dict[str, Took]:
    """Return what the ended steps of `run` took, by key, and the whole run under the empty key once it has ended."""
    if run.started_at is None:
        return {}
    costs = queries.usd_by_task(run)
    found = {
        key: Took(seconds=(end - start).total_seconds(), usd=costs.get(key))
        for key, start, end in queries.ended_steps(run)
    }
    if run.ended_at is not None:
        total = sum(costs.values(), Decimal(0)) if costs else None
        found[""] = Took(seconds=(run.ended_at - run.started_at).total_seconds(), usd=total)
    return found
