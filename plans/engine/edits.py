"""A person changes the params of a step: of one that waits for approval, and allows exactly that; of one that failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from plans import circumstances
from plans.core.catalogue import SkillInfo
from plans.core.compile import Compiled, compile_plan
from plans.core.errors import InputError, StaleDecision
from plans.core.fan_out import ITEM_OF
from plans.core.findings import Severity
from plans.core.hashing import digest as digest_of
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.placeholders import escape_all
from plans.core.states import RequestKind
from plans.engine import approvals, artifacts, revisions, rows
from plans.engine.boundaries import Boundary
from plans.engine.plans import decide, lock_run
from plans.engine.requests import open_for, to_ready
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Request, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@patient
def edit_and_approve(
    *,
    request: Request,
    params: JsonObject,
    digest: str,
    by: User,
    catalogue: Mapping[str, SkillInfo],
    comment: str = "",
) -> None:
    """Replace a waiting step's params, keep the change as a revision, and approve the step as it is now.

    Raises InputError `params_invalid` (code, params of the finding), `items_not_editable` (an approval of all items of
    a fan-out), StaleDecision, AlreadyDecided, NotAllowed.
    """
    with committing(Boundary.REQUEST):
        changes, request, task = open_for(request, RequestKind.TASK_APPROVAL, by)
        if digest != request.digest:
            raise StaleDecision("effect_changed", task=task.key)
        if "items" in request.content["effect"]:
            # What was typed would be the same for all of them.
            raise InputError("items_not_editable")
        stored = _as_written(params, catalogue[task.skill].literal)
        before = request.content["effect"]["params"]
        keep_written(changes, task, stored, by, catalogue)
        effect = approvals.describe(task, params)
        content = {**request.content, "effect": effect, "before": before}
        decide(changes, request, "edit_and_approve", by, comment, digest=digest_of(effect), content=content)
        to_ready(changes, task)
        changes.flush()


def check_params(request: Request, params: JsonObject, catalogue: Mapping[str, SkillInfo]) -> None:
    """Raise InputError `params_invalid` when the step could not run with `params`. Changes nothing."""
    if request.task is None:
        raise InputError("request_without_task")
    task = request.task
    check_written(task, _as_written(params, catalogue[task.skill].literal), catalogue)


def check_written(task: Task, params: JsonObject, catalogue: Mapping[str, SkillInfo]) -> None:
    """Raise InputError `params_invalid`, `params_need_step` when the step could not run with `params` as a plan has them."""
    _judge(task, params, catalogue)


def keep_written(
    changes: Changes, task: Task, params: JsonObject, by: User | None, catalogue: Mapping[str, SkillInfo]
) -> None:
    """Give a step other params, within the caller's transaction; the plan keeps them as its next revision.

    Raises InputError as `check_written`, and `file_not_yours`.
    """
    compiled = _judge(task, params, catalogue)
    if by is not None:
        artifacts.check_refs(params, task.run, by)
    task.spec = {**task.spec, "params": params}
    task.has_references = rows.may_refer(task.spec)
    if ITEM_OF not in task.spec:
        # Of one item of a fan-out the plan knows nothing: it has the step that is done for all of them.
        _keep_revision(changes, task, compiled, by)
    Task.objects.filter(pk=task.pk).update(spec=task.spec, has_references=task.has_references)


def _as_written(params: JsonObject, literal: frozenset[str]) -> JsonObject:
    """Return params so that rendering gives back just these values: what a person typed is no placeholder."""
    return {name: value if name in literal else escape_all(value) for name, value in params.items()}


def _judge(task: Task, params: JsonObject, catalogue: Mapping[str, SkillInfo]) -> Compiled:
    """Compile the plan as it would be; raise InputError for the first error in the changed step."""
    run, key = task.run, task.group or task.key
    if run.revision is None:
        raise InputError("plan_unreadable")
    plan = dict(run.revision.plan)
    plan["tasks"] = [{**each, "params": params} if each["id"] == key else each for each in plan["tasks"]]
    compiled = compile_plan(plan, catalogue, circumstances.of_run(run))
    for finding in compiled.findings:
        if finding.task == key and finding.severity == Severity.ERROR:
            raise InputError("params_invalid", finding=finding.code, params=dict(finding.params))
        if finding.task == key and finding.code == "dependency_added":
            # The rows of a running plan have the dependencies they have.
            raise InputError("params_need_step", step=finding.params["dependency"])
    return compiled


def _keep_revision(changes: Changes, task: Task, compiled: Compiled, by: User | None) -> None:
    if compiled.plan is None:
        raise InputError("plan_unreadable")
    run = lock_run(task.run)
    revision = revisions.keep(
        run,
        compiled.plan.model_dump(mode="json", by_alias=True),
        [finding.as_json() for finding in compiled.findings],
        compiled=compiled.summary(),
        source="edit",
        author=by,
    )
    Run.objects.filter(pk=run.pk).update(revision=revision)
    changes.say(
        EventKind.PLAN_DRAFTED,
        task,
        actor_id=by.pk if by else None,
        source="edit",
        **revisions.approval_content(revision),
    )
