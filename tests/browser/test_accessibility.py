"""Every page for everyone (`reference/frontend.md` §6): axe in both themes, and what axe cannot see."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from playwright.sync_api import Page, expect

from plans.models import Run, Task
from tests.browser.reach import MOVING, OVER, SMALL, UNTIED, WIDE, tab_stops, violations
from tests.processes import Site, session_cookie
from tests.tour_runs import BROKEN, MIXED, drafts, edit, reach_budget
from tests.web.factories import approved_run, drained_run, review_run, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SIZE = "parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)"
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
            "playbooks": "/playbooks", "import": "/import", "system": "/system",
            "edit step": f"{self.runs['edited']}/step?step=t3",
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
    owner.user_permissions.add(Permission.objects.get(content_type__app_label="plans", codename="operate"))
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


def test_every_page_is_for_everyone_in_both_themes_on_a_phone_and_with_large_text(pages: Pages) -> None:
    """Each page is loaded once: axe, targets of 24 px, errors tied to their fields, reflow at 320 px and double text."""
    page, found, errors = pages.page, not_signed_in(pages), {}
    page.emulate_media(reduced_motion="reduce")
    for name, go in pages.ways().items():
        page.set_viewport_size({"width": 1440, "height": 900})
        page.emulate_media(color_scheme="light")
        go()
        errors[name] = page.locator("[aria-invalid=true]").count()
        found[f"{name}, light"] = violations(page) + page.evaluate(SMALL)
        page.emulate_media(color_scheme="dark")
        found[f"{name}, dark"] = violations(page)
        page.set_viewport_size({"width": 390, "height": 844})
        found[f"{name}, phone"] = violations(page) + page.evaluate(SMALL) + page.evaluate(UNTIED)
        page.set_viewport_size({"width": 320, "height": 640})
        found[f"{name}, 320 px"] = too_wide(page)
        page.set_viewport_size({"width": 1280, "height": 900})
        before = page.evaluate(SIZE)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        grown = page.evaluate(SIZE) / before
        found[f"{name}, double text"] = too_wide(page) + ([f"grows by {grown:.2f} only"] if grown < 1.99 else [])

    assert not told(found), told(found)
    assert all(errors[name] for name in ("new run, refused", "parameters", "import, refused")), errors


def too_wide(page: Page) -> list[str]:
    by = page.evaluate(WIDE)
    return [f"{by} px", *page.evaluate(OVER)] if by else []


def not_signed_in(pages: Pages) -> dict[str, list[str]]:
    """Return what axe finds on the login page and where nothing is: by a page of its own, for there a 404 is no problem."""
    found, browser = {}, pages.page.context.browser
    assert browser is not None
    quiet = browser.new_page()
    for scheme in SCHEMES:
        quiet.emulate_media(color_scheme=scheme)
        quiet.context.clear_cookies()
        quiet.goto(pages.url + "/login")
        found[f"login, {scheme}"] = violations(quiet)
        quiet.context.add_cookies(pages.page.context.cookies())
        quiet.goto(f"{pages.url}/runs/00000000-0000-0000-0000-000000000000")
        found[f"404, {scheme}"] = violations(quiet)
    quiet.context.close()
    return found


def test_motion_stops_when_it_is_unwanted(pages: Pages) -> None:
    pages.page.set_viewport_size({"width": 1440, "height": 900})
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
