"""Dates a goal speaks of, as days: counted from today in the owner's zone, or from the end of a file that is older."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from plans.planning import periods
from plans.planning.dates_said import guess_period
from plans.planning.periods import Span, month, quarter, year
from plans.planning.words import NUMBER, normalise, number
from plans.wording import sentence

_UNITS = {"day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year"} | {
    "天": "day", "日": "day", "周": "week", "星期": "week", "月": "month", "季度": "quarter", "年": "year",
}  # fmt: skip
_SHIFTS = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1} | {
    "上": -1, "上一": -1, "上个": -1, "上一个": -1, "本": 0, "这": 0, "这个": 0, "当": 0,
    "下": 1, "下个": 1, "下一个": 1, "下一": 1,
}  # fmt: skip
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "明天": 1}
_YEARS = {"去年": -1, "今年": 0, "明年": 1}
_ONE = re.compile(
    r"(?<![a-z])(?P<s>last|past|previous|this|current|next|coming) (?P<u>week|month|quarter|year)(?![a-z])"
)
_ONE_ZH = re.compile(r"(?P<s>上一?个?|本|这个?|当|下一?个?)(?P<u>星期|季度|周|月)")
_SOME = re.compile(
    rf"(?<![a-z])(?P<s>last|past|previous|next|coming) (?P<n>{NUMBER}) (?P<u>day|week|month|quarter|year)s?(?![a-z])"
)
_SOME_ZH = re.compile(rf"(?P<s>最近|过去|近|未来|接下来)的?(?P<n>{NUMBER})个?(?P<u>天|日|周|星期|月|季度|年)")
_LONGEST_COUNT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Words of the goal and the days they mean. `file` is set where a file's last day stood for today."""

    words: str
    span: Span
    file: str = ""

    @property
    def dates(self) -> str:
        start, end = self.span.start.isoformat(), self.span.end.isoformat()
        return start if start == end else f"{start} to {end}"

    def assumption(self, today: date, zone: str) -> str:
        """Return the sentence that a person can correct."""
        code = "date_from_file" if self.file else "date_from_today"
        params = {"words": self.words, "dates": self.dates, "file": self.file, "today": today.isoformat(), "zone": zone}
        return sentence(code, params)


def dates_in(goal: str, today: date, profiles: Mapping[str, Any]) -> list[Said]:
    """Return the relative dates of a goal, each once, in the order they are said.

    Where the days from today lie outside a file that has a period, and the file's own last such period is meant just as
    well ("last month" of a log of 2015), that one is taken.
    """
    text = normalise(goal)
    found = {words: span for _, words, span in sorted(_found(text, today), key=lambda hit: hit[0])}
    said = [Said(words=words, span=span) for words, span in found.items()]
    older = _from_file(goal, profiles)
    if older is None:
        return said
    covered, one = older
    return [one if each.words in one.words and not each.span.meets(covered) else each for each in said]


def _from_file(goal: str, profiles: Mapping[str, Any]) -> tuple[Span, Said] | None:
    for name, profile in profiles.items():
        covered = periods.extent((profile or {}).get("period"))
        guess = guess_period(goal, covered) if covered else None
        if covered and guess and guess.code == "guess_period_relative":
            span = periods.parse(str(guess.value))
            if span:
                return covered, Said(words=str(guess.params["words"]), span=span, file=name)
    return None


def _found(text: str, today: date) -> Iterator[tuple[int, str, Span]]:
    taken: list[tuple[int, int]] = []
    for pattern in (_SOME, _SOME_ZH, _ONE, _ONE_ZH):
        for hit in pattern.finditer(text):
            if any(start < hit.end() and hit.start() < end for start, end in taken):
                continue
            taken.append(hit.span())
            if span := _span(hit.groupdict(), today):
                yield hit.start(), hit[0], span
    for words, shift in _DAYS.items():
        for at in _places(text, words):
            day = today + timedelta(days=shift)
            yield at, words, Span(start=day, end=day)
    for words, shift in _YEARS.items():
        for at in _places(text, words):
            yield at, words, year(today.year + shift)


def _places(text: str, words: str) -> Iterator[int]:
    edge = r"(?![a-z])" if words.isascii() else ""
    yield from (hit.start() for hit in re.finditer(rf"(?<![a-z]){re.escape(words)}{edge}", text))


def _span(hit: Mapping[str, str], today: date) -> Span | None:
    unit = _UNITS[hit["u"]]
    if "n" not in hit:
        return shifted(today, unit, _SHIFTS[hit["s"]])
    count = number(hit["n"]) or 0
    if not 1 <= count <= _LONGEST_COUNT:
        return None
    ahead = hit["s"] in ("next", "coming", "未来", "接下来")
    if unit in ("day", "week"):
        days = count * (7 if unit == "week" else 1)
        if ahead:
            return Span(start=today + timedelta(days=1), end=today + timedelta(days=days))
        return Span(start=today - timedelta(days=days), end=today - timedelta(days=1))
    first, last = (1, count) if ahead else (-count, -1)
    return Span(start=shifted(today, unit, first).start, end=shifted(today, unit, last).end)


def shifted(today: date, unit: str, shift: int) -> Span:
    """Return the whole week (from Monday), month, quarter or year that lies `shift` of them from the one of today."""
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
        return Span(start=monday, end=monday + timedelta(days=6))
    if unit == "year":
        return year(today.year + shift)
    size = 3 if unit == "quarter" else 1
    index = (today.year * 12 + today.month - 1) // size + shift
    make = quarter if unit == "quarter" else month
    return make(index * size // 12, index * size % 12 // size + 1)


def told(today: date, zone: str, said: list[Said]) -> str:
    """Return what a planner is told of dates: today, the usual periods round it, and what the goal's words mean."""
    names = [
        ("this week", "week", 0),
        ("last week", "week", -1),
        ("this month", "month", 0),
        ("last month", "month", -1),
    ]
    names += [("this quarter", "quarter", 0), ("last quarter", "quarter", -1), ("last year", "year", -1)]
    usual = ", ".join(
        f"{name} = {span.start} to {span.end}" for name, unit, shift in names for span in [shifted(today, unit, shift)]
    )
    lines = [f"Today is {today:%A}, {today.isoformat()} (time zone {zone}). Counted from today: {usual}."]
    for each in said:
        source = f" (the file inputs.{each.file} is older: counted from its last day)" if each.file else ""
        lines.append(f"The goal says “{each.words}”: take {each.dates}{source}.")
    return "\n".join(lines)


def added(assumptions: list[str], said: list[Said], today: date, zone: str) -> list[str]:
    """Return `assumptions` with a sentence for each date none of them names."""
    missing = [each for each in said if not any(each.span.start.isoformat() in text for text in assumptions)]
    return [*assumptions, *(each.assumption(today, zone) for each in missing)]
