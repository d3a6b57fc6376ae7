"""The Runs page: filters in the address, counts, pages by key, live only while something moves."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from plans.models import Run
from plans.web.listing import PAGE, Filters, list_runs
from plans.web.shown.runs import segments
from tests.web.factories import approved_run, drained_run, review_run, world


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, query: str = "") -> str:
    response = browser.get(reverse("runs") + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def made(owner: User, goal: str, state: str = "cancelled", **more: object) -> Run:
    return Run.objects.create(owner=owner, goal=goal, state=state, **more)


def goals(owner: User, query: str) -> list[str]:
    return [run.goal for run in list_runs(owner, Filters.of(QueryDict(query))).runs]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["按月统计销售额", "Chart SALES", "old chart", "wait"]),
        ("q=chart", ["Chart SALES", "old chart"]),
        ("q=sales", ["Chart SALES"]),
        ("q=销售", ["按月统计销售额"]),
        ("q=%25", []),
        ("q=_", []),
        ("state=failed", ["Chart SALES"]),
        ("state=cancelled&q=chart", ["old chart"]),
        ("days=7", ["按月统计销售额", "Chart SALES", "wait"]),
        ("playbook=busiest_pages", ["wait"]),
        ("state=nonsense&days=3&owner=x", ["按月统计销售额", "Chart SALES", "old chart", "wait"]),
    ],
)
def test_filters_narrow_the_list(owner: User, query: str, expected: list[str]) -> None:
    made(owner, "wait", "planning", playbook="busiest_pages")
    old = made(owner, "old chart")
    Run.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=20))
    made(owner, "Chart SALES", "failed")
    made(owner, "按月统计销售额")

    assert goals(owner, query) == expected


def test_a_run_that_asks_counts_as_needing_you_and_nowhere_else(owner: User) -> None:
    drained_run(owner)
    world(owner)
    review_run(owner)
    approved_run(owner)

    counts = list_runs(owner, Filters()).counts

    assert counts == {"needs": 2, "running": 1, "paused": 0, "failed": 0, "succeeded": 1, "cancelled": 0}
    assert list_runs(owner, Filters(state="needs")).total == 2


def test_the_filters_stay_in_every_link_and_in_the_form(browser: Client, owner: User) -> None:
    for number in range(PAGE + 1):
        made(owner, f"chart {number}", "failed")

    text = page(browser, "?q=chart&state=failed&days=7")

    assert 'href="?q=chart&amp;state=failed&amp;days=7&amp;before=' in text
    assert 'name="state" value="failed"' in text
    assert 'name="q" value="chart"' in text
    assert '<option value="7" selected>' in text
    assert re.search(r'href="/runs\?q=chart&amp;state=succeeded&amp;days=7"', text)
    assert re.search(r'href="/runs\?q=chart&amp;days=7" aria-current="true"', text)


def test_pages_are_reached_by_key_in_both_directions(owner: User) -> None:
    runs = [made(owner, f"goal {number}") for number in range(2 * PAGE + 5)][::-1]
    first = list_runs(owner, Filters())
    second = list_runs(owner, Filters(), before=first.older)
    made(owner, "came in between")
    third = list_runs(owner, Filters(), before=second.older)
    back = list_runs(owner, Filters(), after=third.newer)

    assert list(first.runs) == runs[:PAGE]
    assert list(second.runs) == runs[PAGE : 2 * PAGE]
    assert list(third.runs) == runs[2 * PAGE :]
    assert list(back.runs) == list(second.runs)
    assert (first.newer, third.older) == (None, None)
    assert back.newer is not None


def test_only_operators_choose_among_owners(browser: Client, owner: User, operator: User, outsider: User) -> None:
    made(owner, "mine")
    made(outsider, "theirs")
    assert 'name="owner"' not in page(browser)
    assert "theirs" not in page(browser, f"?owner={outsider.pk}")

    browser.force_login(operator)

    assert 'name="owner"' in page(browser)
    text = page(browser, f"?owner={outsider.pk}")
    assert ("theirs" in text, "mine" in text) == (True, False)


def test_the_page_asks_again_only_while_something_moves(browser: Client, owner: User) -> None:
    drained_run(owner)
    assert "every 3s" not in page(browser)

    approved_run(owner)

    assert "every 3s" in page(browser)


def test_the_number_of_queries_does_not_grow_with_the_rows(browser: Client, owner: User, operator: User) -> None:
    browser.force_login(operator)
    counts = []
    for _round in range(3):
        world(owner)
        drained_run(owner)
        with CaptureQueriesContext(connection) as captured:
            page(browser, "?q=e")
        counts.append(len(captured))

    assert counts[0] == counts[1] == counts[2]


def test_nothing_found_says_how_to_see_everything(browser: Client, owner: User) -> None:
    assert "No runs yet." in page(browser)
    made(owner, "a goal")

    assert "No run fits these filters." in page(browser, "?q=nothing+like+it")


def test_the_bar_fills_its_width_in_the_order_of_states() -> None:
    parts = segments({"pending": 1, "succeeded": 2, "failed": 1})

    assert [(part.css, part.n) for part in parts] == [("s-success", 2), ("s-failed", 1), ("s-pending", 1)]
    assert [part.x for part in parts] == ["0.00%", "50.00%", "75.00%"]
    assert segments({}) == []
