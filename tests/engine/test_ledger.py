"""Every model call is a row before it is made and after it has ended; a budget stops calls before they are made."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from plans.core.errors import LeaseLost, ModelError
from plans.core.model import CallEnd, CallOutcome, CallStart, Purpose, Usage
from plans.core.redaction import MASK
from plans.core.skill import Outputs, Result
from plans.engine import ladder, ledger, turn
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes
from plans.engine.sql import transact
from plans.models import ModelCall, Run
from tests.engine.plant import Gate, Plant, check_history, history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def start(usd: str | None = "0.10", tokens: int = 1000) -> CallStart:
    return CallStart(
        purpose=Purpose.SKILL,
        model="m",
        request_text='{"ask": "\x00 me"}',
        most=Usage(input_tokens=tokens // 2, output_tokens=tokens // 2),
        most_usd=None if usd is None else Decimal(usd),
    )


def ended(usd: str | None = "0.02", **more: Any) -> CallEnd:
    usage = Usage(input_tokens=100, output_tokens=50, cache_write_tokens=20, cache_read_tokens=5)
    values = {"outcome": CallOutcome.OK, "usage": usage, "request_id": "req_1", "latency_ms": 12, "reply_text": "hi"}
    return CallEnd(**values | {"usd": None if usd is None else Decimal(usd)} | more)


@pytest.fixture
def plant(plant: Plant) -> Plant:
    """Return a plant whose steps get their ledger itself as model."""
    plant.connect = lambda bound: bound  # type: ignore[assignment,return-value]
    return plant


def calls_of(run: Run) -> list[tuple[str, str]]:
    return list(run.model_calls.values_list("task__key", "outcome"))


def test_a_call_is_a_row_of_its_run_task_and_attempt(plant: Plant):
    seen: list[Any] = []

    def ask(params: Any, context: Any) -> Result:
        number = context.model.begin(start())
        seen.append(ModelCall.objects.filter(pk=number).values("outcome", "usd", "input_tokens", "request_text").get())
        connection.close()  # this is a slot's thread
        context.model.end(number, ended())
        return Outputs(values={"value": 1})

    plant.skill("ask", ask)
    run = plant.run({"id": "a", "skill": "ask"})
    plant.drain()
    assert seen == [
        {"outcome": "running", "usd": Decimal("0.10"), "input_tokens": 500, "request_text": '{"ask": "� me"}'}
    ]
    row = ModelCall.objects.get()
    assert (row.run, row.task, row.attempt, row.outcome) == (run, task(run, "a"), 1, "ok")
    assert (row.usd, row.input_tokens, row.cache_write_tokens, row.request_id) == (Decimal("0.02"), 100, 20, "req_1")
    assert ("model.called", "a") in history(run)
    assert ledger.spent(run.pk) == ledger.Spent(usd=Decimal("0.02"), tokens=175, calls=1)
    check_history(run)


def test_without_a_connection_a_step_has_no_model(plant: Plant):
    plant.connect = None
    plant.skill("ask", lambda params, context: Outputs(values={"value": context.model}))
    run = plant.run({"id": "a", "skill": "ask"})
    plant.drain()
    assert task(run, "a").outputs == {"value": None}


def test_a_call_that_failed_is_kept_and_counted(plant: Plant):
    def ask(params: Any, context: Any) -> Result:
        context.model.end(context.model.begin(start()), ended(outcome=CallOutcome.ERROR, problem="model_busy", tries=7))
        raise ModelError("model_busy")

    plant.skill("ask", ask)
    run = plant.run({"id": "a", "skill": "ask", "retries": 0})
    plant.drain()
    row = ModelCall.objects.get()
    assert (row.outcome, row.problem, row.tries) == ("error", "model_busy", 7)
    assert ledger.spent(run.pk).usd == Decimal("0.02")
    assert task(run, "a").error["code"] == "model_busy"


def test_a_call_that_would_pass_the_budget_is_not_made(plant: Plant):
    """The most a call can take counts before it is made, with what is spent and what is under way."""

    def ask(params: Any, context: Any) -> Result:
        context.model.end(context.model.begin(start("0.10")), ended("0.09"))
        context.model.begin(start("0.10"))
        raise AssertionError("the second call was let through")

    plant.skill("ask", ask)
    run = plant.run({"id": "a", "skill": "ask", "on_failure": "retry_then_stop"})
    Run.objects.filter(pk=run.pk).update(budget_usd=Decimal("0.15"))
    plant.drain()
    assert calls_of(run) == [("a", "ok")]
    error = task(run, "a").error
    assert (error["code"], error["class"]) == ("budget_usd_reached", "budget")
    assert error["params"] == {"spent": "0.0900", "most": "0.1000", "budget": "0.1500"}


def test_two_calls_at_once_share_one_budget(plant: Plant):
    gate = Gate()

    def first(params: Any, context: Any) -> Result:
        number = context.model.begin(start("0.10"))
        gate(params, context)
        context.model.end(number, ended("0.01"))
        return Outputs(values={"value": 1})

    def second(params: Any, context: Any) -> Result:
        assert gate.inside.wait(30)
        try:
            context.model.begin(start("0.10"))
        finally:
            gate.go_on.set()
        return Outputs(values={"value": 1})

    plant.skill("first", first)
    plant.skill("second", second)
    run = plant.run({"id": "a", "skill": "first"}, {"id": "b", "skill": "second"}, autonomy="unattended")
    Run.objects.filter(pk=run.pk).update(budget_usd=Decimal("0.15"))
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "failed"}
    assert task(run, "b").error["params"]["spent"] == "0.1000"


def test_tokens_have_a_budget_too_and_a_call_without_a_price_counts_there(plant: Plant):
    def ask(params: Any, context: Any) -> Result:
        context.model.end(context.model.begin(start(None)), ended(None))
        context.model.begin(start(None))
        raise AssertionError("the second call was let through")

    plant.skill("ask", ask)
    run = plant.run({"id": "a", "skill": "ask", "on_failure": "retry_then_stop"})
    Run.objects.filter(pk=run.pk).update(budget_tokens=1100, budget_usd=Decimal("0.01"))
    plant.drain()
    assert task(run, "a").error["code"] == "budget_tokens_reached"
    assert ledger.spent(run.pk) == ledger.Spent(tokens=175, calls=1, unpriced=1)


def test_a_call_whose_worker_died_keeps_the_most_it_can_have_taken(plant: Plant):
    plant.skill("ask", lambda params, context: Outputs(values={"value": 1}))
    run = plant.run({"id": "a", "skill": "ask"})
    row = task(run, "a")
    held = _claimed()
    number = ledger.begin(start("0.10"), held)

    def lose() -> None:
        changes = Changes(run.pk)
        assert ladder.lose(changes, ladder.held(row.pk, 1), "w")  # type: ignore[arg-type]
        changes.flush()

    transact(lose, Boundary.TAKE_BACK)
    assert calls_of(run) == [("a", "lost")]
    assert ledger.spent(run.pk).usd == Decimal("0.10")
    # the worker was only slow: what it says afterwards is true and counts
    ledger.end(number, ended("0.02"), held)
    assert ledger.spent(run.pk).usd == Decimal("0.02")


def test_an_attempt_that_is_over_begins_no_call(plant: Plant):
    plant.skill("ask", lambda params, context: Outputs(values={"value": 1}))
    run = plant.run({"id": "a", "skill": "ask"})
    row = task(run, "a")
    held = _claimed()
    transact(lambda: ladder.interrupt(Changes(run.pk), ladder.held(row.pk, 1)), Boundary.OUTCOME)
    with pytest.raises(LeaseLost):
        ledger.begin(start(), held)
    assert ModelCall.objects.count() == 0


def test_a_reply_is_recalled_for_the_owner_alone(plant: Plant, member: Any):
    found: list[str | None] = []

    def ask(params: Any, context: Any) -> Result:
        found.append(context.model.recall("h"))
        context.model.end(context.model.begin(replace(start(), request_hash="h")), ended(reply_text=params["value"]))
        return Outputs(values={"value": 1})

    plant.skill("ask", ask)
    for text in ("first", f"with {MASK}", "third"):
        plant.run({"id": "a", "skill": "ask", "params": {"value": text}})
        plant.drain()
    other = plant.run({"id": "a", "skill": "ask", "params": {"value": "fourth"}})
    Run.objects.filter(pk=other.pk).update(owner=member)
    plant.drain()
    assert found == [None, "first", "first", None]


def test_a_call_of_no_run_is_kept_too(db: None):
    ledger.end(ledger.begin(start()), ended())
    row = ModelCall.objects.get()
    assert (row.run, row.outcome) == (None, "ok")


def _claimed() -> Any:
    """Claim the run's only ready task as a worker would, and do nothing with it."""
    (held,) = turn.take([], 1, "test:1:1").claimed
    return held
