"""How many tokens a text will be, without asking anybody: rather too many than too few, in every script."""

from __future__ import annotations

import math
import unicodedata

# Tokens a character, by kind. English prose has about 0.25; JSON, code and digits have more; a Chinese, Japanese or
# Korean character is one or two tokens, never a quarter of one.
ASCII_LETTER = 0.3
ASCII_OTHER = 0.5
WIDE = 1.3
ASTRAL = 2.5
OTHER = 0.7


def weight(sign: str) -> float:
    """Return the tokens of one character."""
    if sign.isascii():
        return ASCII_LETTER if sign.isalpha() or sign == " " else ASCII_OTHER
    if unicodedata.east_asian_width(sign) in "WF" and sign < "\U00010000":
        return WIDE
    return ASTRAL if sign >= "\U00010000" else OTHER


def estimate(text: str) -> int:
    """Return about how many tokens `text` is."""
    return math.ceil(sum(map(weight, text)))


def cut(text: str, tokens: int) -> tuple[str, int]:
    """Return the longest beginning of `text` that is at most `tokens`, and how many characters were left out."""
    left = float(tokens)
    for number, sign in enumerate(text):
        left -= weight(sign)
        if left < 0:
            return text[:number], len(text) - number
    return text, 0
