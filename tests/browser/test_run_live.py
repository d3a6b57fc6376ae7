"""The run page in Chromium on a real daphne and a real worker: it moves, asks, agrees, survives and can be used by keys."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from plans.engine.requests import decide_approval
from plans.models import Event, Request, Run
from tests.browser.live_pages import elsewhere
from tests.processes import Site, Started, session_cookie, status, wait_for
from tests.web.factories import approved_run, review_run, simple_plan, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

FIELDS = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "title": "How many"}}}
STRANGE = [
    "w" * 5000,
    "界" * 500,
    "نص عربي طويل " * 40,
    "👩‍💻" * 90,
    "<img src=x onerror=alert(1)>",
    "a\u202eb {{ 7*7 }}",
]


def asking_plan() -> dict[str, Any]:
    """Return a plan with an ordinary step, one to approve, a question and a report."""
    return {
        "schema": 1, "goal": "Count and report", "result": ["report"],
        "milestones": [{"id": "m1", "name": "Prepare"}, {"id": "m2", "name": "Tell"}],
        "tasks": [
            {"id": "first", "name": "Take the word", "skill": "noop", "params": {"value": "hello"}, "milestone": "m1",
             "outputs": {"word": "text"}},
            {"id": "risky", "name": "Do the risky thing", "skill": "noop", "params": {"value": "{{ word }}"},
             "milestone": "m1", "approval": "always", "outputs": {"done": "text"}},
            {"id": "ask", "name": "Ask how many", "skill": "ask_human", "depends_on": ["risky"], "milestone": "m2",
             "params": {"question": "How many are there?", "fields": FIELDS}, "outputs": {"answer": "object"}},
            {"id": "tell", "name": "Write the report", "skill": "report", "milestone": "m2",
             "params": {"title": "What was counted", "body": "There are **{{ answer.n }}**, said {{ done }}."},
             "outputs": {"report": "html"}},
        ],
    }  # fmt: skip


@pytest.fixture
def run(owner: User) -> Run:
    return approved_run(owner, asking_plan())


@pytest.fixture
def strange(owner: User) -> list[str]:
    """Return addresses of runs whose every field holds hostile or endless text."""
    runs = [world(owner, goal=text, text=text[:500]).run for text in STRANGE]
    reviews = [review_run(owner, simple_plan(goal=text)) for text in STRANGE[:2]]
    queries = ["", "?tab=graph", "?tab=tasks", "?tab=timeline", "?tab=events", "?task=t1", "?tab=tasks&task=t1"]
    return [f"/runs/{one.uuid}{query}" for one in runs for query in queries] + [f"/runs/{one.uuid}" for one in reviews]


@pytest.fixture
def cookie(owner: User) -> dict[str, str]:
    return session_cookie(owner)


@pytest.fixture
def web(site: Site, run: Run, cookie: dict[str, str]) -> tuple[Started, str]:
    return site.web()


@pytest.fixture
def url(web: tuple[Started, str], page: Page, cookie: dict[str, str]) -> str:
    """Return the site's address; the browser is signed in there."""
    page.context.add_cookies([{"name": name, "value": value, "url": web[1]} for name, value in cookie.items()])
    return web[1]


def opened(page: Page, address: str) -> Page:
    """Open an address and mark the document, so that a reload would be seen."""
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-connection", re.compile("live|polling"))
    page.evaluate("window.isSame = true")
    return page


def is_same(page: Page) -> bool:
    return page.evaluate("window.isSame === true")


def node(page: Page, key: str) -> Any:
    return page.locator(f'.node[data-key="{key}"]')


def row(page: Page, key: str) -> Any:
    return page.locator(f'.srow[data-key="{key}"]')


def shown_events(page: Page) -> list[int]:
    rows = page.eval_on_selector_all("[data-run-events] > li", "rows => rows.map(row => Number(row.dataset.event))")
    return list(reversed(rows))


def stored_events(run: Run) -> list[int]:
    return elsewhere(lambda: list(Event.objects.filter(run=run).order_by("seq").values_list("seq", flat=True)))


def open_request(run: Run, kind: str) -> Request:
    def found() -> list[Request]:
        return list(Request.objects.filter(run=run, kind=kind, state="open"))

    return wait_for(lambda: elsewhere(found), what=f"an open {kind}")[0]


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

    page.get_by_role("button", name="Approve", exact=True).click()
    opened(page, page.url)
    expect(page.get_by_label("How many", exact=True)).to_be_visible()
    assert is_same(page)
    page.get_by_label("How many", exact=True).fill("12")
    page.get_by_role("button", name="Answer", exact=True).click()
    opened(page, page.url)

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
        expect(page.locator("[data-connection]").last).to_contain_text("Reconnecting", timeout=5000)
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


def start_again(site: Site, url: str) -> Started:
    """Start daphne on the port it had."""
    with socket.create_server(("127.0.0.1", int(url.rpartition(":")[2]))) as listener:
        fd = listener.fileno()
        command = ("-m", "daphne", "-v", "0", "--fd", str(fd), "planner_site.asgi:application")
        web = site.start(*command, pass_fds=(fd,))
    wait_for(lambda: status(url), timeout=60, what="daphne to answer again")
    return web


