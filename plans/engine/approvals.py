"""Approvals of single steps: bound to exactly what will happen, void when that changes."""

from __future__ import annotations

from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import RequestKind, RequestState, TaskState
from plans.engine import rungs
from plans.engine.settle import Changes
from plans.models import Request, Task

APPROVED = ("approve", "edit_and_approve")


def describe(task: Task, params: JsonObject) -> JsonObject:
    """Return exactly what an approval of `task` allows; its digest is what the approval is bound to.

    Not the revision: an edit elsewhere in the plan voids nothing. Inputs go in by their content hashes, inside params.
    """
    return {
        "run": str(task.run.uuid),
        "task": task.key,
        "skill": task.skill,
        "version": task.skill_version,
        "params": params,
        "limits": {"timeout_seconds": task.timeout_seconds, "retries": task.retries},
    }


def usable(changes: Changes, task: Task, wanted: str) -> Request | None:
    """Return a decided, unused approval of exactly this effect; void one whose effect has changed."""
    rows = Request.objects.filter(
        task=task, kind=RequestKind.TASK_APPROVAL, state=RequestState.DECIDED, decision__in=APPROVED, consumed_at=None
    )
    usable = None
    for request in rows:
        if request.digest == wanted:
            usable = request
        else:
            Request.objects.filter(pk=request.pk).update(state=RequestState.VOID)
            changes.say(EventKind.REQUEST_VOID, task, request=str(request.uuid), why="effect_changed")
    return usable


def ask(changes: Changes, task: Task, effect: JsonObject) -> None:
    """Let the task wait until a person allows exactly this effect."""
    if changes.move(task, TaskState.WAITING, ready_at=None, decided=False):
        changes.say(EventKind.TASK_WAITING, task, why=RequestKind.TASK_APPROVAL.value)
        content = {"effect": effect, "task": task.key, "risk": task.spec.get("risk", "")}
        rungs.open_request(changes, task, RequestKind.TASK_APPROVAL, digest=digest(effect), content=content)
