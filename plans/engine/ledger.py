"""The cost ledger: a row per model call, written when it begins and when it ends; what a run has spent; its budget."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import structlog
from django.db import OperationalError, connection
from django.db.models import Count, F, Q, QuerySet, Sum

from plans import events
from plans.core.errors import BudgetReached, LeaseLost, PlannerError
from plans.core.kinds import EventKind
from plans.core.model import CallEnd, CallOutcome, CallStart
from plans.core.redaction import MASK
from plans.core.storable import storable
from plans.engine.boundaries import Boundary
from plans.engine.calls import Note
from plans.engine.hot import Claimed
from plans.engine.sql import transact
from plans.events import Line
from plans.models import ModelCall, Run, Task

log = structlog.get_logger("plans.engine")

TOKENS = F("input_tokens") + F("output_tokens") + F("cache_write_tokens") + F("cache_read_tokens")
OPEN = Q(outcome=CallOutcome.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What model calls took. `unpriced` counts calls whose price is not known: they are not part of `usd`.

    `running_usd` and `running_tokens` are the most that calls under way can still take.
    """

    usd: Decimal = Decimal(0)
    tokens: int = 0
    calls: int = 0
    unpriced: int = 0
    running_usd: Decimal = Decimal(0)
    running_tokens: int = 0


def spent(run_id: int) -> Spent:
    """Return what the model calls of a run have taken so far."""
    return total(ModelCall.objects.filter(run_id=run_id))


def total(calls: QuerySet[ModelCall]) -> Spent:
    """Return what `calls` took."""
    found = calls.aggregate(
        known=Sum("usd", filter=~OPEN),
        tokens=Sum(TOKENS, filter=~OPEN),
        calls=Count("pk"),
        unpriced=Count("pk", filter=~OPEN & Q(usd__isnull=True)),
        open_usd=Sum("usd", filter=OPEN),
        open_tokens=Sum(TOKENS, filter=OPEN),
    )
    return Spent(
        usd=found["known"] or Decimal(0),
        tokens=found["tokens"] or 0,
        calls=found["calls"],
        unpriced=found["unpriced"],
        running_usd=found["open_usd"] or Decimal(0),
        running_tokens=found["open_tokens"] or 0,
    )


def keep(claimed: Claimed, note: Note) -> None:
    """Commit what a slot reported and answer it. Raises OperationalError; the note may then be tried again."""
    try:
        if note.start is not None:
            note.call = begin(note.start, claimed)
        elif note.ended is not None:
            end(note.call, note.ended, claimed)
        elif note.request_hash:
            note.found = recall(claimed.run_id, note.request_hash)
    except OperationalError:
        raise
    except PlannerError as error:
        note.refused = error
    except Exception:
        # the slot waits for an answer, and the loop must go on
        log.exception("model_call_not_kept", task=claimed.key, attempt=claimed.attempt)
        note.refused = LeaseLost(task=claimed.key, attempt=claimed.attempt)
    note.answered.set()


def begin(start: CallStart, claimed: Claimed | None = None) -> int:
    """Write down a call before it is made and return its number; without `claimed` it belongs to no run.

    Raises LeaseLost when the attempt is over, BudgetReached when the run cannot pay for the most it can take.
    """

    def work() -> int:
        if claimed is not None:
            _hold(claimed)
            _check_budget(claimed.run_id, start)
        row = ModelCall.objects.create(
            run_id=claimed.run_id if claimed else None,
            task_id=claimed.task_id if claimed else None,
            attempt=claimed.attempt if claimed else None,
            purpose=start.purpose,
            model=start.model,
            outcome=CallOutcome.RUNNING,
            usd=start.most_usd,
            request_text=storable(start.request_text),
            request_hash=start.request_hash,
            input_tokens=start.most.input_tokens,
            output_tokens=start.most.output_tokens,
        )
        return row.pk

    return transact(work, Boundary.MODEL_CALL)


def end(call: int, ended: CallEnd, claimed: Claimed | None = None) -> None:
    """Write down how a call ended: also after its attempt was lost, since it was paid for."""

    def work() -> None:
        rows = ModelCall.objects.filter(pk=call, outcome__in=[CallOutcome.RUNNING, CallOutcome.LOST])
        moved = rows.update(
            outcome=ended.outcome,
            problem=ended.problem,
            request_id=ended.request_id,
            usd=ended.usd,
            latency_ms=ended.latency_ms,
            tries=ended.tries,
            reply_text=storable(ended.reply_text),
            thinking_text=storable(ended.thinking_text),
            input_tokens=ended.usage.input_tokens,
            output_tokens=ended.usage.output_tokens,
            cache_write_tokens=ended.usage.cache_write_tokens,
            cache_read_tokens=ended.usage.cache_read_tokens,
        )
        if moved and claimed is not None:
            events.append(claimed.run_id, [_line(call, ended, claimed)])

    transact(work, Boundary.MODEL_CALL)


def recall(run_id: int, request_hash: str) -> str | None:
    """Return the reply an owner's earlier run got to the same request; one that was redacted is not the reply."""
    rows = ModelCall.objects.filter(request_hash=request_hash, outcome=CallOutcome.OK, run__owner__runs=run_id).exclude(
        reply_text__contains=MASK
    )
    return rows.order_by("-pk").values_list("reply_text", flat=True).first()


def lose(task_id: int, attempt: int) -> None:
    """Mark the calls an attempt left open when it ended: nobody knows what they took, so the most stands."""
    ModelCall.objects.filter(task_id=task_id, attempt=attempt, outcome=CallOutcome.RUNNING).update(
        outcome=CallOutcome.LOST
    )


def _line(call: int, ended: CallEnd, claimed: Claimed) -> Line:
    row = ModelCall.objects.only("purpose", "model").get(pk=call)
    data = {
        "call": call,
        "purpose": row.purpose,
        "model": row.model,
        "outcome": ended.outcome.value,
        "tokens": ended.usage.total,
        "usd": None if ended.usd is None else f"{ended.usd:.6f}",
    }
    return Line(kind=EventKind.MODEL_CALLED, task_key=claimed.key, attempt=claimed.attempt, data=data)


def _hold(claimed: Claimed) -> None:
    """Lock the task's row. Raises LeaseLost when this attempt does not run any more."""
    rows = Task.objects.filter(pk=claimed.task_id, attempt=claimed.attempt, state="running")
    if connection.features.has_select_for_update:
        rows = rows.select_for_update(no_key=connection.features.has_select_for_no_key_update)
    if not rows.values_list("pk", flat=True).first():
        raise LeaseLost(task=claimed.key, attempt=claimed.attempt)


def _check_budget(run_id: int, start: CallStart) -> None:
    # Under the run row: two calls of one run that begin together must not both take the rest.
    run = Run.objects.select_for_update(of=("self",)).only("budget_usd", "budget_tokens").get(pk=run_id)
    if run.budget_usd is None and run.budget_tokens is None:
        return
    so_far = spent(run_id)
    usd, tokens = so_far.usd + so_far.running_usd, so_far.tokens + so_far.running_tokens
    if run.budget_usd is not None and start.most_usd is not None and usd + start.most_usd > run.budget_usd:
        raise BudgetReached(
            "budget_usd_reached", spent=_money(usd), most=_money(start.most_usd), budget=_money(run.budget_usd)
        )
    if run.budget_tokens is not None and tokens + start.most.total > run.budget_tokens:
        raise BudgetReached("budget_tokens_reached", spent=tokens, most=start.most.total, budget=run.budget_tokens)


def _money(usd: Decimal) -> str:
    return f"{usd:.4f}"
