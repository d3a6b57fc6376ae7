"""Make runs: from a goal (planned by a worker) or from a plan that is already there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from plans.core.compile import Compiled
from plans.core.errors import InputError, MalformedPlan
from plans.core.jsontypes import Json
from plans.core.kinds import EventKind, RunsIn
from plans.core.states import Autonomy, TaskKind, TaskState
from plans.engine import doorbell
from plans.engine.outcomes import add_revision
from plans.engine.settle import Changes
from plans.models import Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

GOAL_LIMIT = 8000
PLANNING_SECONDS = 300


def check_goal(goal: str) -> str:
    """Return the goal without surrounding blanks. Raises InputError `goal_empty`, `goal_too_long` (code points)."""
    goal = goal.replace("\r\n", "\n").strip()
    if not goal:
        raise InputError("goal_empty")
    if len(goal) > GOAL_LIMIT:
        raise InputError("goal_too_long", length=len(goal), limit=GOAL_LIMIT)
    return goal


def create_run(
    *,
    owner: User,
    goal: str,
    inputs: Mapping[str, Json],
    playbook: str = "",
    autonomy: str = Autonomy.RISKY_STEPS,
    time_zone: str = "UTC",
    client_token: str | None = None,
) -> Run:
    """Make a run in state `planning` and queue its planning task. The same `client_token` gives the same run.

    Raises InputError for a goal or an autonomy the owner may not use.
    """
    goal = check_goal(goal)
    columns = _columns(owner, autonomy, time_zone, inputs) | {"goal": goal, "playbook": playbook}
    params = {"goal": goal, "playbook": playbook, "inputs": dict(inputs)}

    def fill(run: Run) -> None:
        Task.objects.create(
            run=run,
            key="planning:1",
            kind=TaskKind.PLANNING,
            name="Planning",
            skill="planning",
            spec={"params": params},
            state=TaskState.READY,
            runs_in=RunsIn.THREAD,
            timeout_seconds=PLANNING_SECONDS,
        )
        Run.objects.filter(pk=run.pk).update(left=1)
        changes = Changes(run.pk)
        changes.say(EventKind.RUN_CREATED, actor_id=owner.pk)
        changes.readied.append("planning:1")
        changes.flush()
        doorbell.ring(run.pk)

    return _create_once(columns, client_token, fill)


def create_run_from_plan(
    *,
    owner: User,
    compiled: Compiled,
    inputs: Mapping[str, Json],
    autonomy: str = Autonomy.RISKY_STEPS,
    time_zone: str = "UTC",
    client_token: str | None = None,
    source: str = "import",
) -> Run:
    """Make a run in state `review` from a compiled plan. Raises MalformedPlan when there is no plan to review."""
    plan = compiled.plan
    if plan is None:
        raise MalformedPlan("plan_unreadable")
    goal = plan.goal.strip()[:GOAL_LIMIT] or "Imported plan"
    columns = _columns(owner, autonomy, time_zone, inputs) | {"goal": goal}

    def fill(run: Run) -> None:
        changes = Changes(run.pk)
        changes.say(EventKind.RUN_CREATED, actor_id=owner.pk)
        findings = [finding.as_json() for finding in compiled.findings]
        notes = compiled.summary()
        stored = plan.model_dump(mode="json", by_alias=True)
        add_revision(changes, run, stored, findings, compiled=notes, source=source)
        changes.flush()

    return _create_once(columns, client_token, fill)


def _columns(owner: User, autonomy: str, time_zone: str, inputs: Mapping[str, Json]) -> dict[str, Any]:
    if autonomy not in set(Autonomy):
        raise InputError("autonomy_unknown", value=autonomy)
    if autonomy == Autonomy.UNATTENDED and not owner.has_perm("plans.unattended"):
        raise InputError("autonomy_not_allowed")
    return {"owner": owner, "autonomy": autonomy, "time_zone": time_zone, "inputs": dict(inputs)}


def _create_once(columns: dict[str, Any], client_token: str | None, fill: Any) -> Run:
    try:
        with transaction.atomic():
            run = Run.objects.create(client_token=client_token, created_at=timezone.now(), **columns)
            fill(run)
    except IntegrityError:
        # The unique token refused a second run: the form was sent twice.
        existing = Run.objects.filter(owner=columns["owner"], client_token=client_token).first()
        if client_token is None or existing is None:
            raise
        return existing
    run.refresh_from_db()
    return run
