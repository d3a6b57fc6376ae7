"""Commit what a slot handed back, other than plain success: questions, waits, plans, failures, stops, checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, timedelta
from typing import Any, TypeAlias

from django.contrib.auth import get_user_model
from django.db.models.functions import Now

from plans.core.catalogue import SkillInfo
from plans.core.errors import ErrorClass
from plans.core.hashing import digest, graph_hash
from plans.core.kinds import EventKind
from plans.core.skill import Ask, WaitUntil
from plans.core.spec import PlanSpec
from plans.core.states import AttemptState, Autonomy, RequestKind, RunState, TaskState, run_sources
from plans.engine import ladder, ledger
from plans.engine.plans import start_run
from plans.engine.settle import Changes, close_attempt
from plans.engine.sql import transact
from plans.engine.steps import Failed, Kept, Planned, Stopped, Suspended, Told
from plans.models import Request, Revision, Run, Task

ReadCatalogue: TypeAlias = Callable[[], Mapping[str, SkillInfo]]


def commit(ended: Failed | Suspended | Planned | Stopped, *, stopping: bool, catalogue: ReadCatalogue) -> bool:
    """Commit one outcome in a transaction of its own; False when its lease was lost."""

    def work() -> bool:
        changes = Changes(ended.claimed.run_id)
        if isinstance(ended, Failed):
            kept = ladder.fail(changes, ended)
        elif isinstance(ended, Suspended):
            kept = _suspend(changes, ended)
        elif isinstance(ended, Planned):
            kept = _planned(changes, ended, catalogue)
        else:
            kept = _stopped(changes, ended, stopping=stopping)
        if kept:
            changes.flush()
        return kept

    return transact(work)


def _stopped(changes: Changes, ended: Stopped, *, stopping: bool) -> bool:
    if ended.why == "timeout":
        params = {"seconds": ended.claimed.timeout_seconds}
        failed = Failed(
            claimed=ended.claimed, code="timeout", params=params, error_class=ErrorClass.TIMEOUT, log=ended.log
        )
        return ladder.fail(changes, failed)
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if task.run.cancel_requested_at and not stopping:
        return ladder.cancel_running(changes, task)
    return ladder.interrupt(changes, task)


def _suspend(changes: Changes, ended: Suspended) -> bool:
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if task.run.cancel_requested_at:
        return ladder.cancel_running(changes, task)
    params = json.loads(ended.rendered) if ended.rendered else None
    close_attempt(task.pk, task.attempt, AttemptState.SUSPENDED, params=params, log=ended.log)
    if isinstance(ended.result, WaitUntil):
        return _wait(changes, task, ended.result)
    return _ask(changes, task, ended.result)


def _wait(changes: Changes, task: Task, result: WaitUntil) -> bool:
    moved = changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=result.at)
    if moved:
        changes.say(EventKind.TASK_WAITING, task, why="time", until=result.at.astimezone(UTC).isoformat())
    return moved


def _ask(changes: Changes, task: Task, ask: Ask) -> bool:
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, ready_at=None):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=RequestKind.QUESTION.value)
    deadline = Now() + timedelta(seconds=ask.deadline_seconds) if ask.deadline_seconds else None
    content = {"text": ask.text, "context": ask.context, "task": task.key}
    request = ladder.open_request(
        changes,
        task,
        RequestKind.QUESTION,
        key=ask.key,
        content=content,
        schema=ask.schema,
        digest=digest([task.key, ask.key, content, ask.schema]),
        deadline_at=deadline,
        default=ask.default,
    )
    if ask.assignees:
        request.assignees.set(get_user_model().objects.filter(username__in=ask.assignees))
    return True


def _planned(changes: Changes, ended: Planned, catalogue: ReadCatalogue) -> bool:
    """A plan has come: keep it as a revision and ask for its approval (or start it when the run is unattended)."""
    task = ladder.held(ended.claimed.task_id, ended.claimed.attempt)
    if task is None:
        return False
    if task.run.cancel_requested_at:
        return ladder.cancel_running(changes, task)
    close_attempt(task.pk, task.attempt, AttemptState.SUCCEEDED, log=ended.log)
    changes.end(task, TaskState.SUCCEEDED, attempt=task.attempt)
    changes.say(EventKind.TASK_SUCCEEDED, task)
    findings = [finding.as_json() for finding in ended.result.findings]
    revision = add_revision(
        changes, task.run, ended.result.plan, findings, compiled=dict(ended.result.notes), source="playbook"
    )
    if task.run.autonomy == Autonomy.UNATTENDED and revision.is_acceptable:
        Request.objects.filter(run=task.run, kind=RequestKind.PLAN_APPROVAL, state="open").update(state="void")
        start_run(changes, task.run, revision, catalogue(), by=None)
    return True


def add_revision(
    changes: Changes, run: Run, plan: Any, findings: list[Any], *, compiled: dict[str, Any], source: str
) -> Revision:
    """Store the next revision of `run`'s plan, put the run in review and ask for approval."""
    spec = PlanSpec.model_validate(plan)
    number = run.revisions.count() + 1
    revision = Revision.objects.create(
        run=run,
        number=number,
        plan=plan,
        graph_hash=graph_hash(spec),
        findings=findings,
        compiled=compiled,
        source=source,
    )
    Run.objects.filter(pk=run.pk, state__in=run_sources(RunState.REVIEW)).update(
        state=RunState.REVIEW, revision=revision
    )
    run.state, run.revision = RunState.REVIEW, revision
    changes.say(EventKind.PLAN_DRAFTED, revision=number, tasks=len(spec.tasks))
    request = Request.objects.create(
        run=run,
        kind=RequestKind.PLAN_APPROVAL,
        digest=revision.graph_hash,
        content={"revision": number, "tasks": len(spec.tasks)},
    )
    changes.say(EventKind.REQUEST_OPENED, request=str(request.uuid), kind=RequestKind.PLAN_APPROVAL.value)
    return revision


def keep(item: Kept | Told) -> None:
    """Commit a checkpoint, fenced, or what is known of a model call; and let the waiting skill go on."""
    if isinstance(item, Told):
        ledger.keep(item.claimed, item.note)
        return

    def work() -> bool:
        rows = Task.objects.filter(
            pk=item.claimed.task_id, state=TaskState.RUNNING, attempt=item.claimed.attempt
        ).update(checkpoint=item.checkpoint.value)
        return bool(rows)

    try:
        item.checkpoint.kept = transact(work)
    finally:
        item.checkpoint.committed.set()
