"""Skill `noop`: hand back a value. For benchmarks and for joints in hand-written plans."""

from __future__ import annotations

from plans.core.jsontypes import Json
from plans.core.kinds import RunsIn, ValueKind
from plans.core.skill import Context, Outputs
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill


class NoopParams(Params):
    value: Json = None


@skill
class Noop(BasicSkill):
    name = "noop"
    description = "Do nothing and hand back `value`."
    params = NoopParams
    outputs = {"result": ValueKind.JSON}
    runs_in = RunsIn.THREAD
    instant = True
    hidden = True

    def run(self, params: NoopParams, context: Context) -> Outputs:
        return Outputs(values={"result": params.value})
