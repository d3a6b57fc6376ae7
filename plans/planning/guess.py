"""A guess for a parameter: the value, and why it was taken as a code the pages put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plans.core.jsontypes import Json, JsonObject
from plans.planning.definition import ChoiceParameter, FileParameter, NumberParameter
from plans.planning.words import first, normalise, number, without_times
from plans.wording import sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """`code` and `params` say why; an empty code needs no word (a default)."""

    value: Json = None
    code: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        return sentence(self.code, self.params) if self.code else ""


def fitting_files(parameter: FileParameter, profiles: Mapping[str, JsonObject]) -> list[str]:
    """Return the attachments of a kind the parameter takes: those without a problem first, as attached."""
    keys = [key for key, profile in profiles.items() if profile.get("kind") in parameter.kinds]
    return sorted(keys, key=lambda key: bool(profiles[key].get("problem")))


def guess_file(parameter: FileParameter, goal: str, profiles: Mapping[str, JsonObject]) -> Guess:
    """Guess which attachment is meant: one the goal names, else the first of a fitting kind, else the only one."""
    text, fitting = normalise(goal), fitting_files(parameter, profiles)
    for key in fitting:
        if normalise(key) in text:
            return Guess(value=key, code="guess_file_named", params={"name": key})
    if fitting:
        code = "guess_file_only" if len(profiles) == 1 else "guess_file_first"
        return Guess(value=fitting[0], code=code, params={"name": fitting[0]})
    # The only file, though of the wrong kind: the error can then say what is wrong with it.
    return Guess(value=next(iter(profiles))) if len(profiles) == 1 else Guess()


def guess_number(parameter: NumberParameter, goal: str) -> Guess:
    """Guess a number the goal says in one of the parameter's phrases ("top {n}", "前{n}")."""
    hit = first(parameter.guess.all(), without_times(normalise(goal)))
    value = number(hit["n"]) if hit else None
    if hit is None or value is None:
        return Guess(value=parameter.default)
    return Guess(value=value, code="guess_number_said", params={"words": hit.group(0).strip()})


def guess_choice(parameter: ChoiceParameter, goal: str) -> Guess:
    """Guess the first choice the goal speaks of."""
    text = normalise(goal)
    for choice in parameter.choices:
        if found := choice.match.found_in(text):
            return Guess(value=choice.value, code="guess_choice_said", params={"words": found[0]})
    return Guess(value=parameter.default)
