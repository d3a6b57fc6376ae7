"""Which column is meant: candidates of a file's profile, ranked by the goal's words, their names and their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plans.core.jsontypes import JsonObject
from plans.planning.definition import ColumnParameter
from plans.planning.guess import Guess
from plans.planning.words import is_cjk, normalise, pattern

NAMED_IN_GOAL = 4.0
KNOWN_NAME = 2.0
TO_AVOID = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    name: str
    score: float
    code: str

    @property
    def is_named(self) -> bool:
        """True when the name speaks for the column, not only its values."""
        return self.code in ("guess_column_in_goal", "guess_column_name")


def candidates(parameter: ColumnParameter, profile: JsonObject, goal: str) -> list[Candidate]:
    """Return the columns of a fitting type, best first; ties keep the file's order."""
    columns = [c for c in profile.get("columns") or [] if c["type"] in parameter.types]
    ranked = [_judge(parameter, column, normalise(goal), int(profile.get("row_count") or 0)) for column in columns]
    return sorted(ranked, key=lambda candidate: -candidate.score)


def guess_column(parameter: ColumnParameter, profile: JsonObject, goal: str) -> Guess:
    """Guess the best column; an optional one only when the goal names it."""
    ranked = candidates(parameter, profile, goal)
    if not parameter.required:
        ranked = [candidate for candidate in ranked if candidate.code == "guess_column_in_goal"]
    if not ranked:
        return Guess()
    best = ranked[0]
    others = [candidate.name for candidate in ranked[1:4] if candidate.is_named]
    return Guess(value=best.name, code=best.code, params={"name": best.name, "others": others})


def _judge(parameter: ColumnParameter, column: JsonObject, goal: str, rows: int) -> Candidate:
    name = normalise(str(column["name"]))
    score, code = _value_score(column, rows), "guess_column_type"
    place = next((i for i, phrase in enumerate(parameter.names) if pattern(phrase).search(name)), None)
    if place is not None:
        score += KNOWN_NAME - 0.03 * place
        code = "guess_column_name"
    if any(pattern(phrase).search(name) for phrase in parameter.avoid):
        score -= TO_AVOID
        code = "guess_column_type"
    if _speaks_of(goal, name):
        score += NAMED_IN_GOAL
        code = "guess_column_in_goal"
    return Candidate(name=str(column["name"]), score=score, code=code)


def _speaks_of(goal: str, name: str) -> bool:
    """Tell whether the goal names the column: its name without units, singular or plural."""
    bare = name.split("(")[0].strip()
    if len(bare) < (2 if is_cjk(bare) else 3):
        return False
    if is_cjk(bare):
        return bare in goal
    stem = bare[:-1] if bare.endswith("s") and not bare.endswith("ss") else bare
    variants: Sequence[str] = (bare, f"{bare}s", stem, f"{stem[:-1]}ies" if stem.endswith("y") else bare)
    # `*` and `{n}` in a column's name are ordinary signs there.
    return any(pattern(form.replace("*", " ").replace("{", " ")).search(goal) for form in variants if form.strip(" *{"))


def _value_score(column: JsonObject, rows: int) -> float:
    """Judge by values: decimals look like amounts, missing and constant ones like nothing, row numbers like ids."""
    score = 0.0
    distinct = int(column.get("distinct") or 0)
    if rows:
        score -= int(column.get("missing") or 0) / rows
    if rows > 1 and distinct <= 1:
        score -= 0.5
    if column["type"] == "number":
        score += 0.3
    if column["type"] == "integer" and rows > 20 and distinct >= 0.98 * rows:
        score -= 0.6
    return score
