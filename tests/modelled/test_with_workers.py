"""Planning and an `llm` step by real worker processes: one is killed in the middle of a call; no secret is left anywhere."""

from __future__ import annotations

import os
import signal
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from plans.engine import ledger, sweeper
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run
from plans.models import ModelCall, Request, Run
from plans.tasks import catalogue
from tests.engine.plant import check_history
from tests.modelled.desk import intent, step, wire
from tests.processes import Site, wait_for
from tests.scripted_model import Call, ScriptedModel, answer, fault, silence
from tests.scripted_model.server import KEY

pytestmark = pytest.mark.django_db(transaction=True)

PLAN = wire(
    step(
        "sum_up",
        "llm",
        {"prompt": "Sum it up.", "inputs": {"text": "Rain all week."}},
        outputs={"summary": "text"},
    ),
    result=["summary"],
)


def replies(call: Call) -> Any:
    """Answer by purpose; what refuses the key repeats it, as some gateways do."""
    return answer(PLAN) if call.purpose == "draft" else fault(401, f"no such key: {KEY}")


def everything_stored() -> str:
    """Return all rows of the product and of the queue as text."""
    models = [*apps.get_app_config("plans").get_models(), *apps.get_app_config("django_q").get_models()]
    return "\n".join(str(row) for model in models for row in model.objects.values_list())


def test_a_worker_killed_in_mid_planning_costs_one_call_and_no_secret_stays(
    site: Site, owner: User, scripted_model: ScriptedModel
):
    """C92, C94: the key of the model is in no row and no log, also when an answer repeats it."""
    scripted_model.say(answer(intent()), silence(pings=True))
    scripted_model.respond(replies)
    worker = site.worker(workers=2, **scripted_model.environment)
    run = create_run(owner=owner, goal="Sum the text up in one sentence", inputs={})
    held = wait_for(lambda: ModelCall.objects.filter(run=run, purpose="draft", outcome="running").first())
    wait_for(lambda: len(scripted_model.calls) == 2)
    most = held.usd
    assert most > Decimal("0.01")

    os.kill(int(held.task.claimed_by.split(":")[1]), signal.SIGKILL)
    memory = sweeper.Memory()
    wait_for(lambda: sweep(memory) and state(run) == "review", timeout=60, what="a plan")

    calls = list(ModelCall.objects.filter(run=run).order_by("pk").values_list("purpose", "attempt", "outcome"))
    assert calls == [("intent", 1, "ok"), ("draft", 1, "lost"), ("draft", 2, "ok")]
    assert ledger.spent(run.pk).usd > most
    run.refresh_from_db()
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=catalogue())
    asked = wait_for(lambda: Request.objects.filter(run=run, kind="failure").first(), timeout=60)
    assert asked.content["error"]["code"] == "model_key_refused"
    check_history(run)
    assert KEY not in everything_stored()
    assert KEY not in worker.said()


def sweep(memory: sweeper.Memory) -> bool:
    sweeper.sweep_once(memory)
    return True


def state(run: Run) -> str:
    return Run.objects.values_list("state", flat=True).get(pk=run.pk)
