"""What a page must be for everyone, measured in the browser: axe, targets, reflow, focus, and errors that are tied."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# By tags alone axe leaves out the rule it has switched off: target-size is part of WCAG 2.2 AA. Frames hold reports
# without scripts; the report is a page of its own.
OPTIONS = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
    "iframes": False,
}

# A link inside a sentence may be as small as its line (WCAG 2.5.8), a node of the graph as its zoom: it has the list.
SMALL = """() => {
  const small = [];
  for (const it of document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button]")) {
    if (it.type === "hidden" || it.closest("svg") || it.closest(".skip")) continue;
    if (!it.checkVisibility({ visibilityProperty: true, opacityProperty: false })) continue;
    const isCheck = it.matches("[type=radio], [type=checkbox]");
    const label = (it.matches("input") && it.closest("label")) || (isCheck && it.labels[0]) || it;
    const inSentence = it.matches("a") && getComputedStyle(it).display === "inline"
      && [...it.parentElement.childNodes].some(node => node.nodeType === 3 && node.data.trim().length > 1);
    const { width, height } = label.getBoundingClientRect();
    if (inSentence || !width || (width >= 23.9 && height >= 23.9)) continue;
    const name = (it.getAttribute("aria-label") || label.innerText || it.name || "").trim().slice(0, 40);
    small.push(`${it.tagName.toLowerCase()}.${it.className} "${name}" ${width.toFixed(1)}x${height.toFixed(1)}`);
  }
  return [...new Set(small)];
}"""

# The element that has the focus: where it is, and whether an outline of 2 px shows it (on itself or on its label).
FOCUSED = """() => {
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const around = [it, it.closest("label"), it.closest(".drop"), ...it.querySelectorAll(":scope > rect, :scope > path")];
  const isOutlined = one => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  };
  const isStroked = one => one.namespaceURI.endsWith("svg") && one !== it
    && parseFloat(getComputedStyle(one).strokeWidth) >= 2;
  const name = it.getAttribute("aria-label") || it.innerText || it.name || it.id || "";
  if (!it.dataset.stop) it.dataset.stop = String(document.querySelectorAll("[data-stop]").length + 1);
  return {
    stop: it.dataset.stop,
    what: `${it.tagName.toLowerCase()}.${it.getAttribute("class") ?? ""} "${name.trim().slice(0, 40)}"`,
    isGraph: Boolean(it.closest("svg.dag")),
    // The focus inside a frame is drawn by the document in it.
    isShown: it.localName === "iframe" || around.some(one => one && (isOutlined(one) || isStroked(one))),
    isInView: (box => box.bottom > 0 && box.top < innerHeight)(it.getBoundingClientRect()),
  };
}"""

UNTIED = """() => [...document.querySelectorAll("[aria-invalid=true]")].filter(field => {
  const ids = (field.getAttribute("aria-describedby") ?? "").split(/\\s+/).filter(Boolean);
  const errors = ids.map(id => document.getElementById(id)).filter(one => one?.matches(".errorlist, .err"));
  return !errors.some(one => one.checkVisibility() && one.innerText.trim());
}).map(field => field.name || field.id)"""

# Running or waiting to run; what is there for less than a frame is not motion.
MOVING = """() => document.getAnimations().filter(one => one.playState === "running"
  && Number(one.effect.getComputedTiming().activeDuration) > 20).map(one => one.animationName ?? one.transitionProperty)"""

# What stands out at the right edge, and is not cut off or scrolled by something around it.
OVER = """() => [...document.querySelectorAll("body *")].filter(it => {
  if (it.closest("svg.dag") || it.getBoundingClientRect().right <= document.documentElement.clientWidth + 0.5) return false;
  for (let up = it.parentElement; up; up = up.parentElement) {
    if (up !== document.body && getComputedStyle(up).overflowX !== "visible") return false;
  }
  return true;
}).map(it => `${it.tagName.toLowerCase()}.${it.getAttribute("class") ?? ""} ${it.innerText?.slice(0, 30) ?? ""}`)"""

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def settled(page: Page) -> None:
    """Wait until what moves for a moment, such as a colour after a change of theme, has arrived."""
    page.evaluate("""() => Promise.allSettled(document.getAnimations()
      .filter(one => Number(one.effect.getComputedTiming().iterations) === 1).map(one => one.finished))""")


def violations(page: Page) -> list[str]:
    """Return what axe finds against WCAG 2.2 A and AA. The script comes by the debugger, which no policy of a page stops."""
    settled(page)
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(Axe().axe_script)
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", OPTIONS)
    return [
        f"{one['id']}: {node['target']} {node['html'][:160]} {node['failureSummary'][:260]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]


def tab_stops(page: Page, most: int = 120) -> list[dict[str, Any]]:
    """Press Tab from the top of the page until it leaves the page or comes round; return what had the focus."""
    stops: list[dict[str, Any]] = []
    while len(stops) < most:
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if not stop or any(stop["stop"] == one["stop"] for one in stops):
            return stops
        stops.append(stop)
    raise AssertionError(f"more than {most} tab stops: {stops[-3:]}")
