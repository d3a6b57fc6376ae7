"""What the tests of graph.js share: opening the page, reading the camera, saying what the live module says."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

FOLDED = ".node.is-group"


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    expect(page.locator(".graph.is-live[data-ready]")).to_have_count(1)
    return page


def node(page: Page, key: str) -> Locator:
    return page.locator(f'.node[data-key="{key}"]')


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(f"{selector} > .box").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def title_start(page: Page, selector: str) -> list[float]:
    """Return where the first letter of a title stands on the screen."""
    return page.evaluate(
        """selector => {
             const text = document.querySelector(`${selector} > text`);
             const at = text.getStartPositionOfChar(0).matrixTransform(text.getScreenCTM());
             return [at.x, at.y];
           }""",
        selector,
    )


def view_box(page: Page) -> list[float]:
    return [float(number) for number in page.locator("svg.dag").get_attribute("viewBox").split()]


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.dataset.key ?? document.activeElement.dataset.group ?? ''")


def send(page: Page, *tasks: dict) -> None:
    """Say what the live module says, and wait for the frame in which it is drawn."""
    page.evaluate(
        """tasks => new Promise(done => {
             dispatchEvent(new CustomEvent("plans:tasks", {detail: {tasks}}));
             requestAnimationFrame(() => requestAnimationFrame(done));
           })""",
        list(tasks),
    )
