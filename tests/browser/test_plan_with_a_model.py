"""A goal, its plan and its changes in a browser, with a scripted model: everything appears by itself, nothing is lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from plans.core.editing import change_step
from plans.engine.revising import revise
from plans.models import Run
from plans.tasks import catalogue
from tests.browser.live_pages import elsewhere
from tests.browser.run_pages import sent
from tests.modelled.desk import answer, by_purpose, intent, step, wire
from tests.processes import Site
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]

TAKE = step("take", "noop", {"value": "hello"}, outputs={"word": "json"})
PASS = step("pass", "noop", {"value": "ref:word"}, outputs={"said": "json"}, depends_on=["take"])
SHOUT = step("shout", "noop", {"value": "ref:word"}, outputs={"loud": "json"}, depends_on=["take"])
BY_ITSELF = 60_000


@pytest.fixture
def site_url(site: Site, scripted_model: ScriptedModel) -> str:
    site.worker(workers=1, **scripted_model.environment)
    return site.web(**scripted_model.environment)[1]


@pytest.fixture
def url(cookie: dict[str, str], site_url: str, page: Page) -> str:
    page.context.add_cookies([{"name": name, "value": value, "url": site_url} for name, value in cookie.items()])
    return site_url


def edited_elsewhere() -> None:
    """Change the plan as another person would."""
    run = Run.objects.get()
    fields: dict[str, Any] = {"description": "Changed by somebody else."}
    revise(
        run=run,
        seen=run.revision.number,
        change=lambda plan: change_step(plan, "take", fields),
        by=run.owner,
        catalogue=catalogue(),
    )


def test_a_plan_is_written_edited_sent_back_and_chosen(url: str, page: Page, scripted_model: ScriptedModel) -> None:
    # The plan is written slowly, so that the page can be seen to follow; the gate is what the page shows.
    scripted_model.say(
        answer(intent("Greet somebody.")),
        answer(wire(TAKE, PASS), thinking="A greeting, then somebody to pass it to.", drip=0.1, piece=40),
    )
    page.goto(url + "/")
    page.get_by_label("Goal", exact=True).fill("pass a greeting on to somebody")
    expect(page.get_by_label("Budget in USD")).to_have_value("1.00")
    page.get_by_role("button", name="Make a plan").click()
    expect(page.locator("[data-planning-area]")).to_contain_text("A greeting, then somebody", timeout=BY_ITSELF)
    expect(page.locator(".appearing li").first).to_have_text("Take", timeout=BY_ITSELF)
    expect(page.get_by_role("button", name="Approve and run")).to_be_visible(timeout=BY_ITSELF)

    # Another skill brings its fields without a reload; what was typed stays.
    page.get_by_role("link", name=re.compile("^Edit.*Take")).click()
    page.get_by_label("Description").fill("Takes a word.")
    page.evaluate("window.isSame = true")
    page.get_by_label("Skill", exact=True).select_option("wait")
    expect(page.get_by_label("seconds", exact=True)).to_be_visible()
    page.get_by_label("Skill", exact=True).select_option("noop")
    expect(page.get_by_label("value", exact=True)).to_be_visible()
    assert page.evaluate("window.isSame === true")
    expect(page.get_by_label("Description")).to_have_value("Takes a word.")
    sent(page, page.get_by_role("button", name="Save"))
    expect(page.locator("[data-plan-decision]")).to_contain_text("“Take”: description is now “Takes a word.”")

    # An edit made elsewhere is told to somebody who types, and takes nothing away.
    page.get_by_text("Comment or change request").click()
    comment = page.get_by_label("Comment (optional)")
    comment.fill("Shout instead")
    elsewhere(edited_elsewhere)
    expect(page.get_by_text("The plan has been changed elsewhere.")).to_be_visible(timeout=BY_ITSELF)
    expect(comment).to_have_value("Shout instead")
    page.get_by_role("link", name="Look at it again").click()
    expect(page.locator(".step").first).to_contain_text("Changed by somebody else.")

    # Asking for changes without saying which leads to the field.
    page.get_by_role("button", name="Ask for changes").click()
    expect(comment).to_be_focused()
    comment.fill("Shout instead")
    scripted_model.say(answer(wire(TAKE, SHOUT)))
    sent(page, page.get_by_role("button", name="Ask for changes"))
    changes = page.get_by_role("region", name="Changes in this revision")
    expect(changes).to_contain_text(re.compile("Added.*“Shout”"), timeout=BY_ITSELF)
    expect(changes).to_contain_text(re.compile("Removed.*“Pass”"))

    # Alternatives come beside the plan while it can still be decided.
    scripted_model.respond(by_purpose(alternative=wire(TAKE, PASS, SHOUT)))
    sent(page, page.get_by_role("button", name="Suggest alternatives"))
    expect(page.get_by_role("heading", name="Plans to choose from")).to_be_visible(timeout=BY_ITSELF)
    sent(page, page.get_by_role("button", name=re.compile("^Use this plan.*Careful")))
    expect(page.locator(".step")).to_have_count(3)

    sent(page, page.get_by_role("button", name="Approve and run"))
    expect(page.locator("[data-run-state]")).to_contain_text("Succeeded", timeout=BY_ITSELF)
    page.locator("[data-cost-area] a").click()
    page.locator("tbody a").last.click()
    expect(page.locator("pre").first).to_contain_text("pass a greeting on to somebody")
