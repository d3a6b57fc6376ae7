"""The list of shortcuts under `?`, and single keys switched off for good (WCAG 2.1.4)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from plans.models import Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def test_single_keys_are_listed_and_can_be_switched_off(run: Run, url: str, page: Page) -> None:
    page.goto(f"{url}/runs/{run.uuid}")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    page.locator("#main").focus()
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    page.get_by_label("Use single keys as shortcuts").uncheck()
    page.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    page.reload()
    page.locator("#main").focus()
    page.keyboard.press("?")
    expect(dialog).to_be_hidden()
    page.locator("[data-menu] summary").click()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(dialog).to_be_visible()
    page.get_by_label("Use single keys as shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(dialog).to_be_visible()
