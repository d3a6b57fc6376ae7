"""Compile a plan: read leniently, judge strictly, change nothing that is not certain (DESIGN §4). Pure, no model."""

from __future__ import annotations

from plans.core import graph
from plans.core.catalogue import AnySkill, Catalogue
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.compile import (
    code,
    dependencies,
    failures,
    fan_out,
    fields,
    flow,
    foreign,
    grain,
    ids,
    limits,
    milestones,
    pools,
    references,
    risks,
    skills,
    structure,
    undo,
)
from plans.core.compile.draft import Draft
from plans.core.compile.outcome import Compiled, Outcome, outcome_of
from plans.core.errors import CycleError
from plans.core.estimate import Work, durations, estimate
from plans.core.jsontypes import Json, JsonObject
from plans.core.reading import read_plan
from plans.core.spec import PlanSpec

__all__ = ["Circumstances", "Compiled", "Outcome", "compile_plan"]

_PARTS = (
    ids, dependencies, fields, skills, failures, undo, fan_out, pools, references, milestones, foreign, code, flow, grain,
    risks,
)  # fmt: skip
"""In this order: references need the dependencies, and the flow of data needs the references."""

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
    for part in _PARTS:
        part.check(draft)
    return _compiled(draft)


def _compiled(draft: Draft) -> Compiled:
    levels: dict[str, int] = {}
    path: list[str] = []
    estimated: JsonObject = {"seconds": 0.0, "usd": None}
    try:
        ordered = graph.order(draft.upstream)
    except CycleError:
        # A plan with a cycle has neither levels nor a longest chain, and would never end.
        dependencies.check_cycles(draft)
    else:
        levels = graph.levels(draft.upstream, ordered)
        work = _work(draft, ordered)
        estimated = estimate(work)
        path = graph.critical_path(draft.upstream, durations(work), ordered)
        structure.check(draft, levels)
        limits.check(draft, work, estimated)
    return Compiled(
        outcome=outcome_of(draft.findings),
        plan=_with_dependencies(draft),
        nodes=list(draft.tasks),
        edges=[(up, task) for task, ups in draft.upstream.items() for up in ups],
        findings=draft.findings,
        levels=graph.grouped(levels),
        critical_path=path,
        estimate=estimated,
    )


def _work(draft: Draft, ordered: list[str]) -> Work:
    """Return what is to be estimated, with the lengths of the lists that the plan itself writes out."""
    known = {task.id: fan_out.constant(task) for task in draft.tasks.values() if task.for_each is not None}
    items = {name: len(found[0]) for name, found in known.items() if found and isinstance(found[0], list)}
    return Work(
        tasks=draft.tasks,
        upstream=draft.upstream,
        catalogue=draft.catalogue,
        circumstances=draft.circumstances,
        items=items,
        ordered=ordered,
    )


def _with_dependencies(draft: Draft) -> PlanSpec:
    """Return the plan with the dependencies its references make, each named once."""
    tasks = []
    for task in draft.plan.tasks:
        wanted = list(dict.fromkeys([*task.depends_on, *draft.added.get(task.id, [])]))
        tasks.append(task if wanted == task.depends_on else task.model_copy(update={"depends_on": wanted}))
    return draft.plan.model_copy(update={"tasks": tasks})
