"""Opt-in: the client against a real endpoint, in each mode. docs/models.md says how to run it."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from django.contrib.auth.models import User

from plans import tasks
from plans.core.errors import ModelError
from plans.core.model import Message, Purpose, Reply, Tier
from plans.engine.local import drain_until_done
from plans.engine.runs import create_run
from plans.llm.check import check
from plans.llm.client import Client
from plans.llm.config import Config, Mode
from plans.models import Request
from plans.wording import sentence
from tests.llm.asking import ListLedger

ADDRESS = os.environ.get("PLANS_TRY_BASE_URL", "")
SECONDS = float(os.environ.get("PLANS_TRY_SECONDS", "120"))
SCHEMA = {
    "type": "object",
    "properties": {
        "tasks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "skill": {"type": "string", "enum": ["load_file", "sql", "chart", "report"]},
                    "depends_on": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["id", "skill", "depends_on"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["tasks"],
    "additionalProperties": False,
}

pytestmark = pytest.mark.skipif(not ADDRESS, reason="opt-in: PLANS_TRY_BASE_URL names an endpoint to try")


def config(mode: Mode | None) -> Config:
    model = os.environ.get("PLANS_TRY_MODEL", "local")
    return Config(
        models=dict.fromkeys(Tier, model),
        base_url=ADDRESS,
        api_key=os.environ.get("PLANS_TRY_API_KEY", ""),
        mode=mode,
        silence_seconds=SECONDS,
    )


@pytest.mark.parametrize("mode", [None, *Mode], ids=lambda mode: mode or "found out")
def test_a_plan_of_the_form_or_a_plain_error(mode: Mode | None):
    ledger = ListLedger(deadline=time.monotonic() + SECONDS)
    client = Client(config=config(mode), ledger=ledger)
    came: Reply | ModelError
    try:
        came = client.ask(
            purpose=Purpose.DRAFT,
            system="You write plans as JSON: which tasks there are, the skill of each, and which tasks each waits for.",
            messages=[Message(role="user", text="Read sales.csv, sum it by month, draw a chart, write a report.")],
            schema=SCHEMA,
            max_tokens=1000,
        )
    except ModelError as error:
        came = error
    if isinstance(came, ModelError):
        print(sentence(came.code, came.params))
        assert "went wrong" not in sentence(came.code, came.params)
    else:
        print(came.data, came.usage)
        assert isinstance(came.data, dict)
        assert came.usage.output_tokens > 0
    assert [ended.outcome for ended in ledger.ended]


def test_the_check_says_mode_and_latency_or_why_not():
    checked = check(config(None), Tier.PLAN, ListLedger(deadline=time.monotonic() + SECONDS))
    print(checked)
    assert checked.mode or checked.error


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", [None, *Mode], ids=lambda mode: mode or "found out")
def test_a_goal_becomes_a_plan_or_a_clear_refusal(mode: Mode | None, owner: User, settings: Any):
    settings.PLANS_MODEL_BASE_URL = ADDRESS
    settings.PLANS_MODEL_API_KEY = os.environ.get("PLANS_TRY_API_KEY", "")
    settings.PLANS_MODEL_MODE = mode or ""
    settings.PLANS_MODEL_SILENCE_SECONDS = SECONDS
    for tier in Tier:
        setattr(settings, f"PLANS_{tier.name}_MODEL", config(mode).models[tier])
    run = create_run(owner=owner, goal="Ask a person for three numbers and write a report of them", inputs={})
    drain_until_done(run, tasks.runner(), 4 * SECONDS, until=frozenset({"review"}))
    run.refresh_from_db()
    asked = [request.content for request in Request.objects.filter(run=run, state="open")]
    print(run.state, run.error, asked, run.revision and run.revision.findings)
    assert run.state in ("review", "failed") or asked
    for error in [run.error, *(content.get("error") for content in asked)]:
        assert not error or "went wrong" not in sentence(error["code"], error["params"])
