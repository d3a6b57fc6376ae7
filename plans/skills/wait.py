"""Skill `wait`: hold the plan for some seconds or until a moment, without holding a worker."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pydantic import AwareDatetime, Field, model_validator

from plans.core.kinds import RunsIn, ValueKind
from plans.core.skill import Context, Outputs, WaitUntil
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill

MAX_SECONDS = 366 * 24 * 3600


class WaitParams(Params):
    seconds: float | None = Field(
        default=None, ge=0, le=MAX_SECONDS, description="How long to wait.", json_schema_extra={"x-seconds": True}
    )
    until: AwareDatetime | None = Field(default=None, description="ISO 8601 moment with its time zone.")

    @model_validator(mode="after")
    def _exactly_one(self) -> WaitParams:
        if (self.seconds is None) == (self.until is None):
            raise ValueError("give either `seconds` or `until`")
        return self


@skill
class Wait(BasicSkill):
    name = "wait"
    description = "Wait for a number of seconds or until a moment in time, then go on. Holds no worker meanwhile."
    params = WaitParams
    outputs = {"ended_at": ValueKind.TEXT}
    runs_in = RunsIn.ENGINE

    def run(self, params: WaitParams, context: Context) -> Outputs | WaitUntil:
        now = datetime.now(UTC)
        if params.until is not None:
            # Looked at again on resuming: the engine's clock may have woken us a moment early.
            done = now >= params.until
            until = params.until.astimezone(UTC)
        else:
            # When the wait began is not kept: having been resumed is what says that it is over.
            done = context.resumed or not params.seconds
            until = now + timedelta(seconds=params.seconds or 0)
        return Outputs(values={"ended_at": now.isoformat(timespec="seconds")}) if done else WaitUntil(at=until)
