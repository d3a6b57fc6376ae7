"""The one JSON document of a headless run (DESIGN §8), and the same in lines for people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Count

from plans import queries, results, storage, tasks
from plans.core.errors import PlannerError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.states import RequestState, RunState, TaskState
from plans.core.values import ArtifactRef
from plans.models import Artifact, Attempt, Request, Run, Task
from plans.planning.playbooks import InputErrors
from plans.wording import sentence

# A result is for reading: the whole table lies at its `path`.
MOST_ROWS = 1000


def of_error(error: PlannerError) -> JsonObject:
    """Return `{"code", "message"}`; wrong inputs are also named one by one in `fields`."""
    if not isinstance(error, InputErrors):
        return {"code": error.code, "message": sentence(error.code, error.params)}
    fields = {name: of_error(each) for name, each in error.errors.items()}
    message = " ".join(str(each["message"]) for each in fields.values())
    return {"code": next(iter(error.errors.values())).code, "message": message, "fields": fields}


def of_run(run: Run, elapsed_seconds: float) -> JsonObject:
    """Return what DESIGN §8 promises for `runplan`."""
    lines = queries.task_lines(run, [])
    steps = [*(line.task for line in lines), *Task.objects.filter(run=run).exclude(group="").order_by("pk")]
    attempts = dict(Attempt.objects.filter(task__in=steps).order_by().values_list("task").annotate(Count("pk")))
    wall = (run.ended_at - run.started_at).total_seconds() if run.ended_at and run.started_at else elapsed_seconds
    document: JsonObject = {
        "run": str(run.uuid),
        "state": run.state,
        "gaps": [line.task.key for line in queries.gaps(lines)],
        "wall_seconds": round(wall, 3),
        "tasks": {task.key: _task(task, attempts.get(task.pk, 0)) for task in steps},
        "result": {item.name: _value(item) for item in results.result_items(run, apart=False)},
        "artifacts": [_artifact(row) for row in queries.latest_artifacts(steps)],
    }
    if waiting := _waiting(run):
        document["waiting_for"] = waiting
    if problem := _problem(run, steps):
        document["error"] = problem
    return document


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _task(task: Task, attempts: int) -> JsonObject:
    shown: JsonObject = {
        "state": task.state,
        "attempts": attempts,
        "started_at": _time(task.started_at),
        "finished_at": _time(task.ended_at),
    }
    if task.state == TaskState.SKIPPED:
        shown["reason"] = task.reason
    if task.error:
        shown["error"] = _stored_error(task.error)
    return shown


def _stored_error(error: Any) -> JsonObject:
    return {"code": error["code"], "message": sentence(error["code"], error.get("params"))}


def _artifact(row: Artifact) -> JsonObject:
    return {
        "name": row.name,
        "kind": row.kind,
        "path": str(storage.local_path(row.blob_id)),
        "sha256": row.blob_id,
        "filename": row.filename,
        "task": row.task.key,
    }


def _value(item: results.ResultItem) -> Json:
    if item.artifact is None:
        return item.value
    shown = _artifact(item.artifact)
    if item.artifact.kind == ValueKind.TABLE:
        ref = ArtifactRef.model_validate((item.task.outputs or {})[item.name])
        rows = tasks.load_rows(ref, MOST_ROWS)
        columns = [column["name"] for column in ref.meta.get("columns", [])]
        shown |= {"columns": columns, "row_count": ref.meta.get("row_count"), "rows": rows}
    return shown


def _waiting(run: Run) -> list[JsonObject]:
    """Return what the run waits for a person to do."""
    rows = Request.objects.filter(run=run, state=RequestState.OPEN).select_related("task").order_by("id")
    return [{"kind": row.kind, "task": row.task.key if row.task else None, "id": str(row.uuid)} for row in rows]


def _problem(run: Run, steps: list[Task]) -> JsonObject | None:
    """Return why the run failed: its own error, else that of the first failed task."""
    if run.error:
        return _stored_error(run.error)
    failed = next((task for task in steps if task.state == TaskState.FAILED and task.error), None)
    if run.state != RunState.FAILED or failed is None:
        return None
    return {**_stored_error(failed.error), "task": failed.key}


def for_people(document: JsonObject) -> str:
    """Return the document as lines: state, tasks, where the results lie, or what is wrong."""
    lines = [f"Run {document['run']}: {document['state']}"] if "run" in document else []
    for key, task in document.get("tasks", {}).items():
        lines.append(f"  {key}: {task['state']}" + (f" - {task['error']['message']}" if "error" in task else ""))
    for waiting in document.get("waiting_for", []):
        lines.append(f"  waits for a person: {waiting['kind']}" + (f" ({waiting['task']})" if waiting["task"] else ""))
    for name, value in document.get("result", {}).items():
        lines.append(f"  {name}: {value['path'] if isinstance(value, dict) and 'path' in value else value}")
    if "error" in document:
        lines.append(document["error"]["message"])
    return "\n".join(lines)
