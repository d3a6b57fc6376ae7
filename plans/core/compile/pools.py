"""Checks of pools: that they exist, and that a task fits in."""

from __future__ import annotations

from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.findings import Severity


def check(draft: Draft) -> None:
    """Add findings about pools; where nobody knows which there are, nothing is said."""
    pools = draft.circumstances.pools
    for task in draft.tasks.values():
        if task.pool is None:
            if task.weight != 1:
                fix = fixes.remove("weight")
                draft.say(
                    "weight_without_pool", Severity.WARNING, task=task.id, fix=fix, id=task.id, weight=task.weight
                )
        elif pools is not None and task.pool not in pools:
            near = draft.nearest(task.pool, pools)
            fix = fixes.replace("pool", near, task.pool) if near else fixes.remove("pool")
            draft.say("unknown_pool", task=task.id, fix=fix, id=task.id, pool=task.pool, nearest=near)
        elif pools is not None and task.weight > pools[task.pool]:
            slots = pools[task.pool]
            fix = fixes.replace("weight", slots, task.weight)
            draft.say("over_weight", task=task.id, fix=fix, id=task.id, weight=task.weight, pool=task.pool, slots=slots)
