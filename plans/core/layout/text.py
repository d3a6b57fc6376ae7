"""How wide a text will be, without a browser: close enough to cut a title to its node."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Parts of an em for a humanist sans serif at weight 550; wide characters (CJK, emoji) are one em.
NARROW = frozenset("iljtfrI.,:;'|!()[]{}/\\\"` ")
BROAD = frozenset("mwMW%@—…")
WIDTHS = {"narrow": 0.34, "broad": 0.86, "upper": 0.68, "digit": 0.58, "plain": 0.56, "wide": 1.0}
ELLIPSIS = "…"


@lru_cache(maxsize=4096)
def _em(character: str) -> float:
    if character in NARROW:
        return WIDTHS["narrow"]
    if character in BROAD:
        return WIDTHS["broad"]
    if unicodedata.combining(character) or unicodedata.category(character) in {"Cf", "Mn", "Me", "Cc"}:
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return WIDTHS["wide"]
    if character.isdigit():
        return WIDTHS["digit"]
    return WIDTHS["upper"] if character.isupper() else WIDTHS["plain"]


def text_width(text: str, size: float) -> float:
    """Return the estimated width of `text` at `size` pixels an em."""
    return sum(map(_em, text)) * size


def clip(text: str, width: float, size: float) -> str:
    """Return `text` in one line, cut with an ellipsis so that it fits into `width`."""
    text = " ".join(text.split())
    room = width / size
    used = 0.0
    fits = 0
    for index, character in enumerate(text):
        used += _em(character)
        if used > room:
            return text[:fits].rstrip() + ELLIPSIS
        if used + WIDTHS["broad"] <= room:
            fits = index + 1
    return text
