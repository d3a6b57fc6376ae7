"""The failure ladder as data: what is tried, in which order, once a step has no further try of its own (DESIGN §5)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from plans.core.errors import ErrorClass
from plans.core.hashing import digest
from plans.core.jsontypes import Json, JsonObject


class Rung(StrEnum):
    """One thing to do about a failure. The first four correct it, the others end the matter."""

    ARGUMENTS = "arguments"
    """Look for other params and try once more."""
    FALLBACK = "fallback"
    """Go on with the fallback skill, else with the fallback value."""
    OTHER_SKILL = "other_skill"
    """Go on with the skill an operator named for when this one fails."""
    REPLAN = "replan"
    """Plan the unfinished part anew."""
    ASK = "ask"
    SKIP = "skip"
    STOP = "stop"
    """The step has failed; what does not need it goes on."""
    ABORT = "abort"
    """The step has failed; everything else is cancelled, but for what always runs."""


# What a plan may say in `on_failure`, and what it leads to after the step's own retries.
LADDERS: Mapping[str, tuple[Rung, ...]] = {
    "retry_then_ask": (Rung.ASK,),
    "retry_then_stop": (Rung.STOP,),
    "retry_different": (Rung.ARGUMENTS, Rung.ASK),
    "fallback": (Rung.FALLBACK, Rung.ASK),
    "replan": (Rung.REPLAN, Rung.ASK),
    "skip": (Rung.SKIP,),
    "abort": (Rung.ABORT,),
}
DEFAULT, DEFAULT_UNATTENDED = "retry_then_ask", "retry_then_stop"

CORRECTIONS = frozenset({Rung.ARGUMENTS, Rung.FALLBACK, Rung.OTHER_SKILL, Rung.REPLAN})
# Other params and another plan cannot get a password, a captcha or money.
_NO_USE: Mapping[Rung, frozenset[ErrorClass]] = {
    Rung.ARGUMENTS: frozenset({ErrorClass.NEEDS_PERSON, ErrorClass.BUDGET, ErrorClass.TRANSIENT, ErrorClass.CRASHED}),
    Rung.REPLAN: frozenset({ErrorClass.NEEDS_PERSON, ErrorClass.BUDGET}),
    Rung.FALLBACK: frozenset({ErrorClass.BUDGET}),
    Rung.OTHER_SKILL: frozenset({ErrorClass.BUDGET}),
}
# After these nobody knows whether the step has taken effect.
_UNSURE = frozenset({ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.CRASHED, ErrorClass.CHECK_FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How often failures of a run are corrected before a person is asked."""

    per_problem: int = 3
    per_run: int = 20
    replans: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known when a step has failed for good: the failure, what there is to try, and what was tried before."""

    error_class: ErrorClass
    idempotent: bool = True
    unattended: bool = False
    has_fallback: bool = False
    """The plan names a fallback skill or value that has not been used."""
    has_other_skill: bool = False
    """The skill's row names one that has not been used."""
    can_plan: bool = False
    """A model is connected, or something else that can plan anew."""
    of_problem: int = 0
    of_run: int = 0
    replans: int = 0


def next_rung(on_failure: str | None, standing: Standing, limits: Limits) -> Rung:
    """Return what to do. `on_failure` as the plan says it, None where it says nothing."""
    chosen = on_failure or (DEFAULT_UNATTENDED if standing.unattended else DEFAULT)
    ladder = LADDERS[chosen]
    if on_failure is None and standing.error_class is ErrorClass.CHECK_FAILED:
        # What came is not what was wanted: another way may give it.
        ladder = (Rung.REPLAN, *ladder)
    for rung in (Rung.OTHER_SKILL, *ladder):
        if rung in CORRECTIONS:
            if _helps(rung, standing) and _is_left(rung, standing, limits):
                return rung
        elif rung is Rung.ASK and standing.unattended and on_failure != DEFAULT:
            return Rung.STOP
        else:
            return rung
    return Rung.ASK


def _helps(rung: Rung, standing: Standing) -> bool:
    if standing.error_class in _NO_USE[rung]:
        return False
    if not standing.idempotent and (rung is Rung.ARGUMENTS or standing.error_class in _UNSURE):
        # What may have happened must not happen once more by another way.
        return False
    there = {
        Rung.FALLBACK: standing.has_fallback,
        Rung.OTHER_SKILL: standing.has_other_skill,
        Rung.ARGUMENTS: standing.can_plan,
        Rung.REPLAN: standing.can_plan,
    }
    return there[rung]


def _is_left(rung: Rung, standing: Standing, limits: Limits) -> bool:
    if rung is Rung.REPLAN and standing.replans >= limits.replans:
        return False
    return standing.of_problem < limits.per_problem and standing.of_run < limits.per_run


_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}[0-9a-fA-F-]{8,}|\d+(?:[.:,]\d+)*")
_LONGEST = 2_000


def problem(task: str, error: Mapping[str, Json]) -> str:
    """Return the name of a problem: the same for every failure of a task that differs only in numbers and ids.

    `error` is as stored: `{"code", "params", "class"}`.
    """
    params = json.dumps(error.get("params") or {}, sort_keys=True, ensure_ascii=False, default=str)
    said: JsonObject = {"code": error.get("code"), "params": _VARYING.sub("#", params).lower()[:_LONGEST]}
    return digest([task, error.get("class"), said])
