"""Plan the rest of a run anew: asked for by a failure or a person, approved with its difference, put in place at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plans.core.catalogue import SkillInfo
from plans.core.errors import InputError, StaleDecision
from plans.core.hashing import graph_hash
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.spec import PlanSpec
from plans.core.states import (
    CorrectionKind,
    RequestKind,
    RequestState,
    RunState,
    TaskKind,
    TaskState,
)
from plans.engine import corrections, planning_work, regraph, revisions, rungs
from plans.engine.boundaries import Boundary
from plans.engine.plans import decide, decided_error, lock_run
from plans.engine.settle import Changes, locked
from plans.engine.sql import committing, patient
from plans.engine.state_digest import digest_of
from plans.models import Request, Revision, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

STAGES = frozenset({"replan", "arguments"})
UNDER_WAY = [TaskState.READY, TaskState.RUNNING, TaskState.RETRYING, TaskState.WAITING]


def begin(changes: Changes, task: Task, error: JsonObject, *, by: User | None = None, comment: str = "") -> bool:
    """Let a failed step wait while the rest is planned anew, within the transaction that ends its attempt."""
    if task.state != TaskState.WAITING and not _wait(changes, task, error, CorrectionKind.REPLAN):
        return False
    corrections.note(changes, task, CorrectionKind.REPLAN, error, by=by, hint=comment)
    task.error = error
    state = digest_of(task.run, task, comment)
    planning_work.queue(changes, task.run, "replan", state=state, broken=task.key)
    return True


def other_arguments(changes: Changes, task: Task, error: JsonObject) -> bool:
    """Let a failed step wait while other params are looked for."""
    if not _wait(changes, task, error, CorrectionKind.ARGUMENTS):
        return False
    corrections.note(changes, task, CorrectionKind.ARGUMENTS, error)
    tried = [row.params for row in task.attempts.order_by("number") if row.params is not None]
    scope = {key: values for each in digest_of(task.run, task)["done"] for key, values in each["outputs"].items()}
    spec = {name: value for name, value in task.spec.items() if name != "item_of"}
    planning_work.queue(
        changes, task.run, "arguments", task={"id": task.group or task.key, **spec}, error=error, tried=tried,
        scope=scope, broken=task.key,
    )  # fmt: skip
    return True


def _wait(changes: Changes, task: Task, error: JsonObject, why: CorrectionKind) -> bool:
    columns: dict[str, Any] = {"error": error, "tries_used": task.tries_used, "losses": task.losses, "ready_at": None}
    if not changes.move(task, TaskState.WAITING, attempt=task.attempt, **columns):
        return False
    changes.say(EventKind.TASK_WAITING, task, why=why.value, error=error)
    return True


@patient
def ask_again(*, run: Run, by: User, comment: str) -> Task:
    """Have the rest of a run planned anew because of what a person says; what runs goes on.

    Raises InputError `comment_empty`, `comment_too_long`, `planning_under_way`, `run_not_running`.
    """
    comment = planning_work.checked(comment)
    with committing(Boundary.PLAN_AGAIN):
        run = lock_run(run)
        if run.state not in (RunState.RUNNING, RunState.PAUSED) or run.cancel_requested_at:
            raise InputError("run_not_running", state=run.state)
        if is_under_way(run):
            raise InputError("planning_under_way")
        changes = Changes(run.pk)
        changes.say(EventKind.PLAN_CHANGES_ASKED, actor_id=by.pk, comment=comment)
        task = planning_work.queue(changes, run, "replan", state=digest_of(run, None, comment), broken="")
        changes.flush()
    return task


def is_under_way(run: Run) -> bool:
    """Tell whether the rest of `run` is planned anew at the moment, or waits for approval."""
    if run.tasks.filter(kind=TaskKind.PLANNING, state__in=UNDER_WAY).exists():
        return True
    return Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL, state=RequestState.OPEN).exists()


def ask(changes: Changes, run: Run, revision: Revision, tail: JsonObject, broken: Task | None) -> None:
    content = {
        **revisions.approval_content(revision),
        "base": run.revision.number if run.revision else 0,
        "tail": tail,
        "broken": broken.key if broken else "",
    }
    request = Request.objects.create(
        run=run, kind=RequestKind.PLAN_APPROVAL, digest=revision.graph_hash, content=content
    )
    changes.say(EventKind.PLAN_DRAFTED, source="replan", revision=revision.number, tasks=len(revision.plan["tasks"]))
    changes.say(EventKind.REQUEST_OPENED, request=str(request.uuid), kind=RequestKind.PLAN_APPROVAL.value)


@patient
def decide_tail(
    *, request: Request, approve: bool, digest: str, by: User, catalogue: Mapping[str, SkillInfo], comment: str = ""
) -> None:
    """Approve or reject the plan for the rest of a run. Raises AlreadyDecided, StaleDecision, InputError `plan_has_errors`."""
    with committing(Boundary.APPROVE):
        locked(Task.objects.filter(run=request.run_id).values_list("pk", flat=True))
        run = lock_run(request.run)
        now = Request.objects.select_related("decided_by", "run").get(pk=request.pk)
        if now.state != RequestState.OPEN or run.is_terminal or run.cancel_requested_at:
            raise decided_error(now)
        if digest != now.digest:
            raise StaleDecision("plan_changed", revision=now.content.get("revision"))
        changes = Changes(run.pk)
        broken = _waiting(run, now.content.get("broken") or "")
        decide(changes, now, "approve" if approve else "reject", by, comment)
        if approve:
            _approve(changes, run, now, broken, catalogue, by)
        elif broken is not None:
            rungs.ask_waiting(changes, broken)
        changes.flush()


def _approve(
    changes: Changes, run: Run, request: Request, broken: Task | None, catalogue: Mapping[str, SkillInfo], by: User
) -> None:
    merged = regraph.merge(run, request.content["tail"], broken, catalogue)
    if not merged.compiled.is_acceptable or regraph.taken_ids(run, merged):
        raise InputError("plan_has_errors")
    revision = run.revisions.get(number=request.content["revision"])
    if graph_hash(PlanSpec.model_validate(merged.plan)) != revision.graph_hash:
        # Steps have started meanwhile; they stay as they are.
        revision = revisions.keep(
            run, merged.plan, [each.as_json() for each in merged.compiled.findings],
            compiled=merged.compiled.summary(), source="replan", author=by,
        )  # fmt: skip
    put_in_place(changes, run, revision, merged, broken, catalogue, by=by)


def put_in_place(
    changes: Changes,
    run: Run,
    revision: Revision,
    merged: regraph.Merged,
    broken: Task | None,
    catalogue: Mapping[str, SkillInfo],
    *,
    by: User | None,
) -> None:
    Run.objects.filter(pk=run.pk).update(revision=revision)
    changes.say(EventKind.PLAN_APPROVED, actor_id=by.pk if by else None, revision=revision.number, tail=True)
    regraph.apply(changes, run, merged, broken, catalogue)


def gave_up(changes: Changes, planning: Task, error: JsonObject) -> None:
    """Nothing came of planning: a person decides about the step that waits for it."""
    changes.say(EventKind.PLAN_FAILED, error=error)
    broken = broken_of(planning)
    if broken is not None:
        rungs.ask_waiting(changes, broken)


def broken_of(planning: Task) -> Task | None:
    return _waiting(planning.run, str(planning.spec.get("params", {}).get("broken") or ""))


def _waiting(run: Run, key: str) -> Task | None:
    return Task.objects.filter(run=run, key=key, state=TaskState.WAITING).first() if key else None
