"""Compile a plan: read leniently, judge strictly, change nothing that is not certain (DESIGN §4). Pure, no model."""

from __future__ import annotations

from plans.core import graph
from plans.core.catalogue import AnySkill, Catalogue
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.compile import dependencies, failures, fan_out, fields, ids, pools, references, skills
from plans.core.compile.draft import Draft
from plans.core.compile.outcome import Compiled, Outcome, outcome_of
from plans.core.errors import CycleError
from plans.core.jsontypes import Json, JsonObject
from plans.core.reading import read_plan
from plans.core.spec import PlanSpec

__all__ = ["Circumstances", "Compiled", "Outcome", "compile_plan"]

ANY_SKILL = "any"
"""Stands in for a skill that was not named, where only the structure is judged."""


def compile_plan(
    raw: str | bytes | Json | PlanSpec, catalogue: Catalogue, circumstances: Circumstances = NOTHING_KNOWN
) -> Compiled:
    """Return the verdict on a plan: text of a plan, its JSON object, or a PlanSpec.

    `circumstances` say what pools, money, time and slots there are; what is not known is not judged. The compiled
    plan's `depends_on` holds what references add. Time grows linearly with the edges.
    """
    if isinstance(raw, PlanSpec):
        raw = raw.model_dump(mode="json", by_alias=True)
    plan, findings = read_plan(raw, catalogue, ANY_SKILL if isinstance(catalogue, AnySkill) else None)
    if plan is None:
        return Compiled(outcome="rejected", findings=findings)
    draft = Draft(plan=plan, catalogue=catalogue, circumstances=circumstances, findings=findings)
    ids.check(draft)
    dependencies.check(draft)
    fields.check(draft)
    skills.check(draft)
    failures.check(draft)
    fan_out.check(draft)
    pools.check(draft)
    references.check(draft)
    return _compiled(draft)


def _compiled(draft: Draft) -> Compiled:
    levels: list[list[str]] = []
    path: list[str] = []
    seconds = {task.id: task.estimate.seconds for task in draft.tasks.values() if task.estimate.seconds is not None}
    try:
        levels = graph.batches(draft.upstream)
        path = graph.critical_path(draft.upstream, seconds)
    except CycleError:
        # A plan with a cycle has neither levels nor a longest chain.
        dependencies.check_cycles(draft)
    return Compiled(
        outcome=outcome_of(draft.findings),
        plan=_with_dependencies(draft),
        nodes=list(draft.tasks),
        edges=[(up, task) for task, ups in draft.upstream.items() for up in ups],
        findings=draft.findings,
        levels=levels,
        critical_path=path,
        estimate=_estimate(draft, seconds, path),
    )


def _with_dependencies(draft: Draft) -> PlanSpec:
    """Return the plan with the dependencies its references make, each named once."""
    tasks = []
    for task in draft.plan.tasks:
        wanted = list(dict.fromkeys([*task.depends_on, *draft.added.get(task.id, [])]))
        tasks.append(task if wanted == task.depends_on else task.model_copy(update={"depends_on": wanted}))
    return draft.plan.model_copy(update={"tasks": tasks})


def _estimate(draft: Draft, seconds: dict[str, float], path: list[str]) -> JsonObject:
    """Return the seconds of the critical path (a step without an estimate counts one) and the sum of the known costs."""
    costs = [task.estimate.usd for task in draft.tasks.values() if task.estimate.usd is not None]
    total = sum(seconds.get(task, graph.UNKNOWN_SECONDS) for task in path)
    return {"seconds": float(total), "usd": float(sum(costs)) if costs else None}
