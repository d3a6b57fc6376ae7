"""Run again: the whole plan, the part from one step on, or a revision to be looked at first. Each is a new run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from plans import circumstances
from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan
from plans.core.errors import InputError
from plans.core.kinds import EventKind
from plans.core.states import Autonomy, TaskKind, TaskState
from plans.engine.boundaries import Boundary
from plans.engine.plans import start_run
from plans.engine.revisions import add_revision, keep
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Artifact, Dependency, Revision, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

COPIED = (
    "goal", "time_zone", "playbook", "inputs", "budget_usd", "budget_tokens", "budget_seconds", "tasks_at_once",
    "model_sees_rows",
)  # fmt: skip


@patient
def rerun(
    *,
    run: Run,
    by: User,
    catalogue: Mapping[str, SkillInfo],
    from_key: str | None = None,
    client_token: str | None = None,
) -> Run:
    """Run the plan of `run` again as a new run that starts at once: whoever presses Re-run approves the plan as it is.

    With `from_key` that step and all that follows from it run; what else had succeeded is taken over with its results.
    The same `client_token` gives the same run. Raises InputError `no_plan`, `plan_has_errors` (skills have changed
    since), `task_unknown`.
    """
    if made := _made_before(by, client_token):
        return made
    revision = _revision(run, run.revision.number if run.revision else None)
    with committing(Boundary.AGAIN):
        new, changes, copy = _copy(run, revision, by, catalogue, source="rerun", client_token=client_token)
        if not copy.is_acceptable:
            raise InputError("plan_has_errors")
        kept = _kept(run, from_key) if from_key is not None else {}
        Run.objects.filter(pk=new.pk).update(revision=copy)
        start_run(changes, new, copy, catalogue, by=by, kept=kept)
        _take_over(changes, new, kept)
        changes.flush()
    new.refresh_from_db()
    return new


@patient
def fork(
    *, run: Run, number: int, by: User, catalogue: Mapping[str, SkillInfo], client_token: str | None = None
) -> Run:
    """Make a new run that reviews revision `number` of `run`'s plan; nothing starts. Raises InputError `no_plan`."""
    if made := _made_before(by, client_token):
        return made
    revision = _revision(run, number)
    with committing(Boundary.AGAIN):
        new, changes, _copied = _copy(
            run, revision, by, catalogue, source="fork", client_token=client_token, in_review=True
        )
        changes.flush()
    new.refresh_from_db()
    return new


def _made_before(by: User, client_token: str | None) -> Run | None:
    """Return the run of the same form sent before. Two at the same moment: the unique token lets one through."""
    return Run.objects.filter(owner=by, client_token=client_token).first() if client_token else None


def _revision(run: Run, number: int | None) -> Revision:
    found = run.revisions.filter(number=number).first() if number is not None else None
    if found is None:
        raise InputError("no_plan")
    return found


def _copy(
    run: Run,
    revision: Revision,
    by: User,
    catalogue: Mapping[str, SkillInfo],
    *,
    source: str,
    client_token: str | None,
    in_review: bool = False,
) -> tuple[Run, Changes, Revision]:
    """Make the new run with the plan judged anew: skills may have changed since."""
    autonomy = run.autonomy
    if autonomy == Autonomy.UNATTENDED and not by.has_perm("plans.unattended"):
        autonomy = Autonomy.RISKY_STEPS.value
    columns: dict[str, Any] = {name: getattr(run, name) for name in COPIED}
    new = Run.objects.create(
        owner=by, origin=run, client_token=client_token, autonomy=autonomy, created_at=timezone.now(), **columns
    )
    compiled = compile_plan(revision.plan, catalogue, circumstances.of_run(new))
    findings = [finding.as_json() for finding in compiled.findings]
    changes = Changes(new.pk)
    changes.say(EventKind.RUN_CREATED, actor_id=by.pk, origin=str(run.uuid), source=source)
    if in_review:
        made = add_revision(changes, new, revision.plan, findings, compiled=compiled.summary(), source=source)
    else:
        made = keep(new, revision.plan, findings, compiled=compiled.summary(), source=source)
        # Straight to work: the states in between are those of a plan that waits for somebody.
        Run.objects.filter(pk=new.pk).update(state="review")
    return new, changes, made


def _kept(run: Run, from_key: str) -> dict[str, Task]:
    """Return the succeeded rows of `run` that neither are `from_key` nor follow from it."""
    rows = {task.pk: task for task in run.tasks.exclude(kind=TaskKind.PLANNING)}
    first = next((task for task in rows.values() if task.key == from_key), None)
    if first is None:
        raise InputError("task_unknown", task=from_key)
    downstream: dict[int, list[int]] = {}
    for up, down in Dependency.objects.filter(upstream__run=run).values_list("upstream_id", "downstream_id"):
        downstream.setdefault(up, []).append(down)
    again, wave = {first.pk}, [first.pk]
    while wave:
        wave = [down for up in wave for down in downstream.get(up, []) if down not in again]
        again.update(wave)
    return {
        task.key: task
        for pk, task in rows.items()
        if pk not in again and task.state == TaskState.SUCCEEDED and not task.group
    }


def _take_over(changes: Changes, new: Run, kept: Mapping[str, Task]) -> None:
    """Let what was taken over be found in the new run: its artifacts (the bytes are shared) and a line each."""
    made = {task.key: task for task in new.tasks.filter(key__in=kept)}
    newest: dict[tuple[int, str], Artifact] = {}
    for row in Artifact.objects.filter(task__in=[task.pk for task in kept.values()]).order_by("attempt", "pk"):
        newest[row.task_id, row.name] = row
    keys = {task.pk: key for key, task in kept.items()}
    Artifact.objects.bulk_create(
        Artifact(
            run=new, task=made[keys[row.task_id]], attempt=0, name=row.name, kind=row.kind, filename=row.filename,
            media_type=row.media_type, blob_id=row.blob_id, meta=row.meta,
        )
        for row in newest.values()
    )  # fmt: skip
    for key in kept:
        changes.say(EventKind.TASK_REUSED, made[key])
