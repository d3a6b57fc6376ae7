"""Which playbook fits a goal and its files: a score with reasons, and nothing at all below a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from plans.core.jsontypes import JsonObject
from plans.planning.columns import candidates
from plans.planning.definition import ColumnParameter, FileParameter, Playbook, load_all
from plans.planning.guess import fitting_files
from plans.planning.words import normalise
from plans.wording import sentence

THRESHOLD = 0.6
FILE_WEIGHT = 0.25
# A fitting file that only its types speak for adds a little less.
UNNAMED_FILE_WEIGHT = 0.2
UNLESS_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """How well a playbook fits; `why` holds (code, params) pairs, `reasons` their sentences."""

    playbook: Playbook
    score: float
    why: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    @property
    def fits(self) -> bool:
        return self.score >= THRESHOLD

    @property
    def reasons(self) -> list[str]:
        return [sentence(code, params) for code, params in self.why]


def rank(goal: str, profiles: Mapping[str, JsonObject], playbooks: Iterable[Playbook] | None = None) -> list[Match]:
    """Return every playbook with its score, best first; equal scores by name."""
    found = [_judge(playbook, goal, profiles) for playbook in (load_all() if playbooks is None else playbooks)]
    return sorted(found, key=lambda match: (-match.score, match.playbook.name))


def match(goal: str, profiles: Mapping[str, JsonObject], playbooks: Iterable[Playbook] | None = None) -> list[Match]:
    """Return the playbooks that fit, best first; empty when none does."""
    return [found for found in rank(goal, profiles, playbooks) if found.fits]


def offers(profiles: Mapping[str, JsonObject], playbooks: Iterable[Playbook] | None = None) -> list[Playbook]:
    """Return the playbooks worth offering for these files when the goal fits none."""
    every = load_all() if playbooks is None else playbooks
    return [playbook for playbook in every if playbook.offer and _file_score(playbook, "", profiles)[0] > 0]


def _judge(playbook: Playbook, goal: str, profiles: Mapping[str, JsonObject]) -> Match:
    text = normalise(goal)
    score, words = 0.0, []
    for concept in playbook.match:
        if found := concept.words.found_in(text):
            score += concept.weight
            words.append(max(found, key=len))
    why: list[tuple[str, Mapping[str, Any]]] = [("match_words", {"words": words})] if words else []
    if score:
        added, name = _file_score(playbook, goal, profiles)
        score += added
        if name:
            why.append(("match_file", {"name": name}))
    if found := playbook.unless.found_in(text):
        score -= UNLESS_WEIGHT
        why.append(("match_unless", {"words": found}))
    return Match(playbook=playbook, score=round(score, 4), why=tuple(why))


def _file_score(playbook: Playbook, goal: str, profiles: Mapping[str, JsonObject]) -> tuple[float, str]:
    """Return what the attachments add, and the one that does: the right kind, with a column for each required one."""
    best = (0.0, "")
    for parameter in playbook.parameters:
        if not isinstance(parameter, FileParameter):
            continue
        for key in fitting_files(parameter, profiles):
            score = (
                0.0 if profiles[key].get("problem") else _column_score(playbook, parameter.name, goal, profiles[key])
            )
            best = max(best, (score, key), key=lambda pair: pair[0])
    return best if best[0] > 0 else (0.0, "")


def _column_score(playbook: Playbook, file: str, goal: str, profile: JsonObject) -> float:
    named = True
    for parameter in playbook.parameters:
        if isinstance(parameter, ColumnParameter) and parameter.required and parameter.of == file:
            ranked = candidates(parameter, profile, goal)
            if not ranked:
                return 0.0
            named = named and ranked[0].is_named
    return FILE_WEIGHT if named else UNNAMED_FILE_WEIGHT
