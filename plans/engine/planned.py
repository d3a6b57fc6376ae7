"""Commit what planning work gave back: a plan to review, other drafts to choose from, a second opinion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from plans.core.catalogue import SkillInfo
from plans.core.findings import Finding
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.skill import Expand
from plans.core.states import AttemptState, Autonomy, RequestKind, RequestState, TaskState
from plans.engine import outputs, replanned, replanning, revisions
from plans.engine.plans import lock_run, start_run
from plans.engine.settle import Changes, close_attempt, locked
from plans.engine.steps import Planned
from plans.models import Request, Revision, Run, Task

ReadCatalogue: TypeAlias = Callable[[], Mapping[str, SkillInfo]]
Taker: TypeAlias = Callable[[Changes, Task, Expand, ReadCatalogue], None]


def take(changes: Changes, task: Task, ended: Planned, catalogue: ReadCatalogue) -> None:
    """End a planning task that is still held, and do with its result what its stage asks for."""
    close_attempt(task.pk, task.attempt, AttemptState.SUCCEEDED, log=ended.log)
    taker = TAKERS.get(str(task.spec.get("params", {}).get("stage", "plan")))
    # Whoever asked for work that is no plan reads the answer from the task's outputs.
    answer: Any = None if taker else outputs.pack({**ended.result.notes, "plan": ended.result.plan}, {})
    changes.end(task, TaskState.SUCCEEDED, attempt=task.attempt, outputs=answer, checkpoint=None, error=None)
    changes.say(EventKind.TASK_SUCCEEDED, task)
    if taker:
        if task.spec.get("params", {}).get("stage") in replanning.STAGES:
            # Rows of the run change: they come before the run row.
            locked(Task.objects.filter(run=task.run_id).values_list("pk", flat=True))
        # Revisions are numbered under the run row, which comes after the task's.
        task.run = lock_run(task.run)
        taker(changes, task, ended.result, catalogue)


def _plan(changes: Changes, task: Task, result: Expand, catalogue: ReadCatalogue) -> None:
    """A plan has come: keep it as a revision and ask for its approval (or start it when the run is unattended)."""
    run = task.run
    for other in result.others:
        _keep(run, other)
    revision = revisions.add_revision(
        changes,
        run,
        result.plan,
        _findings(result),
        compiled=dict(result.notes),
        source=result.source,
        label=result.label,
        comment=result.comment,
        raw_reply=result.raw_reply,
    )
    if run.autonomy == Autonomy.UNATTENDED and revision.is_acceptable:
        Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL, state=RequestState.OPEN).update(
            state=RequestState.VOID
        )
        start_run(changes, run, revision, catalogue(), by=None)


def _others(changes: Changes, task: Task, result: Expand, catalogue: ReadCatalogue) -> None:
    """Other drafts have come: they are kept to choose from, the plan under review stays what it is."""
    for other in result.others:
        revision = _keep(task.run, other)
        changes.say(EventKind.PLAN_DRAFTED, revision=revision.number, tasks=len(other.plan["tasks"]), label=other.label)


def _opinion(changes: Changes, task: Task, result: Expand, catalogue: ReadCatalogue) -> None:
    """A second opinion has come: its remarks stand beside those of the revision it read."""
    read = Revision.objects.filter(run=task.run, number=task.spec["params"].get("revision")).first()
    if read is not None:
        Revision.objects.filter(pk=read.pk).update(findings=[*read.findings, *_findings(result)])


TAKERS: dict[str, Taker] = {
    "plan": _plan,
    "changes": _plan,
    "alternatives": _others,
    "review": _opinion,
    "replan": replanned.take_plan,
    "arguments": replanned.take_arguments,
}


def _keep(run: Run, other: Expand) -> Revision:
    return revisions.keep(
        run,
        other.plan,
        _findings(other),
        compiled=dict(other.notes),
        source=other.source,
        label=other.label,
        raw_reply=other.raw_reply,
    )


def _findings(result: Expand) -> list[JsonObject]:
    return [each.as_json() if isinstance(each, Finding) else each for each in result.findings]
