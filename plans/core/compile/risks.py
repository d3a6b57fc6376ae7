"""Checks of risk: what could not be taken back, and what nobody would be asked about."""

from __future__ import annotations

from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.kinds import Approval, Risk
from plans.core.spec import TaskSpec


def check(draft: Draft) -> None:
    """Add findings about steps of high risk, by the skill or by the plan."""
    for task in draft.tasks.values():
        info = draft.info(task)
        if info is None or (info.risk != Risk.HIGH and task.risk != Risk.HIGH):
            continue
        if task.undo is None and not draft.plan.rollback.strip():
            draft.say("no_undo", task=task.id, id=task.id, skill=task.skill)
        if draft.circumstances.unattended and not _asks(task) and info.approval != Approval.ALWAYS:
            fix = fixes.replace("approval", Approval.ALWAYS.value)
            draft.say("no_approval", task=task.id, fix=fix, id=task.id, skill=task.skill)


def _asks(task: TaskSpec) -> bool:
    return task.approval == Approval.ALWAYS or task.confidence == "low"
