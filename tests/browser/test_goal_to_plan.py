"""From a goal to a plan in a browser: suggestions, a draft that outlives a session, a plan that appears by itself."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from plans.engine.requests import answer_question
from plans.models import Request
from tests.browser.live_pages import elsewhere
from tests.processes import Site, session_cookie
from tests.web.factories import world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def worker(site: Site) -> None:
    site.worker()


def goal(page: Page):
    return page.get_by_label("Goal", exact=True)


def test_a_playbook_is_suggested_while_one_writes_and_one_click_takes_it(url: str, page: Page) -> None:
    page.goto(url + "/")
    goal(page).press_sequentially("find the five pages with most traffic")

    suggested = page.get_by_role("button", name=re.compile("Busiest pages in an access log"))
    expect(suggested).to_contain_text("The goal speaks of:")
    suggested.click()

    expect(page.get_by_role("heading", name="Busiest pages in an access log")).to_be_visible()


def test_a_draft_survives_a_reload_and_the_end_of_the_session(
    url: str, page: Page, cookie: dict[str, str], owner: User
) -> None:
    page.goto(url + "/")
    goal(page).fill("sales by month with growth")
    page.get_by_role("radio", name=re.compile("I approve the plan")).check(force=True)
    page.reload()
    expect(goal(page)).to_have_value("sales by month with growth")

    elsewhere(lambda: Session.objects.all().delete())
    page.get_by_role("button", name="Make a plan").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    fresh = elsewhere(lambda: session_cookie(owner))
    page.context.add_cookies([{"name": name, "value": value, "url": url} for name, value in fresh.items()])
    page.goto(url + "/")

    expect(goal(page)).to_have_value("sales by month with growth")
    expect(page.get_by_role("radio", name=re.compile("I approve the plan"))).to_be_checked()


def test_an_example_becomes_a_plan_that_appears_by_itself_and_a_report(worker: None, url: str, page: Page) -> None:
    page.goto(url + "/")
    page.get_by_role("button", name=re.compile("with our sample sales.csv")).click()

    approve = page.get_by_role("button", name="Approve and run")
    expect(approve).to_be_visible(timeout=60_000)
    expect(page.locator("svg.dag")).to_be_visible()
    expect(page.get_by_role("button", name="Zoom in (+)")).to_be_visible()
    approve.click()

    expect(page.locator("iframe.report")).to_be_visible(timeout=90_000)


@pytest.fixture
def asked(owner: User) -> Request:
    return world(owner).question


def test_what_is_decided_elsewhere_settles_in_the_inbox(asked: Request, url: str, page: Page, owner: User) -> None:
    page.goto(url + "/inbox")
    card = page.locator(f'[data-inbox-request="{asked.uuid}"]')
    expect(card).to_be_visible()
    before = page.locator("[data-inbox-request]").count()

    elsewhere(lambda: answer_question(request=asked, answer={"number": 3}, by=owner))

    expect(card).to_contain_text("This was decided elsewhere.")
    assert page.locator("[data-inbox-request]").count() == before
    expect(page.locator("[data-inbox-count]").first).to_have_text(str(before - 1))
