"""What was tried to put failures right: written down with each try, counted per problem and per run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from plans.core import ladder
from plans.core.errors import ErrorClass
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.states import Autonomy, CorrectionKind
from plans.engine.settle import Changes
from plans.models import Correction, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def note(
    changes: Changes,
    task: Task,
    kind: CorrectionKind,
    error: JsonObject | None,
    *,
    by: User | None = None,
    hint: str = "",
) -> None:
    """Write down one try to put `error` of `task` right, with its event."""
    Correction.objects.create(
        run_id=task.run_id,
        task_key=task.key,
        attempt=task.attempt,
        kind=kind,
        problem=ladder.problem(task.key, error or {}),
        error=error or {},
        hint=hint,
        by=by,
    )
    changes.say(EventKind.TASK_CORRECTED, task, actor_id=by.pk if by else None, how=kind.value)


def limits() -> ladder.Limits:
    return ladder.Limits(
        per_problem=settings.PLANS_CORRECTIONS_PER_PROBLEM,
        per_run=settings.PLANS_CORRECTIONS_PER_RUN,
        replans=settings.PLANS_REPLANS_PER_RUN,
    )


def standing(task: Task, error: JsonObject, *, can_plan: bool) -> ladder.Standing:
    """Return what is known of a failure of `task` that has no further try of its own."""
    own = Correction.objects.filter(run_id=task.run_id, by=None)
    fallback = task.fallback or {}
    unused = "" if fallback.get("used") else fallback.get("because", "")
    return ladder.Standing(
        error_class=ErrorClass(error["class"]),
        idempotent=task.idempotent,
        unattended=task.run.autonomy == Autonomy.UNATTENDED,
        has_fallback=unused == "plan" or task.spec.get("fallback_value") is not None,
        has_other_skill=unused == "skill",
        can_plan=can_plan,
        of_problem=own.filter(problem=ladder.problem(task.key, error)).count(),
        of_run=own.count(),
        replans=own.filter(kind=CorrectionKind.REPLAN).count(),
    )


def hints(run_id: int, key: str) -> list[str]:
    """Return what people said the step should mind, oldest first."""
    rows = Correction.objects.filter(run_id=run_id, task_key=key).exclude(hint="")
    return list(rows.order_by("pk").values_list("hint", flat=True))