def test_point_24_a_task_has_an_address_that_reload_back_and_close_keep(url: str, run: Run, page: Page) -> None:
    opened(page, f"{url}/runs/{run.uuid}?tab=tasks")

    row(page, "first").click()
    expect(page.locator("#task h2")).to_have_text("Take the word")
    expect(page).to_have_url(re.compile(r"\?tab=tasks&task=first$"))
    assert is_same(page)
    page.locator("#task").get_by_role("link", name="Do the risky thing").click()
    expect(page.locator("#task h2")).to_have_text("Do the risky thing")
    page.reload()
    expect(page.locator("#task h2")).to_have_text("Do the risky thing")
    page.go_back()
    expect(page.locator("#task h2")).to_have_text("Take the word")
    page.locator("[data-panel-close]").click()
    expect(page.locator("#task")).to_be_hidden()
    expect(row(page, "first")).to_be_focused()


def test_a_node_opens_the_panel_and_tabs_change_without_a_reload(url: str, run: Run, page: Page) -> None:
    opened(page, f"{url}/runs/{run.uuid}")

    node(page, "first").click()
    expect(page.locator("#task h2")).to_have_text("Take the word")
    for name, seen in (
        ("Timeline", "Nothing has started yet."),
        ("Events", "Plan approved."),
        ("Tasks", "Ask how many"),
    ):
        page.get_by_role("link", name=re.compile(f"^{name}")).click()
        expect(page.locator(f'[data-tab-panel="{name.lower()}"]')).to_contain_text(seen)
        expect(page.locator(f'[data-tab-panel="{name.lower()}"]')).to_be_visible()
        expect(page).to_have_url(re.compile(f"tab={name.lower()}.*task=first|task=first.*tab={name.lower()}"))
    page.get_by_role("link", name="Problems").is_hidden()
    page.go_back()
    expect(page.locator('[data-tab-panel="events"]')).to_be_visible()
    page.get_by_role("link", name="Plan", exact=True).last.click()
    expect(page.locator("[data-run-events]")).to_have_attribute("data-kinds", "plan")
    assert is_same(page)


def test_point_33_keys_alone_lead_to_a_decision_and_a_only_focuses(site: Site, url: str, run: Run, page: Page) -> None:
    site.worker()
    asked = open_request(run, "task_approval")
    opened(page, f"{url}/runs/{run.uuid}?tab=tasks")

    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Approve", exact=True)).to_be_focused()
    assert elsewhere(lambda: Request.objects.get(pk=asked.pk).state) == "open"

    row(page, "first").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#task")).to_be_focused()
    page.keyboard.press("Escape")
    expect(row(page, "first")).to_be_focused()

    page.keyboard.press("a")
    page.keyboard.press("Enter")
    opened(page, page.url)
    expect(page.get_by_label("How many", exact=True)).to_be_visible()
    assert elsewhere(lambda: Request.objects.get(pk=asked.pk).decision) == "approve"


def test_a_letter_in_a_field_is_only_a_letter(site: Site, url: str, run: Run, page: Page) -> None:
    site.worker()
    open_request(run, "task_approval")
    opened(page, f"{url}/runs/{run.uuid}")

    page.get_by_text("Add a comment").click()
    page.get_by_label("Comment (optional)").click()
    page.keyboard.type("a banana")

    expect(page.get_by_label("Comment (optional)")).to_have_value("a banana")


def test_point_43_a_phone_begins_with_the_tasks_and_a_panel_fills_it(url: str, run: Run, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, f"{url}/runs/{run.uuid}")
    expect(row(page, "first")).to_be_visible()
    expect(node(page, "first")).to_be_hidden()

    row(page, "first").click()
    expect(page.locator("#task h2")).to_be_visible()
    assert page.locator("#task").bounding_box()["width"] == 390
    page.locator("[data-panel-close]").click()
    page.get_by_role("link", name="Graph").click()
    expect(node(page, "first")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_hostile_text_of_any_script_is_text_and_nothing_runs_over(
    strange: list[str], url: str, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))

    for path in strange:
        page.goto(url + path)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert (path, wide) == (path, 0)
        assert page.locator("main img[src='x']").count() == 0


def test_without_javascript_the_tasks_the_panel_and_a_decision_work(
    site: Site, web: tuple[Started, str], run: Run, cookie: dict[str, str], page: Page
) -> None:
    site.worker()
    asked = open_request(run, "task_approval")
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": name, "value": value, "url": web[1]} for name, value in cookie.items()])
    plain = context.new_page()
    plain.goto(f"{web[1]}/runs/{run.uuid}")
    expect(node(plain, "first")).to_be_visible()

    plain.get_by_role("link", name=re.compile("^Tasks")).click()
    row(plain, "first").click()
    expect(plain.locator("#task h2")).to_have_text("Take the word")
    plain.get_by_role("link", name="Close").click()
    expect(plain.locator("#task")).to_be_hidden()
    plain.get_by_role("button", name="Approve", exact=True).click()

    wait_for(lambda: elsewhere(lambda: Request.objects.get(pk=asked.pk).state) == "decided", what="the decision")
    context.close()
