"""Words people use: text in two languages, the phrases a playbook looks for, and numbers written out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from django.utils.translation import get_language
from pydantic import BaseModel, ConfigDict

_LATIN = "a-z0-9\u00e0-\u024f"
_EN_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_ZH_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
NUMBER = r"(?:\d{1,9}|" + "|".join(sorted(_EN_NUMBERS, key=len, reverse=True)) + r"|[零一二两三四五六七八九十百]{1,5})"
_TIME = re.compile(
    rf"(?<![{_LATIN}]){NUMBER}[ -]?个?(?:day|week|month|quarter|year|天|日|周|星期|月|季度|年)s?(?![{_LATIN}])"
)
# Sentence marks end a Chinese gap, so that two clauses are not read as one phrase.
_ZH_GAP = r"[^，。；！？,;!?\n]{0,6}?"
_EN_GAP = rf"(?:[^{_LATIN}]+[{_LATIN}']+){{0,3}}?[^{_LATIN}]+"


class Words(BaseModel):
    """A text in English and Chinese; `str()` gives the active language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    en: str
    zh: str

    def __str__(self) -> str:
        return self.zh if (get_language() or "en").startswith("zh") else self.en


class Phrases(BaseModel):
    """Phrases by language; each may hold `*` (any letters), `..` (up to three words or six signs) and `{n}` (a number)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()

    def all(self) -> tuple[str, ...]:
        return self.en + self.zh

    def found_in(self, text: str) -> list[str]:
        """Return the parts of `text` (already normalised) that match, one a phrase."""
        return [hit.group(0).strip() for phrase in self.all() if (hit := pattern(phrase).search(text))]


def normalise(text: str) -> str:
    """Return `text` in one spelling: NFKC, lower case, plain apostrophes, single blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").replace("_", " ")
    return " ".join(plain.split())


def is_cjk(text: str) -> bool:
    return any("\u3040" <= sign <= "\u9fff" for sign in text)


def _piece(word: str) -> str:
    if word == "{n}":
        return f"(?P<n>{NUMBER})"
    body = re.escape(word.strip("*"))
    if is_cjk(word):
        return body
    before = rf"[{_LATIN}]*" if word.startswith("*") else rf"(?<![{_LATIN}])"
    after = rf"[{_LATIN}]*" if word.endswith("*") else rf"(?![{_LATIN}])"
    return before + body + after


@lru_cache(maxsize=4096)
def pattern(phrase: str) -> re.Pattern[str]:
    """Compile a phrase to the pattern that finds it in a normalised text."""
    tokens = [t for t in re.split(r"(\.\.|\{n\})|\s+", unicodedata.normalize("NFKC", phrase).casefold()) if t]
    parts: list[str] = []
    for index, word in enumerate(tokens):
        if word == "..":
            chinese = is_cjk(phrase)
            parts.append(_ZH_GAP if chinese else _EN_GAP)
            continue
        if index and tokens[index - 1] != "..":
            parts.append(r"\s*" if is_cjk(phrase) else rf"[^{_LATIN}]+")
        parts.append(_piece(word))
    return re.compile("".join(parts))


def first(phrases: Iterable[str], text: str) -> re.Match[str] | None:
    """Return the first match of any phrase in the normalised `text`, in the order of the phrases."""
    return next((hit for phrase in phrases if (hit := pattern(phrase).search(text))), None)


def without_times(text: str) -> str:
    """Return the text without amounts of time: the 3 of "last 3 months" counts nothing else."""
    return _TIME.sub(" ", text)


def number(text: str) -> int | None:
    """Read a number written in digits, English or Chinese ("10", "ten", "二十五"); None when it is none."""
    if text.isascii() and text.isdigit():
        return int(text)
    if text in _EN_NUMBERS:
        return _EN_NUMBERS.index(text)
    total, digit = 0, None
    for sign in text:
        if sign in _ZH_DIGITS:
            digit = _ZH_DIGITS[sign]
        elif sign in "十百":
            total += (1 if digit is None else digit) * (10 if sign == "十" else 100)
            digit = 0
        else:
            return None
    return total + (digit or 0) if text else None
