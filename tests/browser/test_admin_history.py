"""The finished run, found again in the admin, in a real browser under the site's policy."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests.processes import Site, session_cookie
from tests.web.factories import drained_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def address(site: Site, owner: User, operator: User) -> tuple[str, dict[str, str], str]:
    """Return the site's address, the operator's cookie and the goal of a run that has ended."""
    operator.is_superuser = True
    operator.save()
    run = drained_run(owner)
    return site.web()[1], session_cookie(operator), run.goal


def test_a_run_is_found_in_the_admin_and_read_down_to_its_events(
    address: tuple[str, dict[str, str], str], page: Page
) -> None:
    url, cookie, goal = address
    page.context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
    page.goto(f"{url}/admin/plans/run/")
    page.locator("#result_list").get_by_role("link").first.click()
    expect(page.get_by_text(goal).first).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    page.goto(f"{url}/admin/plans/event/")
    expect(page.get_by_text("run.succeeded").first).to_be_visible()
    page.goto(f"{url}/admin/plans/task/")
    page.locator("#result_list").get_by_role("link").first.click()
    expect(page.locator("#content")).to_be_visible()
