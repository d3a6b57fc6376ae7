"""Checks of ids: used twice, alike, and milestones that name each other."""

from __future__ import annotations

from collections import Counter

from plans.core import graph
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.findings import Severity
from plans.core.nearest import folded
from plans.core.spec import Milestone, TaskSpec


def check(draft: Draft) -> None:
    """Add findings about ids and milestones."""
    if not draft.plan.tasks:
        draft.say("empty_plan")
    _check_repeated(draft)
    _check_alike(draft)
    _check_milestones(draft)


def _check_repeated(draft: Draft) -> None:
    parts: list[TaskSpec | Milestone] = [*draft.plan.tasks, *draft.plan.milestones]
    counts = Counter(part.id for part in parts)
    for name, count in counts.items():
        if count > 1:
            names = [part.name for part in parts if part.id == name and part.name]
            draft.say("duplicate_id", task=name, id=name, count=count, names=names[:5])


def _check_alike(draft: Draft) -> None:
    seen: dict[str, str] = {}
    for name in (*draft.tasks, *draft.milestones):
        # Ids of nothing but dashes and blanks fold to nothing and are not alike for that.
        other = seen.setdefault(folded(name) or name, name)
        if other != name:
            draft.say("near_duplicate_id", Severity.WARNING, task=name, id=name, other=other)


def _check_milestones(draft: Draft) -> None:
    rows = draft.milestones
    for row in rows.values():
        if row.parent is not None and row.parent not in rows:
            draft.say("unknown_milestone", milestone=row.parent, user=row.id, nearest=draft.nearest(row.parent, rows))
    cycle = graph.find_cycle({row.id: [row.parent] if row.parent in rows else [] for row in rows.values()})
    if cycle:
        draft.say("milestone_cycle", path=cycle)
    for task in draft.tasks.values():
        if task.milestone is not None and task.milestone not in rows:
            near = draft.nearest(task.milestone, rows)
            fix = fixes.replace("milestone", near)
            draft.say("unknown_milestone", task=task.id, fix=fix, milestone=task.milestone, user=task.id, nearest=near)
