"""Using the run page in Chromium: addresses, tabs, keys, a phone, no JavaScript, and text of any kind."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from plans.engine.requests import answer_question
from plans.models import Attempt, Request, Run
from tests.browser.live_pages import elsewhere
from tests.browser.run_pages import is_same, node, open_request, opened, row
from tests.processes import Site, Started, wait_for
from tests.web.factories import World, review_run, simple_plan, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

STRANGE = [
    "w" * 5000,
    "界" * 500,
    "نص عربي طويل " * 40,
    "👩‍💻" * 90,
    "<img src=x onerror=alert(1)>",
    "a\u202eb {{ 7*7 }}",
]


@pytest.fixture
def strange(owner: User) -> list[str]:
    """Return addresses of runs whose every field holds hostile or endless text."""
    runs = [world(owner, goal=text, text=text[:500]).run for text in STRANGE]
    reviews = [review_run(owner, simple_plan(goal=text)) for text in STRANGE[:2]]
    queries = ["", "?tab=graph", "?tab=tasks", "?tab=timeline", "?tab=events", "?task=t1", "?tab=tasks&task=t1"]
    return [f"/runs/{one.uuid}{query}" for one in runs for query in queries] + [f"/runs/{one.uuid}" for one in reviews]


@pytest.fixture
def talking(run: Run) -> Attempt:
    """Return the attempt of a step that runs and has said a hundred lines."""
    now = timezone.now()
    lease = {"claimed_by": "w", "lease_expires_at": now + timedelta(hours=1)}
    run.tasks.filter(key="first").update(state="running", started_at=now, attempt=1, **lease)
    attempt = Attempt.objects.create(
        task=run.tasks.get(key="first"), number=1, state="running", worker="w", started_at=now
    )
    say(attempt, 100)
    return attempt


@pytest.fixture
def asking(owner: User) -> World:
    return world(owner)


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


def test_a_press_on_a_row_is_answered_before_the_server_is(url: str, run: Run, page: Page) -> None:
    held: list[Route] = []
    page.route(re.compile(r"/panel\?"), lambda route: held.append(route))
    opened(page, f"{url}/runs/{run.uuid}?tab=tasks")

    row(page, "first").click()
    expect(page.locator("#task h2")).to_have_text("Take the word")
    page.locator("[data-panel-close]").click()
    expect(page.locator("#task")).to_be_hidden()
    row(page, "risky").click()
    expect(page.locator("#task h2")).to_have_text("Do the risky thing")

    wait_for(lambda: page.evaluate("true") and len(held) == 2, what="both questions to the server")
    for route in held:
        route.continue_()
    expect(page.locator("#task")).to_contain_text("noop")
    expect(page.locator("#task h2")).to_have_text("Do the risky thing")
    expect(page.locator("#task [aria-busy]")).to_have_count(0)


def test_point_39_a_log_grows_while_its_step_runs_and_is_followed_only_at_its_end(
    talking: Attempt, url: str, page: Page
) -> None:
    opened(page, f"{url}/runs/{talking.task.run.uuid}?tab=tasks&task=first")
    box = page.locator("[data-log]")
    expect(box).to_contain_text("line 99")
    away = "box => box.scrollHeight - box.scrollTop - box.clientHeight"
    assert box.evaluate(away) <= 8

    say(talking, 120)
    expect(box).to_contain_text("line 119")
    assert box.evaluate(away) <= 8
    box.evaluate("box => { box.scrollTop = 0; }")
    say(talking, 140)
    expect(box).to_contain_text("line 139")
    assert box.evaluate("box => box.scrollTop") == 0
    assert is_same(page)


def say(attempt: Attempt, lines: int) -> None:
    log = "\n".join(f"line {number}" for number in range(lines))
    elsewhere(lambda: Attempt.objects.filter(pk=attempt.pk).update(log=log))


def test_nothing_is_drawn_anew_between_press_and_release(asking: World, url: str, page: Page, owner: User) -> None:
    """A click on what another person's decision has just redrawn would go to nobody."""
    opened(page, f"{url}/runs/{asking.run.uuid}?tab=tasks")
    approve = page.get_by_role("button", name="Approve", exact=True)
    approve.hover()
    page.mouse.down()

    with page.expect_response(re.compile("/requests$")):
        elsewhere(lambda: answer_question(request=asking.question, answer={"number": 3}, by=owner))
    expect(page.locator(f'[data-request="{asking.question.uuid}"]')).to_have_attribute("data-decided", "true")
    with page.expect_request(lambda sent: sent.method == "POST"):
        page.mouse.up()


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
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_label("How many", exact=True)).to_be_visible(timeout=30_000)
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
