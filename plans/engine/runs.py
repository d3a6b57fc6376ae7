"""Make runs: from a goal (planned by a worker) or from a plan that is already there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone

from plans.core.compile import Compiled
from plans.core.errors import InputError, MalformedPlan
from plans.core.jsontypes import Json
from plans.core.kinds import EventKind
from plans.core.states import Autonomy
from plans.engine import planning_work
from plans.engine.boundaries import Boundary
from plans.engine.revisions import add_revision
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

GOAL_LIMIT = 8000


def check_goal(goal: str) -> str:
    """Return the goal without surrounding blanks. Raises InputError `goal_empty`, `goal_too_long` (code points)."""
    goal = goal.replace("\r\n", "\n").strip()
    if not goal:
        raise InputError("goal_empty")
    if len(goal) > GOAL_LIMIT:
        raise InputError("goal_too_long", length=len(goal), limit=GOAL_LIMIT)
    return goal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may take; None: no limit, but for the money a goal may cost (`PLANS_DEFAULT_BUDGET_USD`)."""

    budget_usd: Decimal | None = None
    budget_tokens: int | None = None
    budget_seconds: int | None = None
    deadline_at: datetime | None = None
    tasks_at_once: int | None = None

    def columns(self) -> dict[str, Any]:
        found = asdict(self)
        if self.budget_usd is None:
            found["budget_usd"] = default_budget()
        return found


def default_budget() -> Decimal | None:
    """Return the USD a goal may cost that names no budget; None when no default is set."""
    return Decimal(str(settings.PLANS_DEFAULT_BUDGET_USD)) or None


def create_run(
    *,
    owner: User,
    goal: str,
    inputs: Mapping[str, Json],
    playbook: str = "",
    autonomy: str = Autonomy.RISKY_STEPS,
    time_zone: str = "UTC",
    client_token: str | None = None,
    limits: Limits | None = None,
    files: Mapping[str, Json] | None = None,
    model_sees_rows: bool = True,
) -> Run:
    """Make a run in state `planning` and queue its planning task. The same `client_token` gives the same run.

    `files`: what is known of the attachments among `inputs`, by the same names, for a model that plans the run.
    Raises InputError for a goal or an autonomy the owner may not use.
    """
    goal = check_goal(goal)
    columns = _columns(owner, autonomy, time_zone, inputs) | {"goal": goal, "playbook": playbook}
    columns |= (limits or Limits()).columns()
    columns["model_sees_rows"] = model_sees_rows and settings.PLANS_MODEL_SEES_ROWS

    def fill(run: Run) -> None:
        changes = Changes(run.pk)
        changes.say(EventKind.RUN_CREATED, actor_id=owner.pk)
        planning_work.queue(changes, run, "plan", files=dict(files or {}))
        changes.flush()

    return _create_once(columns, client_token, fill)


def create_run_from_plan(
    *,
    owner: User,
    compiled: Compiled,
    inputs: Mapping[str, Json],
    autonomy: str = Autonomy.RISKY_STEPS,
    time_zone: str = "UTC",
    client_token: str | None = None,
    limits: Limits | None = None,
    source: str = "import",
    origin: Run | None = None,
) -> Run:
    """Make a run in state `review` from a compiled plan. Raises MalformedPlan when there is no plan to review.

    `origin` is the run that it came from.
    """
    plan = compiled.plan
    if plan is None:
        raise MalformedPlan("plan_unreadable")
    goal = plan.goal.strip()[:GOAL_LIMIT] or "Imported plan"
    columns = _columns(owner, autonomy, time_zone, inputs) | {"goal": goal}
    columns |= (limits or Limits()).columns() | {"origin": origin}

    def fill(run: Run) -> None:
        changes = Changes(run.pk)
        came = {"origin": str(origin.uuid), "source": source} if origin else {}
        changes.say(EventKind.RUN_CREATED, actor_id=owner.pk, **came)
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


@patient
def _create_once(columns: dict[str, Any], client_token: str | None, fill: Any) -> Run:
    try:
        with committing(Boundary.CREATE):
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
