"""graph.js in a real Chromium: live states, following, motion, distance, and what happens without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from plans.core.layout import clip, text_width
from plans.web.graph.values import GraphPlan, GraphTask, Look
from tests.browser.conftest import launched
from tests.browser.graph_page import FOLDED, node, opened, send, view_box
from tests.browser.graph_server import Scene, billing, served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def started_browser(chromium: str) -> Iterator[Browser]:
    """Share one browser: nothing here touches the database."""
    with launched(chromium) as browser:
        yield browser


@pytest.fixture
def scene() -> Scene:
    return billing()


@pytest.fixture
def address(scene: Scene) -> Iterator[str]:
    with served(scene) as url:
        yield url


@pytest.fixture
def graph(page: Page, address: str) -> Page:
    """Return the page with the graph at work."""
    page.emulate_media(reduced_motion="reduce")
    return opened(page, address)


def test_states_change_class_icon_text_label_edges_counts_and_legend(graph):
    task = {"key": "adapter", "attempt": 1, "started_at": "2026-11-30T10:00:00Z"}
    send(graph, task | {"state": "succeeded", "label": "Succeeded", "ended_at": "2026-11-30T10:04:05Z"})
    adapter = node(graph, "adapter")
    expect(adapter).to_have_class("node st-succeeded")
    assert adapter.locator("use").get_attribute("href") == "#g-succeeded"
    assert adapter.locator(".sub").text_content() == "Succeeded,4m 05s"
    label = "Implement the v2 client adapter. Succeeded, 4m 05s. Depends on: Draft schema migration."
    expect(adapter).to_have_attribute("aria-label", label)
    expect(graph.locator('.edge[data-to="adapter"]')).to_have_class("edge is-done")
    expect(graph.locator('.g-head[data-group="m3"] .count')).to_have_text("1/4")
    assert graph.locator('[data-highlight="succeeded"] b').text_content() == "6"
    expect(graph.locator('[data-highlight="running"]')).to_be_hidden()


def test_a_later_state_of_the_same_frame_wins_and_unknown_tasks_are_ignored(graph):
    send(
        graph,
        {"key": "runbook", "state": "running", "label": "Running", "attempt": 2, "started_at": "2026-11-30T10:00:00Z"},
        {"key": "runbook", "state": "failed", "label": "Failed"},
        {"key": "ghost", "state": "running", "label": "Running"},
    )
    expect(node(graph, "runbook")).to_have_class("node st-failed")
    assert node(graph, "runbook").locator(".sub").text_content() == "Failed"


def test_a_wait_for_a_moment_looks_other_than_a_wait_for_a_person(graph):
    send(graph, {"key": "runbook", "state": "waiting", "label": "Waits until", "until": "2026-11-30T18:00:00Z"})
    expect(node(graph, "runbook")).to_have_class("node st-until")
    moment = graph.evaluate(
        "new Date('2026-11-30T18:00:00Z').toLocaleTimeString([], {hour: '2-digit', minute: '2-digit'})"
    )
    assert node(graph, "runbook").locator(".sub").text_content() == f"Waits until {moment}"
    send(graph, {"key": "runbook", "state": "waiting", "label": "Needs approval"})
    expect(node(graph, "runbook")).to_have_class("node st-waiting")


def test_a_state_of_a_hidden_task_changes_its_folded_milestone(graph):
    send(graph, {"key": "changes", "state": "failed", "label": "Failed"})
    folded = graph.locator(f'{FOLDED}[data-group="m1"]')
    expect(folded).to_have_class("node is-group st-failed")
    expect(folded).to_have_attribute("data-counts", "succeeded:2 failed:1")
    assert folded.locator(".sub").text_content() == "3 steps, 2 of 3 done"


def test_a_running_node_ticks_and_a_hostile_label_stays_text(graph):
    label = "<img src=x onerror=alert(1)>" + "W" * 5000
    send(graph, {"key": "runbook", "state": "waiting", "label": label})
    text = node(graph, "runbook").locator(".sub").text_content()
    assert text.startswith("<img src=x")
    assert len(text) < 40
    assert graph.locator("img").count() == 0
    first = node(graph, "adapter").locator(".time").text_content()
    graph.wait_for_function(
        "first => document.querySelector('.node[data-key=\"adapter\"] .time').textContent !== first", arg=first
    )


def test_following_moves_to_what_starts_out_of_sight_until_a_person_pans(graph):
    start = {"state": "running", "label": "Running", "started_at": "2027-01-01T00:00:00Z"}
    for _ in range(8):
        graph.keyboard.press("+")
    send(graph, {"key": "remove", **start})
    assert _is_in_sight(graph, "remove")
    graph.mouse.move(700, 500)
    graph.mouse.down()
    graph.mouse.move(760, 560, steps=3)
    graph.mouse.up()
    before = view_box(graph)
    send(graph, {"key": "keys", **start, "started_at": "2027-01-01T00:00:01Z"})
    assert view_box(graph) == before
    graph.keyboard.press("r")
    assert _is_in_sight(graph, "keys")


def _is_in_sight(page: Page, key: str) -> bool:
    box, frame = node(page, key).bounding_box(), page.locator(".graph").bounding_box()
    return (
        frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + frame["width"]
        and frame["y"] <= box["y"] <= box["y"] + box["height"] <= frame["y"] + frame["height"]
    )


def test_at_most_sixteen_nodes_move_and_none_when_motion_is_unwanted(page):
    tasks = tuple(GraphTask(key=f"t{index}", title=f"Task {index}") for index in range(30))
    scene = Scene(plan=GraphPlan(tasks=tasks), looks={task.key: Look(state="ready", word="Ready") for task in tasks})
    with served(scene) as url:
        page.emulate_media(reduced_motion="no-preference")
        opened(page, url)
        at = "2026-11-30T10:00:{:02d}Z"
        send(
            page,
            *({"key": f"t{n}", "state": "running", "label": "Running", "started_at": at.format(n)} for n in range(30)),
        )
        moving = {found.get_attribute("data-key") for found in page.locator(".node.is-moving").all()}
        assert moving == {f"t{index}" for index in range(14, 30)}
        spins = (
            "[...document.querySelectorAll('.ico')].filter(e => getComputedStyle(e).animationName !== 'none').length"
        )
        assert page.evaluate(spins) == 16
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(spins) == 0


def test_far_away_text_is_left_out(graph):
    for _ in range(12):
        graph.keyboard.press("-")
    expect(graph.locator("svg.dag")).to_have_class("dag is-far")
    expect(node(graph, "keys").locator("text").first).to_be_hidden()
    graph.keyboard.press("f")
    expect(graph.locator("svg.dag")).to_have_class("dag")


def test_a_server_that_does_not_answer_leaves_the_picture_and_says_so(page, scene):
    """Not with the strict page fixture's console: the failing answer is the point."""
    with served(scene) as url:
        context = page.context.browser.new_context()
        other = opened(context.new_page(), url)
        scene.refuses = True
        other.locator('.g-head[data-group="m3"]').click()
        expect(other.locator("[data-graph-status]")).to_have_text("The server did not answer. Try again.")
        expect(other.locator('.g-head[data-group="m3"]')).to_have_count(1)
        assert "fold" not in other.url
        context.close()


def test_without_javascript_the_picture_scrolls_and_its_links_work(page, address):
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address)
    plain.locator('.g-head[data-group="m2"]').click()
    plain.wait_for_url("**/run?fold=m2")
    assert plain.locator(f'{FOLDED}[data-group="m2"]').count() == 1
    node(plain, "adapter").click()
    plain.wait_for_url("**/run?fold=m2&task=adapter")
    assert plain.locator(".node.is-sel").get_attribute("data-key") == "adapter"
    context.close()


def test_the_browser_cuts_texts_where_the_server_does(graph):
    texts = [
        "Implement the v2 client adapter",
        "移行リスクを洗い出す 2026",
        "e\u0301 (a) [b] {c}",
        "Ünïcödé — ÄÖ",
        "🚀 go",
        "",
    ]
    found = graph.evaluate(
        """async texts => {
             const {clip, width} = await import("/static/plans/graph/text.js");
             return texts.map(text => [width(text, 11.5), clip(text, 90, 11.5)]);
           }""",
        texts,
    )
    assert found == [[pytest.approx(text_width(text, 11.5)), clip(text, 90, 11.5)] for text in texts]
