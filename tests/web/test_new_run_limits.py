"""New run: budget, deadline, tasks at once and what the model may see, from the form into the run."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.models import Run
from tests.web.new_run_form import GOAL, hidden, send, upload


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def test_the_usual_budget_is_shown_and_a_goal_without_one_gets_it(browser: Client, settings) -> None:
    settings.PLANS_DEFAULT_BUDGET_USD = 2.5
    assert 'name="budget_usd" value="2.50"' in browser.get(reverse("new_run")).content.decode()
    first = send(browser, files=[upload()])

    send(browser, parameters="1", playbook="busiest_pages", attachment=hidden(first, "attachment"), budget_usd="")

    assert Run.objects.get().budget_usd == Decimal("2.5")


def test_limits_go_through_the_second_step_into_the_run(browser: Client) -> None:
    limits = {"budget_usd": "3,5", "deadline": "2199-11-30T18:00", "tasks_at_once": "3", "time_zone": "Europe/Prague"}
    first = send(browser, files=[upload()], **limits)
    carried = {name: hidden(first, name)[0] for name in limits}
    assert hidden(first, "model_sees_rows") == []

    send(browser, parameters="1", playbook="busiest_pages", attachment=hidden(first, "attachment"), **carried)

    run = Run.objects.get()
    assert (run.budget_usd, run.tasks_at_once, run.model_sees_rows) == (Decimal("3.5"), 3, False)
    assert run.deadline_at == datetime(2199, 11, 30, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("budget_usd", "much", "Enter a number"),
        ("budget_usd", "0", "at least 0.01"),
        ("budget_usd", "NaN", "at least 0.01"),
        ("deadline", "2001-01-01T00:00", "has already passed"),
        ("deadline", "soon", "Enter a date and a time"),
        ("tasks_at_once", "0", "At least 1"),
        ("tasks_at_once", "2.5", "whole number"),
        ("tasks_at_once", "9" * 30, "At least 1"),
    ],
)
def test_a_wrong_limit_is_refused_next_to_its_field_and_everything_is_kept(
    browser: Client, name: str, value: str, words: str
) -> None:
    text = send(browser, model_sees_rows="on", **{name: value})

    assert re.search(rf'id="id_{name}_error"[^>]*><li>[^<]*{words}', text)
    assert f'value="{value}"' in text
    assert GOAL in text
    assert re.search(r'name="model_sees_rows"[^>]* checked', text)
    assert Run.objects.count() == 0


def test_an_unticked_box_stays_so_when_a_file_is_removed(browser: Client) -> None:
    text = send(browser, remove="00000000-0000-0000-0000-000000000000")

    assert not re.search(r'name="model_sees_rows"[^>]* checked', text)


def test_where_the_model_may_never_see_rows_nobody_is_asked(browser: Client, settings) -> None:
    settings.PLANS_MODEL_SEES_ROWS = False

    assert "model_sees_rows" not in browser.get(reverse("new_run")).content.decode()


def test_without_a_model_the_form_says_where_plans_come_from(browser: Client) -> None:
    assert "No model is connected" in browser.get(reverse("new_run")).content.decode()
