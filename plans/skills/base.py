"""What most skills have in common, so that a skill's module says only what is special about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from plans.core.code_checks import ParamCheck
from plans.core.kinds import Risk, RunsIn, ValueKind


class Params(BaseModel):
    """Params of a skill: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BasicSkill:
    """Defaults of the protocol `plans.core.skill.Skill`; a subclass adds name, description, params, outputs and run."""

    version: ClassVar[str] = "1"
    outputs: ClassVar[Mapping[str, ValueKind]] = {}
    idempotent: ClassVar[bool] = True
    risk: ClassVar[Risk] = Risk.LOW
    runs_in: ClassVar[RunsIn] = RunsIn.PROCESS
    instant: ClassVar[bool] = False
    literal: ClassVar[frozenset[str]] = frozenset()
    timeout_seconds: ClassVar[int] = 120
    retries: ClassVar[int] = 2
    seconds: ClassVar[float | None] = None
    """What a call usually takes, for estimates until there is a history; None: what skills of its kind take."""
    asks_model: ClassVar[bool] = False
    checks: ClassVar[Mapping[str, ParamCheck]] = {}
    """Param -> what reads its code before approval."""
    hidden: ClassVar[bool] = False
    """True for skills that are no use to a planner."""
