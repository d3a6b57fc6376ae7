"""Three hundred tasks of a real dependency graph, imported by the page, approved and run by a worker, live in Chromium."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from plans.core.layout.folding import FOLD_ABOVE
from tests.browser.reach import WIDE
from tests.processes import Site, session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(400)]

TASKS = 300
MILESTONES = 6
EACH = TASKS // MILESTONES


def acyclic(needs: dict[str, list[str]]) -> list[str]:
    """Return the packages in an order in which each stands after what it needs; those in a cycle have no such place."""
    sorter, order = TopologicalSorter(needs), []
    with suppress(CycleError):  # a sorter still gives what no cycle blocks
        sorter.prepare()
    while ready := sorter.get_ready():
        order.extend(sorted(ready))
        sorter.done(*ready)
    return order


@pytest.fixture
def plan(corpora: Path) -> dict[str, Any]:
    """Return the first 300 packages of a real lock file as steps that do nothing, in six milestones; the last one asks."""
    packages = json.loads((corpora / "dags" / "lock_pnpm_magentic.json").read_text(encoding="utf-8"))["tasks"]
    needs = {one["id"]: one["depends_on"] for one in packages}
    order = acyclic(needs)[:TASKS]
    tasks: list[dict[str, Any]] = [
        {"id": key, "name": key, "skill": "noop", "params": {"value": place}, "depends_on": needs[key],
         "milestone": f"m{place // EACH}"}
        for place, key in enumerate(order)
    ]  # fmt: skip
    tasks[-1] |= {"approval": "always", "depends_on": order[:-1]}
    milestones = [{"id": f"m{number}", "name": f"Part {number + 1}"} for number in range(MILESTONES)]
    return {"schema": 1, "goal": "Build every package", "milestones": milestones, "tasks": tasks}


@pytest.fixture
def cookie(owner: User) -> dict[str, str]:
    return session_cookie(owner)


@pytest.fixture
def url(cookie: dict[str, str], site: Site, page: Page) -> str:
    url = site.web()[1]
    page.context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
    page.set_viewport_size({"width": 1440, "height": 900})
    return url


def first_paint(page: Page) -> tuple[set[str], set[str]]:
    """Return the tasks and the folded milestones that the page's own answer draws, before any script."""
    text = page.request.get(page.url).text()
    assert text.count('<svg class="dag') == 1
    folded = set(re.findall(r'class="node is-group [^>]*data-group="([^"]+)"', text))
    return set(re.findall(r'class="node st-[^>]*data-key="([^"]+)"', text)), folded


def test_300_tasks_are_imported_approved_and_run_with_the_page_open(
    plan: dict[str, Any], site: Site, url: str, page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "packages.json"
    file.write_text(json.dumps(plan), encoding="utf-8")
    page.goto(url + "/import")
    page.get_by_label("Or a plan file").set_input_files(str(file))
    page.get_by_role("button", name="Check and import").click()

    approve = page.get_by_role("button", name="Approve and run")
    expect(approve).to_be_enabled()
    tasks, folded = first_paint(page)
    assert (len(tasks), len(folded)) == (0, MILESTONES), f"more than {FOLD_ABOVE} boxes: all milestones fold"
    assert page.evaluate(WIDE) == 0

    approve.click()
    expect(page.locator("html")).to_have_attribute("data-connection", "live")
    tasks, folded = first_paint(page)
    assert (len(tasks), folded) == (0, {f"m{number}" for number in range(MILESTONES)})
    page.locator('.node.is-group[data-group="m1"]').click()
    expect(page.locator("svg.dag .node[data-key]:not(.is-group)")).to_have_count(EACH)
    expect(page).to_have_url(re.compile(r"open=m1"))
    page.evaluate("window.isSame = true")
    site.worker()

    expect(page.locator("[data-run-done]").first).to_have_text(str(TASKS - 1), timeout=180_000)
    expect(page.locator("svg.dag .node.st-succeeded[data-key]:not(.is-group)")).to_have_count(EACH)
    expect(page.locator('.node.is-group[data-group="m0"]')).to_have_class(re.compile("st-succeeded"))
    last = f'.node.is-group[data-group="m{MILESTONES - 1}"]'
    expect(page.locator(last)).to_have_class(re.compile("st-waiting"))
    expect(page.locator('[data-highlight="succeeded"] b')).to_have_text(str(TASKS - 1))
    assert page.evaluate("window.isSame") is True

    # On a new page what is finished is folded, and the milestone that waits for a person is not.
    page.goto(page.url.partition("?")[0])
    tasks, folded = first_paint(page)
    assert folded == {f"m{number}" for number in range(MILESTONES - 1)}
    assert len(tasks) == EACH
    page.get_by_role("link", name=re.compile("^Tasks")).click()
    expect(page.locator(".srow[data-key]")).to_have_count(TASKS)
    expect(page.locator('.srow[data-state="succeeded"]')).to_have_count(TASKS - 1)
    page.locator(".srow[data-key]").nth(TASKS // 2).click()
    expect(page.locator("#task h2")).to_be_visible()
    for width in (1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert (width, page.evaluate(WIDE)) == (width, 0)
    page.locator("[data-panel-close]").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator("[data-run-state]")).to_contain_text("Succeeded")
