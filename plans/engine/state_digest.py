"""How far a run is, told in a few lines for whoever plans the rest: done steps with summaries, the failure, what was tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plans.core.cel_functions import text_of
from plans.core.jsontypes import Json, JsonObject
from plans.core.states import CancelReason, TaskKind, TaskState
from plans.core.values import is_ref
from plans.models import Correction, Run, Task

LONGEST_VALUE = 300
MOST_CORRECTIONS = 20


def digest_of(run: Run, broken: Task | None, comment: str = "") -> JsonObject:
    """Return the state of `run` as `planning` takes it. `broken` is the step that could not be done."""
    plan = run.revision.plan if run.revision else {"tasks": []}
    specs = {each["id"]: each for each in plan["tasks"]}
    rows = step_rows(run)
    done = [row for row in rows if is_kept(row, broken)]
    left = [row for row in rows if row.key in specs and not is_kept(row, broken) and not _is_removed(row)]
    return {
        "done": [_done(row, specs.get(row.key, row.spec)) for row in done],
        "failure": _failure(broken) if broken else None,
        "remaining": [specs[row.key] for row in left],
        "corrections": _corrections(run),
        "comment": comment,
        "milestones": plan.get("milestones") or [],
        "intent": plan.get("intent") or {},
    }


def step_rows(run: Run) -> list[Task]:
    """Return the steps of a run in plan order; a fan-out stands for its items."""
    return list(Task.objects.filter(run=run, kind=TaskKind.STEP, group="").order_by("position", "pk"))


def is_kept(row: Task, broken: Task | None) -> bool:
    """Tell whether a step stays as it is when the rest is planned anew: it has started or ended."""
    if broken is not None and row.pk == broken.pk:
        return False
    if row.state == TaskState.CANCELLED or (row.state == TaskState.SKIPPED and row.reason == "upstream"):
        return False
    return row.is_terminal or row.attempt > 0


def _is_removed(row: Task) -> bool:
    return row.state == TaskState.CANCELLED and row.reason == CancelReason.REMOVED


def _done(row: Task, spec: Mapping[str, Any] | None) -> JsonObject:
    outputs = dict((spec or {}).get("outputs") or {})
    if (spec or {}).get("for_each") is not None:
        outputs = dict.fromkeys(outputs, "list")
    return {"id": row.key, "name": row.name, "outputs": outputs, "summary": _summary(row)}


def _summary(row: Task) -> str:
    if row.state == TaskState.SKIPPED:
        return "skipped: its outputs are null"
    if not row.is_terminal:
        return "under way"
    if row.state != TaskState.SUCCEEDED:
        return str(row.state)
    return "; ".join(f"{name}: {_shown(value)}" for name, value in (row.outputs or {}).items()) or "done"


def _shown(value: Json) -> str:
    if isinstance(value, dict) and is_ref(value):
        meta = value.get("meta") or {}
        columns = ", ".join(str(each.get("name")) for each in meta.get("columns") or [])
        return (
            f"{value.get('kind')} of {meta['row_count']} rows ({columns})"
            if "row_count" in meta
            else str(value["kind"])
        )
    text = "null" if value is None else text_of(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def _failure(broken: Task) -> JsonObject:
    return {"task": broken.key, "name": broken.name, "error": broken.error, "spec": broken.spec}


def _corrections(run: Run) -> list[JsonObject]:
    rows = Correction.objects.filter(run=run).order_by("-pk").values("task_key", "kind", "error", "hint")
    return [
        {"task": row["task_key"], "tried": row["kind"], "error": row["error"], "hint": row["hint"]}
        for row in rows[:MOST_CORRECTIONS]
    ][::-1]
