"""Rows -> what is drawn: two queries for a run of any size, none for a revision at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from plans import items
from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.fan_out import seen_state
from plans.core.spec import PlanSpec, TaskSpec
from plans.core.states import RequestKind, RequestState, TaskKind, TaskState
from plans.engine import rows
from plans.items import ItemCounts
from plans.models import Dependency, Request, Revision, Run, Task
from plans.web.graph.values import UNTIL, GraphMilestone, GraphPlan, GraphTask, Look, RunGraph
from plans.web.shown.counts import items_note
from plans.web.shown.states import NEEDS, REASONS, STATES
from plans.web.shown.values import duration

COLUMNS = (
    "pk", "key", "kind", "name", "milestone_key", "skill", "state", "reason", "attempt", "retries", "ready_at",
    "started_at", "ended_at", "item_count", "open_kind",
)  # fmt: skip


def run_graph(run: Run) -> RunGraph:
    """Return the graph of a run from its rows, with two queries."""
    found = list(_task_rows(run))
    counted = _count_items(run, found)
    key = {row["pk"]: row["key"] for row in found}
    pairs = Dependency.objects.filter(downstream__run=run, upstream__group="")
    pairs = pairs.order_by("upstream__position", "downstream__position", "pk")
    edges = tuple(
        (key[up], key[down])
        for up, down in pairs.values_list("upstream_id", "downstream_id")
        if up in key and down in key
    )
    plan = GraphPlan(
        tasks=tuple(
            GraphTask(
                key=row["key"],
                title=row["name"] or row["key"],
                milestone=row["milestone_key"] or None,
                is_fan_out=bool(row["item_count"]),
            )
            for row in found
            if row["kind"] == TaskKind.STEP
        ),
        milestones=tuple(
            GraphMilestone(key=row["key"], title=row["name"] or row["key"], parent=row["milestone_key"] or None)
            for row in found
            if row["kind"] == TaskKind.MILESTONE
        ),
        edges=edges,
    )
    return RunGraph(plan=plan, looks={row["key"]: _look(row, counted.get(row["key"])) for row in found}, seq=run.seq)


def _count_items(run: Run, rows: Sequence[dict[str, Any]]) -> dict[str, ItemCounts]:
    """Return the counts of fan-outs by key, and let their rows read as their items do."""
    groups = [row for row in rows if row["item_count"]]
    found = {key: each for (_, key), each in items.counts({(run.pk, row["key"]) for row in groups}).items()}
    for row in groups:
        row["state"] = seen_state(row["state"], found[row["key"]].states)
        row["open_kind"] = row["open_kind"] or RequestKind.FAILURE
    return found


def task_look(task: Task, open_kind: str | None) -> Look:
    """Return the look of one task, for what is sent to open pages."""
    return _look({name: getattr(task, name) for name in COLUMNS if name != "open_kind"} | {"open_kind": open_kind})


def _task_rows(run: Run) -> QuerySet[Task, dict[str, Any]]:
    asked = Request.objects.filter(task=OuterRef("pk"), state=RequestState.OPEN).order_by("pk")
    tasks = Task.objects.filter(run=run, group="").exclude(kind=TaskKind.PLANNING).order_by("position", "pk")
    found: QuerySet[Task, dict[str, Any]] = tasks.annotate(open_kind=Subquery(asked.values("kind")[:1])).values(
        *COLUMNS
    )
    return found


def _look(row: Mapping[str, Any], counted: ItemCounts | None = None) -> Look:
    if counted is not None:
        return _look_of_items(row, items_note(counted))
    state, reason = row["state"], row["reason"]
    word = str(STATES[state].word)
    if state == TaskState.WAITING and row["open_kind"]:
        return Look(state=state, word=str(NEEDS[row["open_kind"]]))
    if state == TaskState.WAITING and row["ready_at"]:
        return Look(state=UNTIL, word=_("Waits until %(time)s") % {"time": _clock(row["ready_at"])})
    if state == TaskState.RETRYING:
        tries = _("attempt %(n)s of %(of)s") % {"n": row["attempt"] + 1, "of": row["retries"] + 1}
        return Look(state=state, word=word, note=tries)
    if state == TaskState.RUNNING:
        note = _("attempt %(n)s") % {"n": row["attempt"]} if row["attempt"] > 1 else ""
        return Look(state=state, word=word, note=note, since=row["started_at"])
    if reason and state in {TaskState.SKIPPED, TaskState.CANCELLED}:
        return Look(state=state, word=str(REASONS.get(reason, word)))
    return Look(state=state, word=word, length=_length(row["started_at"], row["ended_at"]))


def _look_of_items(row: Mapping[str, Any], note: str) -> Look:
    state = row["state"]
    word = str(NEEDS[row["open_kind"]] if state == TaskState.WAITING else STATES[state].word)
    if state == TaskState.RUNNING:
        return Look(state=state, word=word, note=note, since=row["started_at"])
    return Look(state=state, word=word, note=note, length=_length(row["started_at"], row["ended_at"]))


def _clock(at: datetime) -> str:
    return f"{at:%H:%M} UTC"


def _length(start: datetime | None, end: datetime | None) -> str:
    return duration((end - start).total_seconds()) if start and end else ""


def revision_graph(revision: Revision, autonomy: str, catalogue: Catalogue) -> GraphPlan:
    """Return the graph of a revision without a query; steps that will ask under `autonomy` are marked."""
    plan = PlanSpec.model_validate(revision.plan)
    asks = frozenset(
        task.id
        for task in plan.tasks
        if rows.needs_approval(task, catalogue.get(task.skill) or SkillInfo(name=task.skill), autonomy)
    )
    return plan_graph(plan, asks)


def plan_graph(plan: PlanSpec, asks: frozenset[str] = frozenset()) -> GraphPlan:
    """Return the graph of a plan. Dependencies on what does not exist are left out: the findings name them."""
    keys = {task.id for task in plan.tasks} | {milestone.id for milestone in plan.milestones}
    return GraphPlan(
        tasks=tuple(
            GraphTask(
                key=task.id,
                title=task.name or task.id,
                milestone=task.milestone,
                note=_note(task, asks),
                asks=task.id in asks,
                is_fan_out=task.for_each is not None,
            )
            for task in plan.tasks
        ),
        milestones=tuple(
            GraphMilestone(key=milestone.id, title=milestone.name or milestone.id, parent=milestone.parent)
            for milestone in plan.milestones
        ),
        edges=tuple((up, task.id) for task in plan.tasks for up in dict.fromkeys(task.depends_on) if up in keys),
    )


def _note(task: TaskSpec, asks: frozenset[str]) -> str:
    notes = [task.skill]
    if task.for_each is not None:
        notes.append(_("for each item"))
    if task.id in asks:
        notes.append(_("asks first"))
    if task.estimate.seconds:
        notes.append(_("about %(time)s") % {"time": duration(task.estimate.seconds)})
    return ", ".join(notes)
