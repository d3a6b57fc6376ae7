"""graph.js in a real Chromium: camera, keyboard, search, legend, selection and folds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from plans.web.graph.values import Look
from tests.browser.conftest import launched
from tests.browser.graph_page import FOLDED, focused, middle, node, opened, title_start, view_box
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


def test_wheel_zoom_keeps_the_point_under_the_pointer(graph):
    x, y = middle(graph, '.node[data-key="schema"]')
    before = view_box(graph)
    graph.mouse.move(x, y)
    graph.mouse.wheel(0, -200)
    expect(graph.locator("svg.dag")).not_to_have_attribute("viewBox", " ".join(f"{number:g}" for number in before))
    assert view_box(graph)[2] < before[2]
    after = middle(graph, '.node[data-key="schema"]')
    assert after == pytest.approx((x, y), abs=1.5)


def test_plus_minus_and_f_zoom_and_fit_and_are_off_in_fields(graph):
    graph.keyboard.press("+")
    larger = view_box(graph)[2]
    graph.keyboard.press("-")
    graph.keyboard.press("-")
    assert view_box(graph)[2] > larger
    graph.keyboard.press("f")
    box = graph.locator("svg.dag").get_attribute("data-box").split()
    x, y, width, height = view_box(graph)
    assert x <= 0 <= float(box[2]) <= x + width
    assert y <= 0 <= float(box[3]) <= y + height
    before = view_box(graph)
    graph.locator("[data-graph-find]").focus()
    graph.keyboard.type("+-f")
    assert view_box(graph) == before


def test_the_buttons_zoom_as_the_keys_do(graph):
    before = view_box(graph)[2]
    graph.get_by_role("button", name="Zoom in").click()
    assert view_box(graph)[2] < before
    graph.get_by_role("button", name="Show all").click()
    graph.get_by_role("button", name="Zoom out").click()
    assert view_box(graph)[2] > before


def test_a_drag_pans_stops_following_and_selects_nothing(graph):
    follow = graph.locator("[data-graph-follow]")
    expect(follow).to_have_attribute("aria-pressed", "true")
    before = view_box(graph)
    x, y = middle(graph, '.node[data-key="schema"]')
    graph.mouse.move(x, y)
    graph.mouse.down()
    graph.mouse.move(x + 60, y + 40, steps=4)
    graph.mouse.up()
    after = view_box(graph)
    assert after[0] < before[0]
    assert after[1] < before[1]
    assert "task=" not in graph.url
    expect(follow).to_have_attribute("aria-pressed", "false")
    follow.click()
    expect(follow).to_have_attribute("aria-pressed", "true")


def test_two_fingers_zoom(page, address):
    context = page.context.browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    phone = opened(context.new_page(), address)
    before = view_box(phone)[2]
    session = context.new_cdp_session(phone)

    def touch(kind: str, gap: float) -> None:
        points = (
            [] if kind == "touchEnd" else [{"x": 190 - gap, "y": 500, "id": 0}, {"x": 190 + gap, "y": 500, "id": 1}]
        )
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 40)
    for gap in (50, 70, 90, 110):
        touch("touchMove", gap)
    touch("touchEnd", 0)
    phone.wait_for_function("width => +document.querySelector('svg.dag').viewBox.baseVal.width < width", arg=before)
    context.close()


def test_there_is_one_tab_stop_and_arrows_follow_dependencies_and_rows(graph):
    assert graph.locator('svg.dag [tabindex="0"]').count() == 1
    node(graph, "keys").focus()
    for key, wanted in [
        ("ArrowDown", "schema"),
        ("ArrowUp", "keys"),
        ("ArrowRight", "risks"),
        ("ArrowLeft", "keys"),
        ("ArrowUp", "m1"),
        ("End", "remove"),
        ("Home", "m1"),
    ]:
        graph.keyboard.press(key)
        assert focused(graph) == wanted, key
        assert graph.locator('svg.dag [tabindex="0"]').count() == 1


def test_the_keyboard_reaches_the_header_of_a_milestone_and_folds_it(graph):
    node(graph, "keys").focus()
    graph.keyboard.press("m")
    assert focused(graph) == "m2"
    graph.keyboard.press("Enter")
    expect(graph.locator(f'{FOLDED}[data-group="m2"]')).to_be_focused()
    graph.keyboard.press(" ")
    expect(graph.locator('.g-head[data-group="m2"]')).to_be_focused()


def test_enter_selects_a_task_in_the_address_and_lights_its_edges(graph):
    graph.evaluate("addEventListener('plans:select', event => { window.chosen = event.detail.key; })")
    node(graph, "schema").focus()
    graph.keyboard.press("Enter")
    expect(node(graph, "schema")).to_have_class("node st-succeeded is-sel")
    assert graph.url.endswith("?task=schema")
    assert graph.evaluate("window.chosen") == "schema"
    lit = graph.locator(".edge.is-lit")
    ends = {(edge.get_attribute("data-from"), edge.get_attribute("data-to")) for edge in lit.all()}
    assert ends == {("keys", "schema"), ("schema", "adapter"), ("schema", "migrate"), ("schema", "runbook")}


def test_reload_back_and_a_shared_link_restore_the_selection(graph, address):
    node(graph, "adapter").click()
    node(graph, "migrate").click()
    expect(node(graph, "migrate")).to_have_class("node st-waiting is-sel")
    graph.go_back()
    expect(graph.locator(".node.is-sel")).to_have_attribute("data-key", "adapter")
    graph.reload()
    expect(graph.locator(".node.is-sel")).to_have_attribute("data-key", "adapter")
    opened(graph, f"{address}?task=bench")
    expect(graph.locator(".node.is-sel")).to_have_attribute("data-key", "bench")
    assert graph.locator(".edge.is-lit").count() == 2


def test_search_dims_the_rest_says_how_many_and_enter_goes_on(graph):
    graph.keyboard.press("/")
    expect(graph.locator("[data-graph-find]")).to_be_focused()
    graph.keyboard.type("client")
    expect(graph.locator("[data-graph-found]")).to_have_text("3 found")
    assert graph.locator(".is-filtered .node.is-hit").count() == 3
    graph.keyboard.press("Enter")
    first = graph.locator(".node.is-now").get_attribute("data-key")
    expect(graph.locator("[data-graph-found]")).to_have_text("1/3")
    graph.keyboard.press("Enter")
    assert graph.locator(".node.is-now").get_attribute("data-key") != first
    graph.keyboard.press("Escape")
    expect(graph.locator(".is-filtered")).to_have_count(0)


def test_the_legend_highlights_a_state_and_counts_like_the_list(graph, scene):
    counts = {}
    for one in scene.looks.values():
        counts[one.state] = counts.get(one.state, 0) + 1
    shown = {
        button.get_attribute("data-highlight"): int(button.locator("b").inner_text())
        for button in graph.locator("[data-highlight]").all()
        if button.is_visible()
    }
    assert shown == counts
    graph.locator('[data-highlight="failed"]').click()
    assert [hit.get_attribute("data-key") for hit in graph.locator(".node.is-hit").all()] == ["bench"]
    expect(graph.locator('[data-highlight="failed"]')).to_have_attribute("aria-pressed", "true")
    expect(graph.locator("[data-graph-status]")).to_have_text("1 highlighted")
    graph.locator('[data-highlight="failed"]').click()
    expect(graph.locator(".is-filtered")).to_have_count(0)


def test_a_fold_keeps_the_clicked_header_in_place_and_is_in_the_address(graph):
    before = title_start(graph, '.g-head[data-group="m3"]')
    graph.locator('.g-head[data-group="m3"]').click()
    folded = graph.locator(f'{FOLDED}[data-group="m3"]')
    expect(folded).to_have_attribute("aria-expanded", "false")
    assert title_start(graph, f'{FOLDED}[data-group="m3"]') == pytest.approx(before, abs=1)
    assert "fold=m3" in graph.url
    expect(folded).to_have_attribute("data-counts", "running:1 waiting:1 failed:1 pending:1")
    graph.reload()
    expect(graph.locator(f'{FOLDED}[data-group="m3"]')).to_have_count(1)
    graph.locator(f'{FOLDED}[data-group="m3"]').click()
    expect(graph.locator('.g-head[data-group="m3"]')).to_have_attribute("aria-expanded", "true")
    graph.go_back()
    expect(graph.locator(f'{FOLDED}[data-group="m3"]')).to_have_count(1)


def test_a_milestone_that_has_just_finished_does_not_fold_because_another_one_is_folded(graph, scene):
    scene.looks["risks"] = Look(state="succeeded", word="Succeeded")
    graph.locator('.g-head[data-group="m4"]').click()
    expect(graph.locator(f'{FOLDED}[data-group="m4"]')).to_have_count(1)
    expect(graph.locator('.g-head[data-group="m2"]')).to_have_count(1)
