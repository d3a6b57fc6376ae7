"""A real Chromium: fails a test on console errors and failed requests, keeps a screenshot of a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, expect, sync_playwright

from plans.models import Run
from tests.browser.run_pages import asking_plan
from tests.parts import need_program, skip_for
from tests.processes import Site, Started, session_cookie
from tests.web.factories import approved_run

# A busy machine is not a fault of the page: what has to come is waited for, how soon it comes is for the bench to say.
expect.set_options(timeout=30_000)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = Path(os.environ.get("PLANS_TEST_PICTURES", "")) if os.environ.get("PLANS_TEST_PICTURES") else None


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a Chromium."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).is_file() else skip_for(f"CHROMIUM={named}")
    return need_program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Let the `page` fixture know whether the test has failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@contextmanager
def launched(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def started_browser(chromium: str) -> Iterator[Browser]:
    """Return a browser. While it is there its loop forbids the database in this thread: only tests without one share it."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def page(started_browser: Browser, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    """Return a page; at the end of the test everything the browser complained about is a failure."""
    problems: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            problems.append(f"console {message.type}: {message.text}")

    def answered(response: Response) -> None:
        if response.status >= 400:
            problems.append(f"{response.status} {response.url}")

    def failed(failed: Request) -> None:
        # Aborted is what a download does to its navigation and what leaving a page does to what it was asking for.
        if failed.failure != "net::ERR_ABORTED":
            problems.append(f"{failed.failure} {failed.url}")

    page = started_browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(20_000)
    page.on("console", said)
    page.on("pageerror", lambda error: problems.append(f"page error: {error}"))
    page.on("response", answered)
    page.on("requestfailed", failed)
    yield page
    if request.node.stash.get(FAILED, True) or problems:
        folder = PICTURES or tmp_path
        page.screenshot(path=folder / f"{request.node.name[:80]}.png", full_page=True)
    page.context.close()
    assert problems == []


@pytest.fixture
def run(owner: User) -> Run:
    return approved_run(owner, asking_plan())


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
