"""The period a goal speaks of, taken against the days the file covers: "last month" of a log of May 2015 is May 2015."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from plans.planning.guess import Guess
from plans.planning.periods import WHOLE, Span, label, month, quarter, year
from plans.planning.words import NUMBER, normalise, number

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NAMES = (
    {name: i for i, name in enumerate(_MONTHS, 1)} | {name[:3]: i for i, name in enumerate(_MONTHS, 1)} | {"sept": 9}
)
_ANY_MONTH = "|".join(sorted(_NAMES, key=len, reverse=True))
_LONG_MONTH = "|".join(name for name in _MONTHS if name not in ("may", "march"))
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_DAY = r"\d{4}-\d\d-\d\d"
_YEAR = r"(?<!\d)(?P<y>(?:19|20)\d\d)(?!\d)"
# "growth against the previous month" compares, it does not choose a period.
_COMPARED = re.compile(r"(?:compar\w+ (?:to|with)|against|versus|vs\.?|than|change from) (?:the )?$")
_ZH_COMPARED = re.compile(r"(?:比|较|相比|与|和|跟|对比)$")

Reading = tuple[str, str]
"""A period's text form, and the words it was read from."""


def guess_period(goal: str, covered: Span | None) -> Guess:
    """Guess a period from the goal's words; the whole file when it names none or several."""
    text = normalise(goal)
    if covered is not None:
        for finder in (_ranges, _quarters, _months, _relative, _years):
            found = dict(finder(text, covered))
            if len(found) == 1:
                value, words = next(iter(found.items()))
                code = "guess_period_relative" if finder is _relative else "guess_period_said"
                return Guess(
                    value=value,
                    code=code,
                    params={"words": words, "period": label(value), "last": covered.end.isoformat()},
                )
            if found:
                break
    return Guess(value=WHOLE)


def _latest(covered: Span, make: Callable[[int], Span]) -> int:
    """Return the latest year in which the part of the year `make` gives meets the file, else the file's last year."""
    years = range(covered.end.year, covered.start.year - 1, -1)
    return next((y for y in years if make(y).meets(covered)), covered.end.year)


def _ranges(text: str, covered: Span) -> Iterator[Reading]:
    for hit in re.finditer(rf"(?<!\d)({_DAY})\s*(?:to|until|till|and|through|-|–|\.\.|至|到)\s*({_DAY})(?!\d)", text):
        yield f"{hit[1]}..{hit[2]}", hit[0]


def _quarters(text: str, covered: Span) -> Iterator[Reading]:
    """Read "Q4 2019", "2019 Q4", "fourth quarter of 2019", "2019年第四季度"; without a year the file's latest such quarter."""
    ordinals = "|".join(_ORDINALS)
    patterns = (
        rf"(?<![a-z0-9])q(?P<q>[1-4])(?:\s*(?:of|in|/|-)?\s*{_YEAR})?(?![a-z0-9])",
        rf"{_YEAR}\s*[-/]?\s*q(?P<q>[1-4])(?!\d)",
        rf"(?:the )?(?P<q>{ordinals}) quarter(?:\s*(?:of|in)?\s*{_YEAR})?",
        r"(?:(?P<y>(?:19|20)\d\d)\s*年?\s*的?\s*)?第?(?P<q>[一二三四1-4])个?季度",
    )
    seen: list[tuple[int, int]] = []
    for form in sorted(patterns, key=lambda form: form != patterns[1]):
        for hit in re.finditer(form, text):
            if any(start < hit.end() and hit.start() < end for start, end in seen):
                continue
            seen.append(hit.span())
            wanted = _ORDINALS.get(hit["q"]) or number(hit["q"]) or 1
            chosen = int(hit["y"]) if hit["y"] else _latest(covered, lambda y, q=wanted: quarter(y, q))  # type: ignore[misc]
            yield f"{chosen}-Q{wanted}", hit[0].strip()


