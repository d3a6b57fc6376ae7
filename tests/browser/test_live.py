"""live.js and runpage.js in a real Chromium against a real daphne that is killed, stopped, blocked and signed out of."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from plans.engine.requests import decide_approval
from plans.models import Event, Request, Run
from tests.browser.conftest import ARGUMENTS
from tests.browser.live_pages import SETTINGS, Live, elsewhere
from tests.engine.plant import Plant
from tests.processes import Site, session_cookie
from tests.web.factories import approved_run
from tests.web.live.rows import burst

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def made(owner: User) -> Run:
    """Return a run with a step that asks for approval and one after it."""
    tasks = [{"id": "ask", "skill": "noop", "approval": "always"}, {"id": "b", "skill": "noop", "depends_on": ["ask"]}]
    run = approved_run(owner, {"schema": 1, "goal": "Live", "tasks": tasks})
    Plant().drain()
    run.refresh_from_db()
    return run


@pytest.fixture
def live(site: Site, made: Run, owner: User, chromium: str) -> Iterator[Live]:
    web, url = site.web(DJANGO_SETTINGS_MODULE=SETTINGS)
    cookie = session_cookie(owner)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        context = browser.new_context()
        sign_in(context, url, cookie)
        live = Live(site, web, url, made, context, [])
        yield live
        browser.close()
    assert live.problems == []


def sign_in(context: BrowserContext, url: str, cookie: dict[str, str]) -> None:
    context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])


def word(page: Page, key: str) -> Any:
    return page.locator(f'[data-task-row][data-key="{key}"] [data-state-word]')


def elapsed(page: Page, key: str) -> Any:
    return page.locator(f'[data-task-row][data-key="{key}"] [data-elapsed]')


def is_live(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("data-connection", "live")


def numbers(page: Page) -> list[int]:
    """Return the event rows on the page, oldest first."""
    return [
        int(text)
        for text in reversed(page.eval_on_selector_all("[data-events-list] li", "l => l.map(e => e.dataset.seq)"))
    ]


def all_numbers(run: Run) -> list[int]:
    return list(Event.objects.filter(run=run).order_by("seq").values_list("seq", flat=True))


def test_states_words_and_counts_move_without_a_reload(live: Live) -> None:
    page = live.open()
    is_live(page)
    page.evaluate("window.isSame = true")

    live.running("b")
    expect(word(page, "b")).to_have_text("Running")
    expect(page.locator('[data-key="b"]')).to_have_class("s-running")
    live.succeeded("b")
    expect(word(page, "b")).to_have_text("Succeeded")
    expect(page.locator("[data-run-done]")).to_have_text("1")

    assert page.evaluate("window.isSame") is True
    assert numbers(page) == elsewhere(lambda: all_numbers(live.run))


def test_timers_tick_from_server_time_stop_at_the_end_and_rest_in_a_hidden_tab(live: Live) -> None:
    page = live.open(
        "Object.defineProperty(document, 'hidden', { get: () => Boolean(window.isHidden) });"
        "const real = Date.now; Date.now = () => real() - 7 * 3600 * 1000;"
    )
    is_live(page)
    elsewhere(lambda: start_now(live.run))
    live.running("b")

    expect(elapsed(page, "b")).to_have_text(re.compile(r"^[1-9] s$"))
    page.evaluate("window.isHidden = true")
    before = elapsed(page, "b").text_content()
    page.wait_for_function("start => performance.now() - start > 2500", arg=page.evaluate("performance.now()"))
    assert elapsed(page, "b").text_content() == before
    page.evaluate("window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    expect(elapsed(page, "b")).not_to_have_text(before or "")

    elsewhere(lambda: end_now(live.run))
    live.succeeded("b")
    expect(elapsed(page, "b")).to_have_text("90 ms")


def start_now(run: Run) -> bool:
    from django.utils import timezone

    return bool(run.tasks.filter(key="b").update(started_at=timezone.now()))


def end_now(run: Run) -> bool:
    from datetime import timedelta

    from django.db.models import F

    return bool(run.tasks.filter(key="b").update(ended_at=F("started_at") + timedelta(milliseconds=90)))


def test_C39_a_killed_server_shows_reconnecting_and_the_page_goes_on_after_its_restart(live: Live) -> None:
    page = live.open()
    is_live(page)
    page.evaluate("window.isSame = true")

    live.web.kill()
    expect(page.locator("[data-connection]").last).to_contain_text("Reconnecting", timeout=30_000)
    live.running("b")
    elsewhere(lambda: burst(live.run, 30, key="b") or True)
    live.start()

    is_live(page)
    expect(word(page, "b")).to_have_text("Running")
    expect(page.locator("[data-connection]").last).to_be_hidden()
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    assert page.evaluate("window.isSame") is True
    assert numbers(page) == elsewhere(lambda: all_numbers(live.run))


def test_a_server_that_says_nothing_is_noticed_by_its_missing_beat(live: Live) -> None:
    page = live.open()
    is_live(page)

    os.kill(live.web.pid, signal.SIGSTOP)
    expect(page.locator("[data-connection]").last).to_contain_text("Reconnecting", timeout=30_000)
    os.kill(live.web.pid, signal.SIGCONT)

    is_live(page)


def test_blocked_sockets_fall_back_to_polling_and_show_the_same(live: Live) -> None:
    live.context.route_web_socket(re.compile("/ws/"), lambda ws: ws.close(code=4000, reason="blocked"))
    page = live.open()

    expect(page.locator("html")).to_have_attribute("data-connection", "polling")
    live.running("b")
    expect(word(page, "b")).to_have_text("Running")
    live.succeeded("b")
    expect(word(page, "b")).to_have_text("Succeeded")
    assert numbers(page) == elsewhere(lambda: all_numbers(live.run))


def test_title_and_favicon_say_that_something_waits_until_it_is_decided_elsewhere(live: Live, owner: User) -> None:
    page = live.open()
    expect(page).to_have_title("(1) Needs approval · Needs approval: Live")
    expect(page.locator('link[rel="icon"]')).to_have_attribute("href", re.compile("favicon-dot"))

    elsewhere(lambda: approve(live.run, owner))

    expect(page).to_have_title("Running: Live")
    expect(page.locator('link[rel="icon"]')).not_to_have_attribute("href", re.compile("favicon-dot"))


def approve(run: Run, by: User) -> bool:
    request = Request.objects.get(run=run, kind="task_approval")
    decide_approval(request=request, approve=True, digest=request.digest, by=by)
    return True


def test_a_decision_in_one_tab_takes_the_banner_out_of_the_other(live: Live) -> None:
    one, two = live.open(), live.open()
    is_live(one)
    is_live(two)

    one.get_by_role("button", name="Approve").click()

    expect(two.locator("[data-request]")).to_have_count(0)
    expect(word(two, "ask")).to_have_text("Ready")


def test_C20_someone_who_types_keeps_the_text_and_learns_who_decided(operator: User, live: Live) -> None:
    page = live.open()
    is_live(page)
    page.get_by_text("Add a comment").click()
    page.get_by_label("Comment").fill("I was about to say")

    elsewhere(lambda: approve(live.run, operator))

    expect(page.get_by_text("This has been decided by operator.")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_be_disabled()
    expect(page.get_by_label("Comment")).to_have_value("I was about to say")
    page.get_by_label("Comment").fill("")
    page.get_by_label("Comment").blur()
    expect(page.locator("[data-request]")).to_have_count(0)


def test_C25_the_end_of_the_run_shows_its_result_without_a_reload(live: Live, owner: User) -> None:
    page = live.open()
    is_live(page)

    elsewhere(lambda: approve(live.run, owner) and (Plant().drain() or True))

    expect(page.locator("#run-word")).to_have_text("Succeeded")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    expect(page.locator("[data-announce]")).to_contain_text("Run succeeded.")
    expect(page).to_have_title("Succeeded: Live")


def test_C41_an_ended_session_keeps_the_page_and_catches_up_after_the_login(live: Live, owner: User) -> None:
    page = live.open()
    is_live(page)
    page.evaluate("window.isSame = true")

    elsewhere(lambda: Session.objects.all().delete())
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    live.running("b")
    sign_in(live.context, live.url, elsewhere(lambda: session_cookie(owner)))

    expect(word(page, "b")).to_have_text("Running", timeout=10_000)
    is_live(page)
    assert page.evaluate("window.isSame") is True
    assert numbers(page) == elsewhere(lambda: all_numbers(live.run))


def test_C43_a_burst_of_a_thousand_events_ends_with_the_truth_in_the_page(live: Live) -> None:
    page = live.open()
    is_live(page)
    page.evaluate("window.frames_seen = 0; addEventListener('plans:run', () => { window.frames_seen += 1; })")

    elsewhere(lambda: burst(live.run, 1000, key="b") or True)
    live.running("b")

    expect(word(page, "b")).to_have_text("Running")
    end = elsewhere(lambda: all_numbers(live.run))[-1]
    expect(page.locator(f'[data-events-list] li[data-seq="{end}"]')).to_be_visible()
    assert page.evaluate("window.frames_seen") < 100
    assert numbers(page) == elsewhere(lambda: all_numbers(live.run))[-100:]
