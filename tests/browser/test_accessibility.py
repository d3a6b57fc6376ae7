"""Every page for everyone (`reference/frontend.md` §6): axe in both themes, and what axe cannot see."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, expect

from plans.models import Run, Task
from tests.browser.reach import MOVING, OVER, SMALL, UNTIED, WIDE, tab_stops, violations
from tests.processes import Site, session_cookie
from tests.tour_runs import BROKEN, MIXED, drafts, edit, reach_budget
from tests.web.factories import approved_run, drained_run, review_run, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

GOAL = "find the five pages with most traffic and make a bar chart report"
REPORTING: dict[str, Any] = {
    "schema": 1, "goal": "Say hello in a report", "result": ["report"],
    "tasks": [
        {"id": "t1", "name": "Take the greeting", "skill": "noop", "params": {"value": "hello"},
         "outputs": {"word": "text"}},
        {"id": "t2", "name": "Write the report", "skill": "report",
         "params": {"title": "A greeting", "body": "It says **{{ word }}**."}, "outputs": {"report": "html"}},
    ],
}  # fmt: skip


@dataclass
class Pages:
    """A browser that is signed in, and how each page is reached."""

    page: Page
    url: str
    runs: dict[str, str]

    def ways(self) -> dict[str, Callable[[], object]]:
        run, done = self.runs["moving"], self.runs["done"]
        paths = {
            "new run": "/", "new run, playbook chosen": "/?playbook=busiest_pages", "plan": self.runs["plan"],
            "plan that cannot run": self.runs["broken"], "run, running": run, "run, running, panel": f"{run}?task=t1",
            "run, asks": self.runs["asks"], "run, finished, graph": f"{done}?tab=graph",
            "run, finished, tasks and panel": f"{done}?tab=tasks&task=t1", "run, timeline": f"{done}?tab=timeline",
            "run, events": f"{done}?tab=events", "run, failed step": f"{self.runs['world']}?task=t1",
            "cancel": f"{run}/cancel", "runs": "/runs", "runs, nothing": "/runs?q=nothing+like+it", "inbox": "/inbox",
            "playbooks": "/playbooks", "import": "/import", "edit step": f"{self.runs['edited']}/step?step=t3",
            "revisions": f"{self.runs['edited']}/revisions",
            "alternatives": self.runs["drafts"],
            "model calls": f"{self.runs['world']}/calls", "model call": self.runs["call"],
            "budget": self.runs["budget"],
        }  # fmt: skip
        ways: dict[str, Callable[[], object]] = {
            name: lambda path=path: self.page.goto(self.url + path) for name, path in paths.items()
        }
        return ways | {
            "new run, refused": self.refused,
            "parameters": self.parameters,
            "import, refused": self.import_refused,
            "menu": self.menu,
        }

    def refused(self) -> None:
        self.page.goto(self.url + "/")
        self.page.get_by_label("Goal", exact=True).fill("no")
        self.page.get_by_role("button", name="Make a plan").click()
        expect(self.page.get_by_label("Goal", exact=True)).to_have_attribute("aria-invalid", "true")

    def parameters(self) -> None:
        """The second step, with a file field that is refused."""
        self.page.goto(self.url + "/")
        self.page.get_by_label("Goal", exact=True).fill(GOAL)
        self.page.get_by_role("button", name="Make a plan").click()
        expect(self.page.get_by_role("heading", name="Check the parameters")).to_be_visible()
        self.page.get_by_role("button", name="Make a plan").click()
        self.page.wait_for_load_state()

    def import_refused(self) -> None:
        self.page.goto(self.url + "/import")
        self.page.get_by_role("button", name="Check and import").click()
        self.page.wait_for_load_state()

    def menu(self) -> None:
        self.page.goto(self.url + "/playbooks")
        self.page.locator("details[data-menu] summary").click()
        expect(self.page.get_by_role("button", name="Log out")).to_be_visible()


@pytest.fixture
def runs(owner: User) -> dict[str, str]:
    """Return addresses of runs in every state that looks different; the engine made them, here in this process."""
    moving = approved_run(owner, MIXED)
    now = timezone.now()
    lease = {"claimed_by": "w", "lease_expires_at": now + timedelta(hours=1)}
    Task.objects.filter(run=moving, key="t1").update(state="running", started_at=now, attempt=1, **lease)
    made: dict[str, Run] = {
        "moving": moving,
        "done": drained_run(owner, REPORTING),
        "asks": drained_run(owner, MIXED | {"goal": "Check the orders once more"}),
        "world": (rows := world(owner)).run,
    }
    addresses = {name: f"/runs/{run.uuid}" for name, run in made.items()}
    dear = world(owner).run
    reach_budget(dear)
    addresses |= {"budget": f"/runs/{dear.uuid}", "call": f"/runs/{rows.run.uuid}/calls/{rows.call.pk}"}
    plans = {
        "plan": review_run(owner, MIXED), "broken": review_run(owner, BROKEN), "edited": edit(review_run(owner, MIXED)),
        "drafts": drafts(review_run(owner, MIXED)),
    }  # fmt: skip
    return addresses | {name: f"/runs/{run.uuid}/plan" for name, run in plans.items()}


@pytest.fixture
def url(runs: dict[str, str], site: Site) -> str:
    return site.web()[1]


@pytest.fixture
def cookie(owner: User) -> dict[str, str]:
    return session_cookie(owner)


@pytest.fixture
def pages(cookie: dict[str, str], url: str, runs: dict[str, str], page: Page) -> Pages:
    page.context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
    return Pages(page, url, runs)


def told(found: dict[str, list[str]]) -> str:
    """Return the findings, one a line with the pages it is on."""
    pages: dict[str, list[str]] = {}
    for name, texts in found.items():
        for text in texts:
            pages.setdefault(text, []).append(name)
    return "\n".join(f"{text}  ON  {'; '.join(names)}" for text, names in pages.items())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_light_or_dark(pages: Pages, scheme: Literal["light", "dark"]) -> None:
    found: dict[str, list[str]] = {}
    browser = pages.page.context.browser
    assert browser is not None
    quiet = browser.new_page(color_scheme=scheme)  # what is missing on purpose is no problem of the page
    quiet.goto(pages.url + "/login")
    found["login"] = violations(quiet)
    quiet.context.add_cookies(pages.page.context.cookies())
    quiet.goto(f"{pages.url}/runs/00000000-0000-0000-0000-000000000000")
    found["404"] = violations(quiet)
    pages.page.set_viewport_size({"width": 1440, "height": 900})
    pages.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for name, go in pages.ways().items():
        go()
        found[name] = violations(pages.page)

    assert not told(found), told(found)


def test_a_phone_has_targets_of_24_px_tied_errors_and_nothing_axe_finds(pages: Pages) -> None:
    found: dict[str, list[str]] = {}
    errors: dict[str, int] = {}
    pages.page.set_viewport_size({"width": 390, "height": 844})
    for name, go in pages.ways().items():
        go()
        untied = pages.page.evaluate(UNTIED)
        errors[name] = pages.page.locator("[aria-invalid=true]").count()
        if problems := violations(pages.page) + pages.page.evaluate(SMALL) + untied:
            found[name] = problems

    assert not told(found), told(found)
    assert all(errors[name] for name in ("new run, refused", "parameters", "import, refused")), errors


def test_pages_reflow_at_320_px_and_with_text_of_double_size(pages: Pages) -> None:
    wide: dict[str, list[str]] = {}
    size = "parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)"
    for name, go in pages.ways().items():
        pages.page.set_viewport_size({"width": 320, "height": 640})
        go()
        if by := pages.page.evaluate(WIDE):
            wide[f"{name}, 320 px"] = [f"{by} px", *pages.page.evaluate(OVER)]
        pages.page.set_viewport_size({"width": 1280, "height": 900})
        before = pages.page.evaluate(size)
        pages.page.evaluate("document.documentElement.style.fontSize = '200%'")
        if (times := pages.page.evaluate(size) / before) < 1.99:
            wide[f"{name}, text"] = [f"grows by {times:.2f} only"]
        if by := pages.page.evaluate(WIDE):
            wide[f"{name}, double text"] = [f"{by} px", *pages.page.evaluate(OVER)]

    assert not told(wide), told(wide)


def test_targets_on_a_wide_screen_are_24_px_and_motion_stops_when_it_is_unwanted(pages: Pages) -> None:
    small: dict[str, list[str]] = {}
    pages.page.set_viewport_size({"width": 1440, "height": 900})
    for name, go in pages.ways().items():
        go()
        if problems := pages.page.evaluate(SMALL):
            small[name] = problems
    assert not told(small), told(small)

    pages.page.goto(pages.url + pages.runs["moving"])
    expect(pages.page.locator('.node[data-key="t1"]')).to_have_class(re.compile("st-running"))
    assert pages.page.evaluate(MOVING) != []
    pages.page.emulate_media(reduced_motion="reduce")
    for path in (pages.runs["moving"], f"{pages.runs['moving']}?tab=tasks", "/runs", "/"):
        pages.page.goto(pages.url + path)
        assert (path, pages.page.evaluate(MOVING)) == (path, [])


def test_every_tab_stop_shows_its_focus_the_graph_has_one_and_letters_stay_letters(pages: Pages) -> None:
    hidden: dict[str, list[str]] = {}
    for path in ("/", pages.runs["asks"], f"{pages.runs['done']}?tab=graph&task=t1", pages.runs["plan"]):
        pages.page.goto(pages.url + path)
        stops = tab_stops(pages.page)
        hidden[path] = [stop["what"] for stop in stops if not (stop["isShown"] and stop["isInView"])]
        assert len(stops) > 8
        has_graph = pages.page.locator("svg.dag").count()
        inside = [stop["what"] for stop in stops if stop["isGraph"]]
        assert len(inside) == has_graph, (path, inside)
    assert not told(hidden), told(hidden)

    letters = "a f + - / ? 0"
    for path, field in (("/", "textarea"), (pages.runs["asks"], "input[type=search]"), ("/runs", "input[type=search]")):
        pages.page.goto(pages.url + path)
        into = pages.page.locator(field).first
        into.click()
        pages.page.keyboard.type(letters)
        expect(into).to_have_value(letters)
        expect(into).to_be_focused()
