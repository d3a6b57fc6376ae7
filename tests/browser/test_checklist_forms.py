"""The checkable points of `reference/frontend.md` §5 about forms, the plan, the history and the frame, in Chromium.

Points 10 and 12 (the difference of two revisions, a fix for each check) and "Ask for changes" of 13 belong to editing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from plans.models import Attempt, Run
from tests.browser.live_pages import elsewhere
from tests.browser.reach import WIDE, settled
from tests.processes import Site, session_cookie
from tests.tour_runs import BROKEN, MIXED
from tests.web.factories import drained_run, review_run, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

GOAL = "find the five pages with most traffic and make a bar chart report"
LARGEST = 2_000_000
LOG = Path(__file__).resolve().parents[2] / "plans" / "samples" / "access.log"
RISKY: dict[str, Any] = {
    "schema": 1, "goal": "Close the month",
    "tasks": [
        {"id": "t1", "name": "Collect the orders", "skill": "noop", "params": {"value": 1},
         "outputs": {"orders": "json"}},
        {"id": "t2", "name": "Close the books", "description": "No entry is possible after this.", "skill": "noop",
         "params": {"value": "{{ orders }}"}, "risk": "high", "estimate": {"seconds": 120}, "expected_output": "A closed month",
         "outputs": {"closed": "json"}},
    ],
    "rollback": "Open the month again in the ledger.",
}  # fmt: skip


@pytest.fixture
def url(site: Site) -> str:
    return site.web(PLANS_MAX_UPLOAD_BYTES=str(LARGEST))[1]


@pytest.fixture
def runs(owner: User) -> dict[str, str]:
    """Return addresses of runs; the rows are made before a browser is there (its loop forbids them)."""
    plans = {"mixed": MIXED, "broken": BROKEN, "risky": RISKY}
    made = {name: f"/runs/{review_run(owner, plan).uuid}/plan" for name, plan in plans.items()}
    return made | {"world": f"/runs/{world(owner).run.uuid}", "done": f"/runs/{drained_run(owner).uuid}"}


@pytest.fixture
def cookies(owner: User, url: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value, "url": url} for name, value in session_cookie(owner).items()]


@pytest.fixture
def signed_in(runs: dict[str, str], cookies: list[dict[str, str]], page: Page) -> Page:
    page.context.add_cookies(cookies)
    return page


@pytest.fixture
def browser(page: Page) -> Browser:
    browser = page.context.browser
    assert browser is not None
    return browser


def goal(page: Page) -> Any:
    return page.get_by_label("Goal", exact=True)


def make_a_plan(page: Page) -> Any:
    return page.get_by_role("button", name="Make a plan")


def test_point_01_a_short_goal_is_refused_in_place_with_focus_and_text(url: str, signed_in: Page) -> None:
    page = signed_in
    page.goto(url + "/")
    page.evaluate("window.isSame = true")
    goal(page).fill("sales")

    make_a_plan(page).click()

    expect(page.locator("#id_goal_error")).to_contain_text("Write a little more")
    expect(goal(page)).to_be_focused()
    expect(goal(page)).to_have_value("sales")
    assert page.evaluate("window.isSame") is True
    goal(page).fill("sales by month as a chart")
    expect(page.locator("#id_goal_error")).to_be_hidden()


def test_point_02_control_enter_sends_and_a_double_click_makes_one_run(url: str, signed_in: Page) -> None:
    page = signed_in
    before = elsewhere(Run.objects.count)
    page.goto(url + "/")
    goal(page).fill(GOAL)
    page.get_by_label("Attachments").set_input_files(str(LOG))
    goal(page).press("Control+Enter")
    expect(page.get_by_role("heading", name="Check the parameters")).to_be_visible()

    # Two submits in the same turn of the page's loop: quicker than any hand.
    page.evaluate("""() => {
      const button = document.querySelector("form[data-once] button.primary");
      button.click();
      button.click();
    }""")

    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]+/plan$"))
    assert elsewhere(Run.objects.count) == before + 1


def test_point_03_files_are_dropped_chosen_and_removed_by_keys_and_errors_name_the_file(
    url: str, signed_in: Page
) -> None:
    page = signed_in
    page.goto(url + "/")
    page.locator("[data-drop]").evaluate("""zone => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["a,b"], "dropped.csv"));
      zone.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }""")
    chosen = page.locator("[data-chosen] li")
    expect(chosen).to_have_text([re.compile("dropped.csv")])
    files = page.get_by_label("Attachments")
    files.set_input_files({"name": "chosen.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"})
    expect(chosen).to_have_text([re.compile("dropped.csv"), re.compile("chosen.csv")])

    page.get_by_role("button", name="Remove dropped.csv").focus()
    page.keyboard.press("Enter")
    expect(chosen).to_have_text([re.compile("chosen.csv")])
    expect(page.get_by_role("button", name="Remove chosen.csv")).to_be_focused()
    files.set_input_files({"name": "huge.csv", "mimeType": "text/csv", "buffer": b"x" * (LARGEST + 1)})
    expect(page.locator("#id_files_error")).to_contain_text("huge.csv is larger than")
    expect(chosen).to_have_text([re.compile("chosen.csv")])

    goal(page).fill(GOAL)
    make_a_plan(page).click()
    expect(page.locator("main li", has_text="chosen.csv").first).to_be_visible()
    expect(page.get_by_text("dropped.csv")).to_have_count(0)


def test_points_04_and_05_without_javascript_choices_survive_an_error_and_a_plan_renders(
    url: str, runs: dict[str, str], cookies: list[dict[str, str]], browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(url + "/")
    page.get_by_role("radio", name=re.compile("I approve each step")).check()
    goal(page).fill("short")
    make_a_plan(page).click()
    expect(page.locator("#id_goal_error")).to_be_visible()
    expect(goal(page)).to_have_value("short")
    expect(page.get_by_role("radio", name=re.compile("I approve each step"))).to_be_checked()

    goal(page).fill(GOAL)
    page.get_by_label("Attachments").set_input_files(str(LOG))
    make_a_plan(page).click()
    expect(page.get_by_role("heading", name="Check the parameters")).to_be_visible()
    make_a_plan(page).click()
    expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]+/plan$"))
    assert elsewhere(lambda: Run.objects.order_by("-pk")[0].autonomy) == "every_step"
    page.goto(url + runs["mixed"])
    expect(page.locator("svg.dag")).to_be_visible()
    expect(page.get_by_role("button", name="Approve and run")).to_be_enabled()
    context.close()


def test_point_06_wide_characters_and_emoji_are_counted_by_code_point_up_to_8000(url: str, signed_in: Page) -> None:
    page = signed_in
    page.goto(url + "/")
    count = page.locator("[data-count]")
    goal(page).fill("界👍é" * 2)
    expect(count).to_have_text(re.compile(r"^6 / "))

    goal(page).fill("界" * 4000 + "👍" * 4000)
    expect(count).to_have_text(re.compile(r"^8000 / "))
    make_a_plan(page).click()
    page.wait_for_load_state()
    expect(page.locator("#id_goal_error")).to_have_count(0)

    page.goto(url + "/")
    goal(page).fill("👍" * 8001)
    make_a_plan(page).click()
    expect(page.locator("#id_goal_error")).to_contain_text(re.compile("8,?000"))
    expect(goal(page)).to_have_value("👍" * 8001)


def test_points_07_08_and_11_a_plan_says_that_nothing_runs_why_it_cannot_and_what_each_step_does(
    url: str, runs: dict[str, str], signed_in: Page
) -> None:
    page = signed_in
    page.goto(url + runs["risky"])
    expect(page.get_by_text("Nothing runs before approval.")).to_be_visible()
    uuid = runs["risky"].split("/")[2]
    assert elsewhere(lambda: Attempt.objects.filter(task__run__uuid=uuid).count()) == 0
    step = page.locator('[data-step="t2"]')
    for text in ("Gives: A closed month", "after Collect the orders", "No entry is possible after this."):
        expect(step).to_contain_text(text)
    expect(step.locator(".pill", has_text="High risk")).to_be_visible()
    expect(step.locator(".sum")).to_have_text("2m 00s")
    expect(page.locator("main")).to_contain_text("To undo: Open the month again in the ledger.")

    page.goto(url + runs["broken"])
    approve = page.get_by_role("button", name="Approve and run")
    expect(approve).to_be_disabled()
    reason = page.locator(f"#{approve.get_attribute('aria-describedby')}")
    expect(reason).to_contain_text("must be fixed before this plan can be approved")


def test_point_13_a_rejection_takes_a_comment_and_nothing_runs(url: str, runs: dict[str, str], signed_in: Page) -> None:
    page = signed_in
    page.goto(url + runs["mixed"])
    page.get_by_text("Comment or change request").click()
    page.get_by_label(re.compile("^Comment")).fill("The quarter is wrong.")

    page.get_by_role("button", name="Reject").click()

    expect(page.get_by_text("The quarter is wrong.").first).to_be_visible()
    uuid = runs["mixed"].split("/")[2]
    assert elsewhere(lambda: Run.objects.get(uuid=uuid).state) in {"rejected", "cancelled"}


def test_point_42_filters_are_in_the_address_and_survive_a_visit(
    url: str, runs: dict[str, str], signed_in: Page
) -> None:
    page = signed_in
    page.goto(url + "/runs")
    page.get_by_role("searchbox", name="Search goals").fill("busiest")
    expect(page).to_have_url(re.compile(r"/runs\?q=busiest$"))
    rows = page.locator("#history a[href^='/runs/']")
    expect(rows.first).to_contain_text("busiest")
    expect(page.get_by_text("Close the month")).to_have_count(0)

    rows.first.click()
    expect(page).to_have_url(re.compile(runs["world"]))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/runs\?q=busiest$"))
    expect(page.get_by_role("searchbox", name="Search goals")).to_have_value("busiest")
    page.reload()
    expect(page.get_by_text("Close the month")).to_have_count(0)


def test_point_43_no_page_scrolls_sideways_at_any_width_and_tasks_come_first_on_a_phone(
    url: str, runs: dict[str, str], signed_in: Page
) -> None:
    page = signed_in
    paths = ["/", "/runs", "/inbox", "/playbooks", "/import", *runs.values(), f"{runs['done']}?tab=timeline"]
    for path in paths:
        page.goto(url + path)
        for width in (390, 768, 1024, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert (path, width, page.evaluate(WIDE)) == (path, width, 0)
    for width, is_graph in ((639, False), (641, True)):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(url + runs["done"])
        expect(page.locator('[data-tab-panel="graph"]')).to_be_visible(visible=is_graph)
        expect(page.locator('[data-tab-panel="tasks"]')).to_be_visible(visible=not is_graph)


def test_point_44_themes_follow_the_system_can_be_switched_stay_and_do_not_flash(url: str, signed_in: Page) -> None:
    page = signed_in
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    page.goto(url + "/runs")
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    assert dark != light

    page.locator("details[data-menu] summary").click()
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(ground) == dark
    assert 'data-theme="dark"' in page.request.get(url + "/runs").text(), "the first paint is dark: nothing can flash"
    page.reload()
    assert page.evaluate(ground) == dark

    page.locator("details[data-menu] summary").click()
    page.get_by_role("button", name="System").click()
    assert page.evaluate(ground) == light
    page.reload()
    assert page.evaluate(ground) == light


COLOURS = """() => [...document.querySelectorAll(".rhead h1, .tabs a, [data-tab-panel] *")].filter(one => one.checkVisibility())
  .map(one => `${one.localName}.${one.getAttribute("class") ?? ""} ${getComputedStyle(one).color}`)"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_point_44_a_switch_of_theme_leaves_no_colour_of_the_old_one(
    url: str, runs: dict[str, str], signed_in: Page, motion: Literal["reduce", "no-preference"]
) -> None:
    """Rows out of sight are not drawn until they come into it, and colours may take a moment unless motion is unwanted."""
    page = signed_in
    page.emulate_media(color_scheme="light", reduced_motion=motion)
    page.set_viewport_size({"width": 1000, "height": 320})
    for tab in ("tasks", "events"):
        page.goto(f"{url}{runs['world']}?tab={tab}")
        light = page.evaluate(COLOURS)
        page.emulate_media(color_scheme="dark")
        if motion == "no-preference":
            settled(page)
        switched = page.evaluate(COLOURS)
        page.reload()
        assert switched == page.evaluate(COLOURS)
        assert switched != light
        page.emulate_media(color_scheme="light")
