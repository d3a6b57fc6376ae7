"""Skill of the benchmarks: take a given time without using the processor."""

from __future__ import annotations

import time

from plans.core.kinds import RunsIn, ValueKind
from plans.core.skill import Context, Outputs
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill


class NapParams(Params):
    seconds: float


@skill
class Nap(BasicSkill):
    name = "nap"
    description = "Sleep."
    params = NapParams
    outputs = {"result": ValueKind.JSON}
    runs_in = RunsIn.THREAD
    hidden = True

    def run(self, params: NapParams, context: Context) -> Outputs:
        # The nap is the load being measured, not a wait for something.
        time.sleep(params.seconds)
        return Outputs(values={"result": None})
