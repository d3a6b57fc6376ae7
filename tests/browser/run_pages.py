"""A run that asks and reports, and what tests read off its page."""

from __future__ import annotations

import re
import socket
from typing import Any

from playwright.sync_api import Locator, Page, expect

from plans.models import Event, Request, Run
from tests.browser.live_pages import elsewhere
from tests.processes import Site, Started, status, wait_for

FIELDS = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "title": "How many"}}}


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


def opened(page: Page, address: str) -> Page:
    """Open an address and mark the document, so that a reload would be seen."""
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("data-connection", re.compile("live|polling"))
    page.evaluate("window.isSame = true")
    return page


def sent(page: Page, button: Locator) -> None:
    """Press a deciding button, wait for the page its POST leads to, and mark that one."""
    with page.expect_navigation():
        button.click()
    expect(page.locator("html")).to_have_attribute("data-connection", re.compile("live|polling"))
    page.evaluate("window.isSame = true")


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


def start_again(site: Site, url: str) -> Started:
    """Start daphne on the port it had."""
    with socket.create_server(("127.0.0.1", int(url.rpartition(":")[2]))) as listener:
        fd = listener.fileno()
        command = ("-m", "daphne", "-v", "0", "--fd", str(fd), "planner_site.asgi:application")
        web = site.start(*command, pass_fds=(fd,))
    wait_for(lambda: status(url), timeout=60, what="daphne to answer again")
    return web
