"""How far planning is: the stage, what the model thinks about, the steps as they appear; or why no plan came."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.functional import Promise

from plans import queries
from plans.core.states import TASK_TERMINAL, RunState, TaskState
from plans.models import Run
from plans.web.shown.run import said
from plans.wording.web import STAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningShown:
    """`is_live`: planning work is under way. `tasks` are names as the model writes them, `more` how many came before."""

    is_live: bool
    stage: str | Promise = ""
    thinking: str = ""
    tasks: list[str] = field(default_factory=list)
    more: int = 0
    problem: str = ""


def planning_shown(run: Run) -> PlanningShown:
    """Return how far the planning of `run` is. `problem`: the newest planning work gave no plan, and says why."""
    task = queries.newest_planning(run)
    if task is None:
        return PlanningShown(is_live=run.state == RunState.PLANNING)
    if task.state in TASK_TERMINAL:
        # A plan that came later (an edit, a choice) is no longer what that planning did not better.
        later = run.revision and task.ended_at and run.revision.created_at > task.ended_at
        failed = task.state == TaskState.FAILED and not later
        return PlanningShown(is_live=False, problem=said(task.error) if failed else "")
    event = queries.planning_progress(run, task.key)
    data = event.data if event else {}
    names = [str(name) for name in data.get("tasks") or []]
    return PlanningShown(
        is_live=True,
        stage=STAGES.get(str(data.get("stage")), ""),
        thinking=str(data.get("thinking") or ""),
        tasks=names,
        more=max(int(data.get("count") or 0) - len(names), 0),
    )
