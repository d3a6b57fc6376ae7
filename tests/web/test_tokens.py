"""The tokens: contrasts of both themes, states apart for every kind of sight, and the two dark blocks are the same."""

import itertools
import math
import re
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parents[2] / "static/plans/tokens.css").read_text(encoding="utf-8")
STATES = ["pending", "ready", "running", "approval", "success", "failed", "retrying", "skipped", "cancelled", "paused"]
GREY = {"pending", "skipped", "cancelled"}
SURFACES = ["bg", "surface", "raised", "sunken", "canvas"]

TEXT = [
    *((ink, surface) for ink in ("ink", "ink-2", "ink-3") for surface in SURFACES),
    *(("accent-text", surface) for surface in ("bg", "surface", "raised", "accent-soft")),
    ("accent-ink", "accent"),
    ("add", "add-bg"), ("add", "raised"), ("del", "del-bg"), ("del", "raised"),
    *((f"st-{state}", f"st-{state}-bg") for state in STATES),
    *((f"st-{state}", "surface") for state in STATES),
    *(("ink", f"st-{state}-bg") for state in STATES),
    *(("ink-2", f"st-{state}-bg") for state in STATES),
]  # fmt: skip
OUTLINES = [
    *(("line-strong", surface) for surface in ("surface", "canvas", "raised")),
    *(("focus", surface) for surface in ("bg", "surface", "canvas")),
    *((f"st-{state}", "canvas") for state in STATES),
    ("st-approval-edge", "surface"), ("st-approval-edge", "canvas"),
]  # fmt: skip

# Machado et al. 2009, full strength
SIGHTS = {
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
LEAST_DISTANCE = 10.0


def block(start: str) -> str:
    """Return what stands between the braces after `start`."""
    begin = CSS.index("{", CSS.index(start)) + 1
    depth = 1
    for at in range(begin, len(CSS)):
        depth += {"{": 1, "}": -1}.get(CSS[at], 0)
        if not depth:
            return CSS[begin:at]
    raise AssertionError(f"{start} has no end")


def colours(text: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", text))


LIGHT = colours(block(":root {"))
DARK = LIGHT | colours(block(':root[data-theme="dark"] {'))
THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other)))
    return (light[1] + 0.05) / (light[0] + 0.05)


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """Return CIE L*a*b* (D65) of linear RGB."""
    r, g, b = rgb
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("theme", THEMES)
def test_text_has_a_contrast_of_4_5(theme):
    low = {pair: contrast(theme[pair[0]], theme[pair[1]]) for pair in TEXT}
    assert {pair: round(ratio, 2) for pair, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_outlines_have_a_contrast_of_3(theme):
    low = {pair: contrast(theme[pair[0]], theme[pair[1]]) for pair in OUTLINES}
    assert {pair: round(ratio, 2) for pair, ratio in low.items() if ratio < 3} == {}


@pytest.mark.parametrize("sight", [None, *SIGHTS])
@pytest.mark.parametrize("theme", THEMES)
def test_states_stay_apart_for_every_kind_of_sight(theme, sight):
    """The three grey ones differ by icon, outline and a line through the title."""
    seen = {}
    for state in STATES:
        rgb = linear(theme[f"st-{state}"])
        if sight:
            rgb = [max(0.0, min(1.0, sum(m * c for m, c in zip(row, rgb, strict=True)))) for row in SIGHTS[sight]]
        seen[state] = lab(rgb)
    near = {
        (one, other): round(math.dist(seen[one], seen[other]), 1)
        for one, other in itertools.combinations([state for state in STATES if state not in GREY], 2)
        if math.dist(seen[one], seen[other]) < LEAST_DISTANCE
    }
    assert near == {}


def test_the_dark_theme_of_the_system_is_the_one_that_is_chosen():
    chosen = re.sub(r"\s+", " ", block(':root[data-theme="dark"] {')).strip()
    system = re.sub(r"\s+", " ", block(':root:not([data-theme="light"]')).strip()
    assert system == chosen


def test_both_themes_tell_the_browser_what_they_are():
    assert "color-scheme: light" in block(":root {")
    assert "color-scheme: dark" in block(':root[data-theme="dark"] {')


def test_every_state_class_of_the_graph_reads_a_token_that_exists():
    graph = (Path(__file__).resolve().parents[2] / "static/plans/graph.css").read_text(encoding="utf-8")
    used = set(re.findall(r"var\(--([\w-]+)", graph)) - {"c", "c-bg"}
    assert used - set(re.findall(r"--([\w-]+):", CSS)) == set()
    assert not re.search(r"#[0-9a-f]{3,8}\b", re.sub(r"#g-\w+", "", graph))
