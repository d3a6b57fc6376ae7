"""A budget that is reached is a request: raised by an amount or the run is stopped, from the run page and the Inbox."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from plans.engine import time_budgets
from plans.models import ModelCall, Request
from tests.web.factories import World, world


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def reached(made: World, code: str = "budget_usd_reached", **more: Any) -> Request:
    """Let the world's first task wait for a decision about its budget, as the engine asks for it."""
    made.run.budget_usd, made.run.budget_tokens = Decimal(1), more.pop("tokens", None)
    made.run.save()
    Request.objects.filter(task=made.first).delete()
    error = {"code": code, "params": {"budget": "1.0000", "spent": "0.9500", "most": "0.2000"}, "class": "budget"}
    content = {
        "error": error, "choices": ["raise", "stop"], "task": "t1", "budget_usd": "1.0000", "spent_usd": "0.95",
        "budget_tokens": made.run.budget_tokens, "spent_tokens": 4000,
    }  # fmt: skip
    return Request.objects.create(run=made.run, task=made.first, kind="budget", content=content)


def text_of(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split())


def decide(browser: Client, asked: Request, **data: str) -> str:
    return text_of(browser.post(reverse("request", args=[asked.uuid]), data, follow=True))


@pytest.mark.parametrize("name", ["run", "inbox"])
def test_the_card_says_what_was_spent_of_what_and_what_each_way_leads_to(
    browser: Client, owner: User, name: str
) -> None:
    made = world(owner)
    reached(made)

    text = text_of(browser.get(reverse(name, args=[made.run.uuid] if name == "run" else [])))

    for expected in (
        "Raise the budget?", "$0.95 of $1.00 spent", "The budget of 1.0000 USD is used up", "Raise by (USD)",
        'value="1.00"', "Everything that waits for it goes on.", "Stop run",
    ):  # fmt: skip
        assert expected in text


def test_raising_lets_what_waits_go_on_and_says_who_raised_it(browser: Client, owner: User) -> None:
    made = world(owner)
    asked = reached(made)

    text = decide(browser, asked, choice="raise", amount="2,50", comment="worth it")

    made.run.refresh_from_db()
    made.first.refresh_from_db()
    assert (made.run.budget_usd, made.first.state) == (Decimal("3.5"), "ready")
    assert "Budget raised by owner" in text
    assert "worth it" in text


def test_tokens_are_raised_by_tokens(browser: Client, owner: User) -> None:
    made = world(owner)
    asked = reached(made, "budget_tokens_reached", tokens=5000)

    decide(browser, asked, choice="raise", amount="7000")

    made.run.refresh_from_db()
    assert (made.run.budget_tokens, made.run.budget_usd) == (12_000, Decimal(1))


def test_stopping_ends_the_run(browser: Client, owner: User) -> None:
    made = world(owner)
    asked = reached(made)

    decide(browser, asked, choice="stop", amount="nonsense")

    asked.refresh_from_db()
    made.run.refresh_from_db()
    assert (asked.decision, made.run.cancel_requested_at is not None) == ("stop", True)


@pytest.mark.parametrize("amount", ["", "0", "-1", "much", "NaN", "1e99"])
def test_a_wrong_amount_is_refused_next_to_its_field(browser: Client, owner: User, amount: str) -> None:
    asked = reached(world(owner))

    text = decide(browser, asked, choice="raise", amount=amount)

    asked.refresh_from_db()
    assert asked.state == "open"
    assert f'id="id_{asked.uuid.hex[:12]}_amount_error"' in text


def test_a_second_decision_says_who_was_first(browser: Client, owner: User) -> None:
    asked = reached(world(owner))
    decide(browser, asked, choice="raise", amount="1")

    assert "Already decided by owner." in decide(browser, asked, choice="raise", amount="1")
    asked.run.refresh_from_db()
    assert asked.run.budget_usd == 2


def test_an_answer_that_chooses_nothing_decides_nothing(browser: Client, owner: User) -> None:
    asked = reached(world(owner))

    assert "Raise the budget?" in decide(browser, asked)
    asked.refresh_from_db()
    assert asked.state == "open"


def out_of_time(made: World) -> Request:
    """Let the world's run be over its time, as the sweep finds it."""
    Request.objects.filter(run=made.run).delete()
    made.run.budget_seconds, made.run.started_at = 60, timezone.now() - timedelta(minutes=5)
    made.run.save()
    assert time_budgets.enforce() == 1
    return Request.objects.get(run=made.run)


def test_a_run_out_of_time_asks_for_minutes_and_goes_on_with_them(browser: Client, owner: User) -> None:
    made = world(owner)
    asked = out_of_time(made)
    text = text_of(browser.get(reverse("run", args=[made.run.uuid])))

    assert "The run has taken the time it was given (60 seconds) and is paused." in text
    assert "Raise by (minutes)" in text
    assert "of 1m 00s" in text
    decide(browser, asked, choice="raise", amount="10")
    made.run.refresh_from_db()
    assert (made.run.state, made.run.pause_requested_at) == ("running", None)
    assert 899 <= made.run.budget_seconds <= 960


def test_a_run_out_of_time_can_be_stopped(browser: Client, owner: User) -> None:
    made = world(owner)
    decide(browser, out_of_time(made), choice="stop")

    made.run.refresh_from_db()
    assert made.run.state == "cancelled"


@pytest.mark.parametrize("amount", ["", "0", "-5", "soon", "1e9", "NaN"])
def test_odd_minutes_are_refused_and_the_request_stays_open(browser: Client, owner: User, amount: str) -> None:
    made = world(owner)
    asked = out_of_time(made)
    browser.post(reverse("request", args=[asked.uuid]), {"choice": "raise", "amount": amount})

    asked.refresh_from_db()
    assert asked.state == "open"


def test_tokens_are_shown_beside_their_budget(browser: Client, owner: User) -> None:
    made = world(owner)
    made.run.budget_tokens = 10_000
    made.run.save()
    ModelCall.objects.create(
        run=made.run, purpose="skill", model="m", outcome="ok", usd=Decimal("0.5"), input_tokens=4000
    )

    assert "k tokens of 10k tokens" in text_of(browser.get(reverse("run", args=[made.run.uuid])))
