"""Find the one plan in what a model said around it: thoughts, prose, fences, drafts before the final one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from plans.core.reading.lenient import Broken, Cut, Lenient, TooDeep

_OPENER = re.compile(r"[{\[｛［]")
_THOUGHT = re.compile(r"\s*<(think(?:ing)?|thoughts?|reasoning|analysis|scratchpad)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think(?:ing)?|thoughts?|reasoning|analysis|scratchpad)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[ \t]*[\w+-]*[ \t]*\r?$", re.MULTILINE)
_CLOSERS = re.compile(r"[\s}\]]*")
_FINAL = re.compile(r"final|correct|revis|updat|improv|complete|instead|最终|修改|修正|更新|改进|完整", re.IGNORECASE)
_MOST_MISSES = 100
"""Brackets in prose that begin nothing: each costs a look ahead, so their number is bounded."""


@dataclass(slots=True, kw_only=True)
class Found:
    """A JSON value in a text, and what was forgiven to read it: code -> position of the first."""

    value: Any
    start: int
    end: int
    notes: dict[str, int] = field(default_factory=dict)
    repeated: list[str] = field(default_factory=list)


class Several(Exception):
    """More than one value could be the plan."""

    def __init__(self, found: Sequence[Found]) -> None:
        super().__init__(len(found))
        self.found = found


def after_thoughts(text: str, start: int) -> int:
    """Return where the answer begins, behind the model's thoughts. Raises Cut when they never end."""
    while opened := _THOUGHT.match(text, start):
        closed = re.compile(rf"</{opened[1]}>", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            raise Cut(opened.start(1) - 1, "the thoughts are not closed, no answer follows")
        start = closed.end()
    # Some servers take the opening mark away: what comes before the last closing one is no answer.
    ends = [each.end() for each in _THOUGHT_END.finditer(text, start)]
    return ends[-1] if ends and _OPENER.search(text, ends[-1]) else start


def values(text: str, start: int) -> list[Found]:
    """Return the JSON values that stand in a text, outermost ones only. Raises Broken, Cut, TooDeep.

    A bracket that begins nothing is prose; once a key has been read, what is broken is the plan itself.
    """
    found: list[Found] = []
    first: Broken | None = None
    misses = 0
    position = start
    while misses < _MOST_MISSES and (opener := _OPENER.search(text, position)):
        reader = Lenient(text)
        try:
            value, position = reader.read(opener.start())
        except (Broken, TooDeep) as error:
            if reader.keys or isinstance(error, TooDeep):
                raise
            first = first or (error if not text[start : opener.start()].strip() else None)
            misses += 1
            position = opener.end()
            continue
        if value:
            found.append(
                Found(value=value, start=opener.start(), end=position, notes=reader.notes, repeated=reader.repeated)
            )
    if not found and first:
        raise first
    return found


def choose(found: Sequence[Found], text: str, is_plan: Callable[[Any], bool], ids: Callable[[Any], set[str]]) -> Found:
    """Return the one that is the plan: the last, when it holds all that the ones before it do, or is said to be final.

    Raises Several, and IndexError when there is none at all.
    """
    plans = [each for each in found if is_plan(each.value)]
    if len(plans) < 2:
        return (plans or [each for each in found if isinstance(each.value, dict)])[0]
    last = plans[-1]
    said = _FINAL.search(text, plans[-2].end, last.start)
    before = set().union(*(ids(each.value) for each in plans[:-1]))
    if said is None and not before <= ids(last.value):
        raise Several(plans)
    return last


def around(text: str, start: int, found: Found) -> set[str]:
    """Return what lies around the plan: `fence_removed`, `braces_removed`, `prose_removed`."""
    codes: set[str] = set()
    for piece in (text[start : found.start], text[found.end :]):
        bare, fences = _FENCE.subn("", piece)
        if fences:
            codes.add("fence_removed")
        match = _CLOSERS.fullmatch(bare)
        if match is None:
            codes.add("prose_removed")
        elif bare.strip():
            codes.add("braces_removed")
    return codes
