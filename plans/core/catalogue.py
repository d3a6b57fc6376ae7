"""The catalogue: what planning, the compiler and the engine know of skills, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from plans.core.code_checks import ParamCheck
from plans.core.jsontypes import JsonObject
from plans.core.kinds import Approval, Risk, RunsIn, ValueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSettings:
    """What an operator set for a skill in the admin; None keeps the skill's own value."""

    enabled: bool = True
    approval: Approval = Approval.AUTO
    timeout_seconds: int | None = None
    retries: int | None = None
    concurrency: int | None = None
    calls_per_minute: int | None = None
    fallback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """A skill as data. `timeout_seconds` and `retries` are the most a plan may ask for."""

    name: str
    version: str = "1"
    description: str = ""
    params_schema: JsonObject = field(default_factory=lambda: {"type": "object"})
    outputs: Mapping[str, ValueKind] = field(default_factory=dict)
    idempotent: bool = True
    risk: Risk = Risk.LOW
    runs_in: RunsIn = RunsIn.THREAD
    instant: bool = False
    literal: frozenset[str] = frozenset()
    approval: Approval = Approval.AUTO
    timeout_seconds: int = 60
    retries: int = 2
    concurrency: int | None = None
    """Calls at once over all runs; None is no limit."""
    calls_per_minute: int | None = None
    fallback: str = ""
    """The skill an operator named to try once when this one has failed for good."""
    seconds: float | None = None
    """What a call usually takes, as the skill says; None where it cannot tell."""
    asks_model: bool = False
    checks: Mapping[str, ParamCheck] = field(default_factory=dict, compare=False)
    """Param -> what reads its code before approval, for languages the core does not know (`x-language`)."""
    hidden: bool = False
    """True for what is no use to a planner (a step that does nothing); plans by hand may name it."""
    free_params: bool = False
    """True when params are not checked (`checkplan --skills`)."""


Catalogue: TypeAlias = Mapping[str, SkillInfo]


def find(catalogue: Catalogue, name: str) -> SkillInfo | None:
    """Return the skill called `name`, None when there is none."""
    return catalogue[name] if name in catalogue else None  # noqa: SIM401 - AnySkill has every name and no item


class AnySkill(Mapping[str, SkillInfo]):
    """A catalogue in which every name exists with free params: judges structure only."""

    def __init__(self) -> None:
        self._asked: dict[str, SkillInfo] = {}

    def __getitem__(self, name: str) -> SkillInfo:
        found = self._asked.get(name)
        if found is None:
            found = self._asked[name] = SkillInfo(name=name, free_params=True)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(())

    def __len__(self) -> int:
        return 0
