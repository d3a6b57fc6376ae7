"""Put a new tail in the place of what has not started, within one transaction: rows, dependencies, counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from plans.core import graph
from plans.core.catalogue import SkillInfo
from plans.core.compile import Compiled, compile_plan
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.spec import PlanSpec
from plans.core.states import CancelReason, TaskKind, TaskState
from plans.engine import mend, rows
from plans.engine.settle import Changes, void_requests
from plans.engine.state_digest import is_kept
from plans.models import Dependency, Run, Task

AFRESH: dict[str, Any] = {
    "error": None, "outputs": None, "checkpoint": None, "ready_at": None, "ended_at": None, "reason": "", "tries_used": 0,
    "losses": 0, "item_count": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The whole plan as it would be, judged; `fresh` are the ids of the steps that are new or done differently."""

    compiled: Compiled
    plan: JsonObject
    fresh: list[str]


def merge(run: Run, tail: JsonObject, broken: Task | None, catalogue: Mapping[str, SkillInfo]) -> Merged:
    """Return the plan of `run` with `tail` after what has started. A step that has started stays as it is."""
    plan = dict(run.revision.plan if run.revision else {"tasks": []})
    found = {row.key: row for row in Task.objects.filter(run=run, kind=TaskKind.STEP, group="")}
    kept = [each for each in plan["tasks"] if each["id"] in found and is_kept(found[each["id"]], broken)]
    names = {each["id"] for each in kept}
    fresh = [each for each in tail.get("tasks") or [] if each["id"] not in names]
    milestones = {row["id"]: row for row in [*(tail.get("milestones") or []), *(plan.get("milestones") or [])]}
    whole = {
        **plan,
        "tasks": [*kept, *fresh],
        "milestones": list(milestones.values()),
        "result": tail.get("result") or plan.get("result") or [],
    }
    compiled = compile_plan(whole, catalogue)
    stored = compiled.plan.model_dump(mode="json", by_alias=True) if compiled.plan else whole
    return Merged(compiled=compiled, plan=stored, fresh=[each["id"] for each in fresh])


def taken_ids(run: Run, merged: Merged) -> list[str]:
    """Return ids of new steps that rows have which were taken out before and cannot be used again."""
    ended = Task.objects.filter(run=run, key__in=merged.fresh, state=TaskState.CANCELLED)
    return list(ended.values_list("key", flat=True))


def apply(changes: Changes, run: Run, merged: Merged, broken: Task | None, catalogue: Mapping[str, SkillInfo]) -> None:
    """Make the rows follow `merged`. The caller has locked every task row of the run and flushes `changes`."""
    plan = PlanSpec.model_validate(merged.plan)
    there = {row.key: row for row in Task.objects.filter(run=run).exclude(kind=TaskKind.PLANNING).filter(group="")}
    _remove(changes, run, there, set(merged.fresh), broken)
    edges = rows.upstream_map(plan)
    made = _steps(changes, run, plan, merged, catalogue, edges, there)
    made |= _milestones(run, plan, there)
    there |= made
    if broken is not None and broken.kind == TaskKind.MILESTONE:
        # It is judged again, once what was added to it has ended.
        changes.move(broken, TaskState.PENDING, error=None)
    _connect(plan, edges, there, set(merged.fresh), {row.id for row in plan.milestones if row.id in made})
    mend.recount(changes, Run.objects.get(pk=run.pk))


def _remove(changes: Changes, run: Run, there: Mapping[str, Task], fresh: set[str], broken: Task | None) -> None:
    """Take out what is not done any more. Nothing waits for it, and what it asks for is void."""
    gone = [row for row in there.values() if row.kind == TaskKind.STEP and not is_kept(row, broken)]
    Dependency.objects.filter(upstream__in=gone).delete()
    Dependency.objects.filter(downstream__in=gone).delete()
    changes.lines += void_requests(run.pk, [row.pk for row in gone])
    for row in gone:
        if row.key not in fresh and not row.is_terminal:
            changes.move(row, TaskState.CANCELLED, reason=CancelReason.REMOVED, ready_at=None)
            changes.say(EventKind.TASK_CANCELLED, row, reason=CancelReason.REMOVED.value)


def _steps(
    changes: Changes,
    run: Run,
    plan: PlanSpec,
    merged: Merged,
    catalogue: Mapping[str, SkillInfo],
    edges: Mapping[str, set[str]],
    there: Mapping[str, Task],
) -> dict[str, Task]:
    """Make or change the rows of the fresh steps, pending; return them by key."""
    seconds = {task.id: task.estimate.seconds or rows.DEFAULT_SECONDS for task in plan.tasks}
    ranks = graph.remaining(edges, {key: seconds.get(key, 0.0) for key in edges})
    first = (Task.objects.filter(run=run).aggregate(last=Max("position"))["last"] or 0) + 1
    held = run.pause_requested_at is not None
    new: list[Task] = []
    fresh = set(merged.fresh)
    for position, spec in enumerate((task for task in plan.tasks if task.id in fresh), first):
        row = rows.step_row(run, spec, catalogue, bool(edges[spec.id]), ranks[spec.id], position)
        row.held, row.state = held, TaskState.PENDING
        before = there.get(spec.id)
        if before is None:
            new.append(row)
            continue
        columns = {name: getattr(row, name) for name in rows.STEP_COLUMNS}
        changes.move(before, TaskState.PENDING, held=held, **AFRESH, **columns)
    Task.objects.bulk_create(new, batch_size=500)
    return {row.key: row for row in Task.objects.filter(run=run, key__in=fresh)}


def _milestones(run: Run, plan: PlanSpec, there: Mapping[str, Task]) -> dict[str, Task]:
    new = [
        rows.milestone_row(run, spec, position) for position, spec in enumerate(plan.milestones) if spec.id not in there
    ]
    for row in new:
        row.state = TaskState.PENDING
    Task.objects.bulk_create(new)
    return {row.key: row for row in Task.objects.filter(run=run, key__in=[row.key for row in new])}


def _connect(
    plan: PlanSpec, edges: Mapping[str, set[str]], there: Mapping[str, Task], fresh: set[str], new: set[str]
) -> None:
    """Lay the dependencies of what is fresh, and those by which open milestones wait for it."""
    wanted = []
    for down, ups in edges.items():
        is_fresh = down in fresh or down in new
        for up in sorted(ups):
            if is_fresh or (up in fresh | new and not there[down].is_terminal):
                wanted.append(Dependency(upstream=there[up], downstream=there[down]))
    Dependency.objects.bulk_create(wanted, batch_size=1000, ignore_conflicts=True)