def _months(text: str, covered: Span) -> Iterator[Reading]:
    """Read "October 2019", "2019-10", "10/2019", "2019年10月", "in October", "十月"."""
    for hit in re.finditer(rf"(?<![a-z])(?P<m>{_ANY_MONTH})\.?,?(?: of)? {_YEAR}", text):
        yield f"{hit['y']}-{_NAMES[hit['m']]:02}", hit[0]
    for hit in re.finditer(r"(?<![\d-])(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])", text):
        yield f"{hit['y']}-{hit['m']}", hit[0]
    for hit in re.finditer(r"(?<![\d/])(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?!\d)", text):
        yield f"{hit['y']}-{int(hit['m']):02}", hit[0]
    for hit in re.finditer(
        r"(?:(?P<y>(?:19|20)\d\d)\s*年\s*的?\s*)?(?<!\d)(?P<m>\d{1,2}|[一二三四五六七八九十]{1,2})月", text
    ):
        wanted = number(hit["m"]) or 0
        if 1 <= wanted <= 12:
            yield f"{hit['y'] or _latest(covered, lambda y, m=wanted: month(y, m))}-{wanted:02}", hit[0]  # type: ignore[misc]
    # "may" and "march" are other words as well: only after "in" and the like
    no_year = r"(?![a-z])(?!\.?,?(?: of)? (?:19|20)\d\d)"
    bare = rf"(?<![a-z])(?:(?:in|during|for|of) (?P<a>{_ANY_MONTH})|(?P<b>{_LONG_MONTH})){no_year}"
    for hit in re.finditer(bare, text):
        wanted = _NAMES[hit["a"] or hit["b"]]
        yield f"{_latest(covered, lambda y, m=wanted: month(y, m))}-{wanted:02}", hit[0]  # type: ignore[misc]


def _relative(text: str, covered: Span) -> Iterator[Reading]:
    """Read "last month", "this quarter", "last 3 months", "上个月", "最近三个月"; the file's last day stands for today."""
    ago = rf"(?:last|past|previous|recent|latest) (?P<n>{NUMBER}) (?P<u>day|week|month|quarter|year)s?(?![a-z])"
    ago_zh = rf"(?:最近|过去|近)的?(?P<n>{NUMBER})个?(?P<u>天|日|周|星期|月|季度|年)"
    for hit in [*re.finditer(ago, text), *re.finditer(ago_zh, text)]:
        count = number(hit["n"]) or 0
        if 1 <= count <= 1000:
            unit = _UNITS[hit["u"]]
            span = _back(covered.end, unit, count)
            # "the last 1 month" is "the last month"
            whole = count == 1 and unit in ("month", "quarter", "year")
            yield _holding(covered.end, unit) if whole else f"{span.start}..{span.end}", hit[0]
    last = (
        r"(?:last|past|previous|this|current|latest|most recent)(?:'s)? (?P<u>week|month|quarter|year)(?:'s)?(?![a-z])"
    )
    last_zh = r"(?:上一?个?|本|这个?|最后一?个)(?P<u>月|季度|周|星期)|(?P<y>去年|今年|上一?年|本年度?)"
    for hit in [*re.finditer(last, text), *re.finditer(last_zh, text)]:
        if _compares(text[: hit.start()], hit[0]):
            continue
        unit = _UNITS[hit["u"]] if hit["u"] else "year"
        yield _holding(covered.end, unit), hit[0]


_UNITS = {unit: unit for unit in ("day", "week", "month", "quarter", "year")} | {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
}


def _compares(before: str, words: str) -> bool:
    """Tell whether what stands before makes it a comparison; "over the previous month" is one, "over the last" is not."""
    if before.endswith("over the ") and words.startswith("previous"):
        return True
    return bool(_COMPARED.search(before) or _ZH_COMPARED.search(before))


def _holding(day: date, unit: str) -> str:
    """Return the period of that unit which holds `day`."""
    if unit == "year":
        return str(day.year)
    if unit == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    if unit == "month":
        return f"{day.year}-{day.month:02}"
    return f"{day - timedelta(days=6)}..{day}"


def _back(day: date, unit: str, count: int) -> Span:
    """Return the last `count` units up to `day`; months, quarters and years count whole ones."""
    if unit in ("day", "week"):
        return Span(start=day - timedelta(days=count * (7 if unit == "week" else 1) - 1), end=day)
    if unit == "year":
        return Span(start=date(day.year - count + 1, 1, 1), end=day)
    size = 3 if unit == "quarter" else 1
    last = (day.year * 12 + day.month - 1) // size * size
    start = last - (count - 1) * size
    return Span(start=date(start // 12, start % 12 + 1, 1), end=day)


def _years(text: str, covered: Span) -> Iterator[Reading]:
    """Read a bare year of the file, or any year after "in", "of", "for" or before 年."""
    for hit in re.finditer(rf"(?P<before>(?:in|of|for|during|year) )?{_YEAR}(?P<after>\s*年)?(?![-/.]\d)", text):
        if hit["before"] or hit["after"] or year(int(hit["y"])).meets(covered):
            yield hit["y"], hit[0].strip()
