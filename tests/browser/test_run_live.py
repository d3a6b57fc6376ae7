"""The run page in Chromium on a real daphne and a real worker: it moves, asks, agrees and survives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from plans.engine.requests import decide_approval
from plans.models import Request, Run
from tests.browser.live_pages import elsewhere
from tests.browser.run_pages import (
    is_same,
    node,
    open_request,
    opened,
    row,
    sent,
    shown_events,
    start_again,
    stored_events,
)
from tests.processes import Site, Started, wait_for
from tests.web.factories import approved_run, simple_plan

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def test_c25_a_run_moves_asks_and_ends_in_its_report_without_a_reload(
    site: Site, url: str, run: Run, page: Page
) -> None:
    opened(page, f"{url}/runs/{run.uuid}")
    expect(node(page, "first")).to_have_class(re.compile("st-ready"))
    site.worker()

    expect(node(page, "first")).to_have_class(re.compile("st-succeeded"))
    expect(node(page, "risky")).to_have_class(re.compile("st-waiting"))
    expect(page.get_by_text("Approve “Do the risky thing”?")).to_be_visible()
    expect(page.locator("[data-run-state]")).to_contain_text("Needs approval")
    assert is_same(page)

    sent(page, page.get_by_role("button", name="Approve", exact=True))
    expect(page.get_by_label("How many", exact=True)).to_be_visible()
    assert is_same(page)
    page.get_by_label("How many", exact=True).fill("12")
    sent(page, page.get_by_role("button", name="Answer", exact=True))

    report = page.frame_locator("iframe.report")
    expect(report.locator("h1").first).to_have_text("What was counted")
    expect(report.locator("strong")).to_have_text("12")
    expect(page.locator("[data-run-state]")).to_contain_text("Succeeded")
    expect(page.get_by_role("link", name="Cancel run")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile(r"^Download .*\.html$")).click()
    assert "What was counted" in Path(download.value.path()).read_text(encoding="utf-8")


def test_c25_the_result_and_the_last_states_come_to_an_open_page(site: Site, url: str, owner: User, page: Page) -> None:
    quick = elsewhere(lambda: approved_run(User.objects.get(pk=owner.pk), simple_plan()))
    opened(page, f"{url}/runs/{quick.uuid}")
    site.worker()

    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    expect(page.locator("[data-result-area]")).to_contain_text("hello")
    expect(page.locator("[data-run-done]").first).to_have_text("2")
    assert is_same(page)


def test_point_31_two_tabs_agree_and_the_other_one_names_who_decided(
    site: Site, url: str, run: Run, page: Page
) -> None:
    site.worker()
    open_request(run, "task_approval")
    opened(page, f"{url}/runs/{run.uuid}")
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context()
    context.add_cookies(page.context.cookies())
    other = opened(context.new_page(), f"{url}/runs/{run.uuid}?tab=tasks")
    expect(other.get_by_role("button", name="Approve", exact=True)).to_be_visible()

    page.get_by_role("button", name="Approve", exact=True).click()

    expect(other.locator("[data-settled]").first).to_contain_text("Do the risky thing: Approved by owner")
    expect(other.get_by_role("button", name="Approve", exact=True)).to_be_hidden()
    expect(other.get_by_label("How many", exact=True)).to_be_visible()
    expect(row(other, "risky")).to_have_attribute("data-state", "succeeded")
    assert is_same(other)
    context.close()


def test_point_28_blocked_sockets_poll_and_the_page_moves_all_the_same(
    site: Site, url: str, run: Run, page: Page
) -> None:
    page.route_web_socket(re.compile("/ws/"), lambda ws: ws.close(code=4000, reason="blocked"))
    opened(page, f"{url}/runs/{run.uuid}?tab=events")
    expect(page.locator("html")).to_have_attribute("data-connection", "polling")
    site.worker()

    expect(page.get_by_text("Approve “Do the risky thing”?")).to_be_visible()
    wait_for(lambda: shown_events(page) == stored_events(run), what="the events on the page")
    assert is_same(page)


def test_c39_point_29_a_killed_server_loses_and_doubles_nothing(
    site: Site, web: tuple[Started, str], run: Run, cookie: dict[str, str], chromium: str, owner: User
) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import ARGUMENTS
    from tests.browser.live_pages import LOSS

    started, url = web
    problems: list[str] = []
    asked = Request.objects.none()
    site.worker()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on(
            "console",
            lambda said: problems.append(said.text) if said.type == "error" and not LOSS.search(said.text) else None,
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        opened(page, f"{url}/runs/{run.uuid}?tab=events")
        asked = open_request(run, "task_approval")
        expect(page.get_by_role("button", name="Approve", exact=True)).to_be_visible()

        started.kill()
        expect(page.locator("[data-connection]").last).to_contain_text("Reconnecting", timeout=30_000)
        elsewhere(lambda: decide_approval(request=asked, approve=True, digest=asked.digest, by=owner) or True)
        open_request(run, "question")
        again = start_again(site, url)

        expect(page.locator("html")).to_have_attribute("data-connection", "live")
        expect(page.get_by_label("How many", exact=True)).to_be_visible()
        wait_for(lambda: shown_events(page) == stored_events(run), what="the events on the page")
        assert is_same(page)
        assert again.process.poll() is None
        browser.close()
    assert [text for text in problems if not LOSS.search(text)] == []
