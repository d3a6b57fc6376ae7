"""Make the task and dependency rows of an approved plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from plans.core import graph
from plans.core.catalogue import SkillInfo
from plans.core.kinds import Approval, Risk, RunsIn
from plans.core.spec import Milestone, PlanSpec, TaskSpec
from plans.core.states import Autonomy, TaskKind, TaskState
from plans.engine import fallbacks
from plans.models import Dependency, Run, Task

DEFAULT_SECONDS = 1.0
# What of a step's row its specification decides: all that a revision may change.
STEP_COLUMNS = (
    "name", "milestone_key", "position", "spec", "always_run", "fallback", "has_references", "priority", "rank",
    "items_at_once", "pool", "weight", "reserve_usd", *fallbacks.COLUMNS,
)  # fmt: skip
RISKS = [Risk.LOW, Risk.MEDIUM, Risk.HIGH]


def needs_approval(spec: TaskSpec, info: SkillInfo, autonomy: str) -> bool:
    """Tell whether a step asks before it starts: the stricter of skill row and plan, as the autonomy reads it."""
    if info.approval == Approval.ALWAYS:
        return True
    if autonomy in (Autonomy.PLAN_ONLY, Autonomy.UNATTENDED):
        return False
    always = spec.approval == Approval.ALWAYS or spec.confidence == "low"
    if autonomy == Autonomy.EVERY_STEP:
        # A step that only asks or waits is itself a stop; asking before asking helps nobody.
        return always or info.runs_in != RunsIn.ENGINE
    return always or effective_risk(spec, info) == Risk.HIGH


def effective_risk(spec: TaskSpec, info: SkillInfo) -> Risk:
    """Return the higher of what the skill says and what the plan says."""
    return max(info.risk, spec.risk or Risk.LOW, key=RISKS.index)


def capped(wanted: int | None, most: int) -> int:
    """A plan may only tighten what the skill's row allows."""
    return most if wanted is None else min(wanted, most)


def upstream_map(plan: PlanSpec) -> dict[str, set[str]]:
    """Return every row's upstream rows: steps by `depends_on`, a milestone by its steps and child milestones."""
    edges: dict[str, set[str]] = {milestone.id: set() for milestone in plan.milestones}
    for task in plan.tasks:
        edges[task.id] = set(task.depends_on)
    for task in plan.tasks:
        if task.milestone is not None:
            edges[task.milestone].add(task.id)
    for milestone in plan.milestones:
        if milestone.parent is not None:
            edges[milestone.parent].add(milestone.id)
    return edges


def create(
    run: Run, plan: PlanSpec, catalogue: Mapping[str, SkillInfo], kept: Mapping[str, Task] | None = None
) -> list[str]:
    """Create the rows of `plan` for `run`; return the keys that are ready at once.

    `kept`: succeeded rows of an earlier run of the same plan; these are made as done, with the outputs they had.
    """
    kept = kept or {}
    edges = upstream_map(plan)
    seconds = {task.id: task.estimate.seconds or DEFAULT_SECONDS for task in plan.tasks}
    ranks = graph.remaining(edges, {key: seconds.get(key, 0.0) for key in edges})
    rows: dict[str, Task] = {}
    for position, task in enumerate(plan.tasks):
        rows[task.id] = step_row(run, task, catalogue, bool(edges[task.id]), ranks[task.id], position)
    for position, milestone in enumerate(plan.milestones):
        rows[milestone.id] = milestone_row(run, milestone, position)
    for key, row in rows.items():
        row.unmet = len(edges[key] - kept.keys())
        row.state = TaskState.PENDING if row.unmet else TaskState.READY
        if key in kept:
            row.unmet, row.state, row.outputs = 0, TaskState.SUCCEEDED, kept[key].outputs
            row.started_at, row.ended_at = kept[key].started_at, kept[key].ended_at
    # ids are taken in insertion order, so equal priority and rank run in the plan's order
    saved = {row.key: row for row in Task.objects.bulk_create(rows.values(), batch_size=500)}
    Dependency.objects.bulk_create(
        (Dependency(upstream=saved[up], downstream=saved[down]) for down, ups in edges.items() for up in sorted(ups)),
        batch_size=1000,
    )
    return [key for key, row in saved.items() if row.state == TaskState.READY]


def step_row(
    run: Run, spec: TaskSpec, catalogue: Mapping[str, SkillInfo], has_upstream: bool, rank: float, position: int
) -> Task:
    stored: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    stored["outputs"] = {name: kind.value for name, kind in spec.outputs.items()}
    info = catalogue[spec.skill]
    other = fallbacks.named(spec, info, catalogue)
    return Task(
        run=run,
        key=spec.id,
        kind=TaskKind.STEP,
        name=spec.name[:500],
        milestone_key=spec.milestone or "",
        position=position,
        spec=stored,
        always_run=spec.always_run,
        fallback={"because": other[0], "columns": _of_skill(run, spec, other[1])} if other else None,
        has_references=has_upstream and may_refer(stored),
        priority=spec.priority,
        rank=rank,
        items_at_once=spec.items_at_once,
        pool=spec.pool or "",
        weight=spec.weight,
        reserve_usd=reserve(run, spec),
        **_of_skill(run, spec, info),
    )


def _of_skill(run: Run, spec: TaskSpec, info: SkillInfo) -> dict[str, Any]:
    """Return what of a step's row depends on the skill that runs it: `fallbacks.COLUMNS`."""
    asks = needs_approval(spec, info, run.autonomy)
    decides = asks or spec.run_if is not None or spec.for_each is not None or info.runs_in == RunsIn.ENGINE
    limited = is_limited(run, spec, info)
    return {
        "skill": info.name,
        "skill_version": info.version,
        "needs_approval": asks,
        "gated": decides or limited,
        "limited": limited,
        "decided": limited and not decides,
        "runs_in": info.runs_in,
        "instant": info.instant,
        "idempotent": info.idempotent,
        "timeout_seconds": capped(spec.timeout_seconds, info.timeout_seconds),
        "retries": capped(spec.retries, info.retries),
    }


def is_limited(run: Run, spec: TaskSpec, info: SkillInfo) -> bool:
    """Tell whether anything but free slots holds a step back. What runs on the loop takes no time and no place."""
    if info.runs_in == RunsIn.ENGINE:
        return False
    shared = spec.pool or info.concurrency or info.calls_per_minute or run.tasks_at_once
    return bool(shared) or reserve(run, spec) is not None


def reserve(run: Run, spec: TaskSpec) -> Decimal | None:
    """Return what a run with a budget keeps free for a step while it runs: the plan's estimate."""
    usd = spec.estimate.usd
    return Decimal(str(round(usd, 4))) if usd and run.budget_usd is not None else None


def may_refer(spec: Mapping[str, Any]) -> bool:
    """Tell whether a stored specification may read what upstream tasks made."""
    expressions = spec.get("run_if") is not None or spec.get("for_each") is not None or bool(spec.get("expect"))
    return expressions or "{{" in json.dumps(spec.get("params", {}))


def milestone_row(run: Run, spec: Milestone, position: int) -> Task:
    return Task(
        run=run,
        key=spec.id,
        kind=TaskKind.MILESTONE,
        name=spec.name[:500],
        milestone_key=spec.parent or "",
        position=position,
        spec=spec.model_dump(mode="json", by_alias=True, exclude_defaults=True),
        needs_approval=spec.approval == Approval.ALWAYS and run.autonomy in (Autonomy.EVERY_STEP, Autonomy.RISKY_STEPS),
        gated=True,
        runs_in=RunsIn.ENGINE,
    )
