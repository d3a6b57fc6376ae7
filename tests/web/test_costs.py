"""What a run costs and takes: estimated on the plan, beside the outcome after it, and call by call."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.models import Run, Task
from plans.web.shown.costs import tokens_text, usd
from tests.web.factories import drained_run, model_call, review_run, simple_plan, world


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, run: Run, name: str = "plan", query: str = "") -> str:
    response = browser.get(reverse(name, args=[run.uuid]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, ""), (0, "$0.00"), (2.756, "$2.76"), (1234, "$1,234.00"), (0.01, "$0.01"), (0.05, "$0.05"), (0.00419, "$0.0042"),
        (Decimal("0.000000001"), "less than $0.000001"),
    ],
)  # fmt: skip
def test_amounts_are_short_and_never_zero_for_something(amount: Any, text: str) -> None:
    assert usd(amount) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 tokens"), (1, "1 token"), (999, "999 tokens"), (1500, "1.5k tokens"), (34_210, "34k tokens"),
     (2_340_000, "2.3M tokens")],
)  # fmt: skip
def test_tokens_are_said_in_thousands_and_millions(count: int, text: str) -> None:
    assert tokens_text(count) == text


def estimated_plan() -> dict[str, Any]:
    plan = simple_plan()
    plan["tasks"][0] |= {"estimate": {"seconds": 90, "usd": 0.05}, "undo": None}
    plan["tasks"][1] |= {"estimate": {"seconds": 4}, "risk": "high"}
    return plan


def test_each_step_says_what_it_takes_costs_reads_and_how_it_is_undone(browser: Client, owner: User) -> None:
    text = page(browser, review_run(owner, estimated_plan()))

    assert ">1m 30s, $0.05<" in text
    assert ">4 s<" in text
    assert '<dt>Reads</dt><dd dir="auto">word</dd>' in text
    assert '<dt>Writes</dt><dd dir="auto">said (json)</dd>' in text
    # Both say so in their details; where it matters, at the risky step, it is said at once as well.
    assert text.count("No undo is known") == 3
    assert re.search(r'<dd class="big"> ?1m 34s ?</dd>', text)
    assert re.search(r'<dd class="big"> ?\$0.05 ?</dd>', text)
    assert "budget $1.00" in text


def test_what_the_compiler_estimated_for_a_step_comes_before_what_the_plan_says(browser: Client, owner: User) -> None:
    run = review_run(owner, estimated_plan())
    run.revision.compiled["estimate"]["tasks"] = {"t1": {"seconds": 7, "usd": 0.5}}
    run.revision.save()

    text = page(browser, run)

    assert ">7 s, $0.50<" in text
    assert "1m 30s" not in text.partition("step-1")[2]


def test_after_the_run_the_estimate_stands_beside_what_it_took(browser: Client, owner: User) -> None:
    plan = estimated_plan()
    del plan["tasks"][1]["risk"]
    run = drained_run(owner, plan)
    first = Task.objects.get(run=run, key="t1")
    for price in ("0.02", "0.01"):
        model_call(first, usd=Decimal(price))
    model_call(first, usd=None, outcome="error")

    text = page(browser, run)

    assert "actual $0.03" in text
    assert "actual " in text.partition(">Time<")[2]
    assert "$0.03</span>" in text


def test_the_run_page_tells_the_cost_and_the_panel_that_of_its_task(browser: Client, owner: User) -> None:
    made = world(owner)
    model_call(made.first, usd=Decimal("0.8"))
    made.run.budget_usd = Decimal(1)
    made.run.save()

    text = page(browser, made.run, "run", "?task=t1")

    assert "$0.81 of $1.00, 3k tokens" in text
    assert "near" in text
    assert "$0.81, 3k tokens, <a" in text
    assert "2 model calls" in text
    assert "$0.81 of $1.00" in page(browser, made.run, "run_cost")


def test_a_run_without_calls_says_nothing_of_cost(browser: Client, owner: User) -> None:
    assert "$" not in page(browser, review_run(owner), "run_cost")


def test_calls_without_a_price_are_unknown_and_not_nothing(browser: Client, owner: User) -> None:
    """field case: a cost of 0.00 shown for a model whose price is not known."""
    made = world(owner)
    made.call.usd = None
    made.call.save()

    assert "cost unknown" in page(browser, made.run, "run")
    text = page(browser, made.run, "model_calls")
    assert '<dd class="big">unknown</dd>' in text
    assert "1 call without a known price" in text
    assert "$0.00" not in text


def test_calls_are_listed_with_tokens_by_kind_and_lead_to_their_exact_text(browser: Client, owner: User) -> None:
    made = world(owner)
    made.call.cache_read_tokens = 77
    made.call.request_text = '{"system": "<b>be short</b>"}'
    made.call.reply_text = "the reply"
    made.call.save()

    text = page(browser, made.run, "model_calls")
    address = reverse("model_call", args=[made.run.uuid, made.call.pk])
    for expected in (address, "claude-test", "Answered", ">1200<", ">300<", ">77<", "$0.012", "A step"):
        assert expected in text
    text = " ".join(browser.get(address).content.decode().split())
    assert "{&quot;system&quot;: &quot;&lt;b&gt;be short&lt;/b&gt;&quot;}" in text
    assert "the reply" in text
    assert "req_1" in text


def test_a_call_that_was_lost_says_that_its_figures_are_the_most(browser: Client, owner: User) -> None:
    made = world(owner)
    made.call.outcome = "lost"
    made.call.save()

    assert "at most $0.012" in page(browser, made.run, "model_calls")


def test_the_calls_of_one_task_can_be_looked_at_alone(browser: Client, owner: User) -> None:
    made = world(owner)

    assert "No model was called." in page(browser, made.run, "model_calls", "?task=nothing")
    assert "claude-test" in page(browser, made.run, "model_calls", "?task=t1")


def test_a_call_of_another_run_is_not_found_under_this_one(browser: Client, owner: User) -> None:
    made, other = world(owner), review_run(owner)

    assert browser.get(reverse("model_call", args=[other.uuid, made.call.pk])).status_code == 404
