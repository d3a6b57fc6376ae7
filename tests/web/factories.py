"""Rows for page tests: a run with one of everything, and runs made by the real services from a real plan."""

from __future__ import annotations

import io
import json
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
from django.contrib.auth.models import User
from django.utils import timezone

from plans import storage, tasks
from plans.core.compile import compile_plan
from plans.core.hashing import digest
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Artifact, Attempt, Blob, Dependency, Event, ModelCall, Request, Revision, Run, Task

REPORT = b"<!doctype html><title>Report</title><h1>Busiest pages</h1>"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 32


@dataclass
class World:
    """A run that waits, with one row of every kind."""

    run: Run
    first: Task
    second: Task
    attempt: Attempt
    approval: Request
    question: Request
    failure: Request
    artifact: Artifact
    table: Artifact
    call: ModelCall


def simple_plan(**more: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "goal": "Say hello",
        "tasks": [
            {
                "id": "t1", "name": "Take the greeting", "skill": "noop",
                "params": {"value": "hello"}, "outputs": {"word": "json"},
            },
            {
                "id": "t2", "name": "Pass it on", "skill": "noop",
                "params": {"value": "{{ word }}"}, "outputs": {"said": "json"},
            },
        ],
        **more,
    }  # fmt: skip


def review_run(owner: User, plan: dict[str, Any] | None = None, **more: Any) -> Run:
    """Return a run in review, made by the real compiler and service."""
    compiled = compile_plan(plan or simple_plan(), tasks.catalogue())
    return create_run_from_plan(owner=owner, compiled=compiled, inputs={}, **more)


def approved_run(owner: User, plan: dict[str, Any] | None = None, **more: Any) -> Run:
    run = review_run(owner, plan, **more)
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=tasks.catalogue())
    run.refresh_from_db()
    return run


def drained_run(owner: User, plan: dict[str, Any] | None = None, **more: Any) -> Run:
    """Return a run whose every ready task has been carried out in this process."""
    run = approved_run(owner, plan, **more)
    drain(run)
    return run


def drain(run: Run) -> None:
    from plans.engine import drain as engine_drain

    engine_drain.drain(tasks.runner())
    run.refresh_from_db()


def blob(data: bytes) -> Blob:
    sha256, size = storage.put_stream(io.BytesIO(data))
    return Blob.objects.get_or_create(sha256=sha256, defaults={"size": size})[0]


def artifact(task: Task, data: bytes, *, kind: str, filename: str, media_type: str, **more: Any) -> Artifact:
    return Artifact.objects.create(
        run=task.run, task=task, attempt=1, name=filename.partition(".")[0][:200], kind=kind, filename=filename,
        media_type=media_type, blob=blob(data), **more,
    )  # fmt: skip


def table(task: Task, rows: list[dict[str, Any]], filename: str = "pages.parquet") -> Artifact:
    """Return a table artifact with these rows, written as Parquet by DuckDB."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        source, target = Path(folder) / "rows.json", Path(folder) / "rows.parquet"
        source.write_text(json.dumps(rows), encoding="utf-8")
        connection.execute(f"COPY (SELECT * FROM read_json('{source}')) TO '{target}' (FORMAT parquet)")
        data = target.read_bytes()
    columns = [{"name": name, "type": "text"} for name in rows[0]]
    meta = {"columns": columns, "row_count": len(rows)}
    return artifact(task, data, kind="table", filename=filename, media_type="application/vnd.apache.parquet", meta=meta)


def request(task: Task, kind: str, **more: Any) -> Request:
    return Request.objects.create(run=task.run, task=task, kind=kind, **more)


def model_call(task: Task, **more: Any) -> ModelCall:
    """Return a model call that was answered, of the task's newest attempt."""
    columns = {
        "purpose": "skill", "model": "claude-test", "outcome": "ok", "request_id": "req_1", "input_tokens": 1200,
        "output_tokens": 300, "usd": Decimal("0.0124"), "latency_ms": 1500,
    }  # fmt: skip
    return ModelCall.objects.create(run=task.run, task=task, attempt=task.attempt, **(columns | more))


def world(owner: User, goal: str = "Find the busiest pages", text: str = "Load the log") -> World:
    """Return a running run with a task that failed once and waits, and one of every request."""
    now = timezone.now()
    run = Run.objects.create(goal=goal, owner=owner, state="running", started_at=now, left=2, seq=2)
    plan = simple_plan(goal=goal)
    revision = Revision.objects.create(run=run, number=1, plan=plan, graph_hash=digest(plan), source="test")
    Run.objects.filter(pk=run.pk).update(revision=revision)
    run.refresh_from_db()
    first = Task.objects.create(
        run=run, key="t1", name=text, skill="noop", state="waiting", attempt=1, started_at=now, position=0,
        error={"code": "file_empty", "params": {"file": text}, "class": "bad_input"},
        spec={"description": text, "expected_output": text}, outputs={"word": text},
    )  # fmt: skip
    second = Task.objects.create(run=run, key="odd ключ/2?", name="", skill="noop", position=1, unmet=1)
    Dependency.objects.create(upstream=first, downstream=second)
    attempt = Attempt.objects.create(
        task=first, number=1, state="failed", worker="w1", started_at=now, ended_at=now, log=f"line one\n{text}",
        params={"value": text}, error=first.error,
    )  # fmt: skip
    Event.objects.create(run=run, seq=1, at=now, kind="run.created", actor=owner)
    Event.objects.create(run=run, seq=2, at=now, kind="task.running", task_key="t1", attempt=1)
    schema = {"type": "object", "properties": {"number": {"type": "integer", "title": text}}, "required": ["number"]}
    effect = {
        "skill": "noop",
        "version": "1",
        "params": {"value": text},
        "limits": {"timeout_seconds": 60, "retries": 2},
    }
    return World(
        run=run,
        first=first,
        second=second,
        attempt=attempt,
        approval=request(first, "task_approval", digest=digest(effect), content={"effect": effect, "task": "t1"}),
        question=request(first, "question", content={"text": text, "context": None}, schema=schema),
        failure=request(
            first, "failure", content={"error": first.error, "choices": ["retry", "skip", "stop"], "task": "t1"}
        ),
        artifact=artifact(first, REPORT, kind="html", filename="report.html", media_type="text/html"),
        table=table(first, [{"page": "/", "views": 491}]),
        call=model_call(first, request_text=text, reply_text=text),
    )
