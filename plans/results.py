"""What a run was asked for: the outputs its plan names, or what its last steps made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F

from plans import queries
from plans.core.jsontypes import Json
from plans.core.kinds import ValueKind
from plans.core.states import TaskKind, TaskState
from plans.core.values import REF_KEY, is_ref
from plans.models import Artifact, Dependency, Run, Task

SHOWN = 20
"""Items of a fan-out whose artifacts are shown one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultItem:
    """One thing the run was asked for: an artifact, or a small JSON value."""

    name: str
    task: Task
    artifact: Artifact | None
    value: Json = None


def result_items(run: Run, *, apart: bool = True) -> list[ResultItem]:
    """Return what the plan's `result` names; by default the outputs of the last tasks, reports first.

    `apart`: artifacts that the items of a fan-out made are results of their own, not a list of references.
    """
    rows = Task.objects.filter(run=run, kind=TaskKind.STEP, state=TaskState.SUCCEEDED, group="")
    tasks = list(rows.order_by("position", "id"))
    names = list(run.revision.plan.get("result") or []) if run.revision else []
    items = _named(names, _items(tasks, apart=apart))
    if items:
        return items
    inner = set(
        Dependency.objects.filter(upstream__run=run, downstream__kind=TaskKind.STEP).values_list(
            "upstream_id", flat=True
        )
    )
    last = _items([task for task in tasks if task.pk not in inner], apart=apart)
    return sorted(last, key=lambda item: 0 if item.artifact and item.artifact.kind == ValueKind.HTML else 1)


def _items(tasks: Sequence[Task], *, apart: bool) -> list[ResultItem]:
    found = {(row.task_id, row.name): row for row in queries.latest_artifacts(tasks)}
    by_hash = {(row.task_id, row.blob_id): row for row in found.values()}
    items = []
    for task in tasks:
        for name, value in (task.outputs or {}).items():
            artifact = found.get((task.pk, name))
            if artifact is None and is_ref(value):
                artifact = by_hash.get((task.pk, value[REF_KEY]))
            if apart and isinstance(value, list) and any(is_ref(inner) for inner in value[:SHOWN]):
                items += _of_fan_out(task, name)
            else:
                items.append(ResultItem(name=name, task=task, artifact=artifact, value=None if artifact else value))
    return items


def _of_fan_out(task: Task, name: str) -> list[ResultItem]:
    """Return what the first items of a fan-out made, each as a result of its own."""
    made = Artifact.objects.filter(task__run=task.run_id, task__group=task.key, attempt=F("task__attempt"), name=name)
    rows = made.select_related("blob", "task").order_by("task__item_index")[:SHOWN]
    return [ResultItem(name=name, task=row.task, artifact=row) for row in rows]


def _named(names: Sequence[str], items: Sequence[ResultItem]) -> list[ResultItem]:
    """Pick items by output name, `task.output` or task key, in the order of `names`."""
    picked: list[ResultItem] = []
    for name in names:
        for item in items:
            owner = item.task.group or item.task.key
            if name in {item.name, f"{owner}.{item.name}", owner} and item not in picked:
                picked.append(item)
    return picked
