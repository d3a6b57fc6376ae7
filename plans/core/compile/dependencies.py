"""Checks of dependencies: dangling, self, repeated, cycles; milestones are expanded to their steps."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from plans.core import graph
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.findings import Severity
from plans.core.spec import TaskSpec

_CYCLES_NAMED = 10


def check(draft: Draft) -> None:
    """Fill `draft.upstream` and add findings about what tasks name in `depends_on`."""
    steps = milestone_steps(draft)
    for task in draft.tasks.values():
        upstream: dict[str, None] = {}
        _check_repeated(draft, task)
        for name in dict.fromkeys(task.depends_on):
            if name in draft.tasks:
                upstream[name] = None
            elif name in steps:
                upstream.update(dict.fromkeys(_steps_of(draft, task, name, steps)))
            else:
                _say_dangling(draft, task, name)
        if task.id in upstream:
            fix = fixes.remove("depends_on", task.id)
            draft.say("self_dependency", task=task.id, fix=fix, id=task.id)
        draft.upstream[task.id] = list(upstream)


def _check_repeated(draft: Draft, task: TaskSpec) -> None:
    if len(set(task.depends_on)) < len(task.depends_on):
        names = [name for name, count in Counter(task.depends_on).items() if count > 1]
        draft.say("repeated_dependency", Severity.INFO, task=task.id, id=task.id, dependencies=names)


def _steps_of(draft: Draft, task: TaskSpec, milestone: str, steps: dict[str, list[str]]) -> list[str]:
    found = steps[milestone]
    if not found:
        draft.say("empty_milestone", Severity.WARNING, task=task.id, milestone=milestone, id=task.id)
    if task.id in found:
        fix = fixes.remove("depends_on", milestone)
        draft.say("own_milestone_dependency", task=task.id, fix=fix, id=task.id, milestone=milestone)
    return [step for step in found if step != task.id]


def _say_dangling(draft: Draft, task: TaskSpec, name: str) -> None:
    near = draft.nearest(name, chain(draft.tasks, draft.milestones))
    fix = fixes.replace("depends_on", near, name) if near and near != task.id else fixes.remove("depends_on", name)
    draft.say("dangling_dependency", task=task.id, fix=fix, id=task.id, dependency=name, nearest=near)


def milestone_steps(draft: Draft) -> dict[str, list[str]]:
    """Return milestone -> its steps in plan order, those of the milestones below it included."""
    steps: dict[str, list[str]] = {name: [] for name in draft.milestones}
    for task in draft.tasks.values():
        seen: set[str] = set()
        row = task.milestone
        while row is not None and row in steps and row not in seen:
            seen.add(row)
            steps[row].append(task.id)
            row = draft.milestones[row].parent
    return steps


def check_cycles(draft: Draft) -> None:
    """Add a finding per cycle, its path named; self dependencies have been told apart already."""
    graph_left = {node: [up for up in ups if up != node] for node, ups in draft.upstream.items()}
    for _ in range(_CYCLES_NAMED):
        path = graph.find_cycle(graph_left)
        if path is None:
            return
        fix = fixes.remove("depends_on", path[-2])
        draft.say("cycle", task=path[0], fix=fix, path=path)
        on_path = set(path)
        graph_left = {
            node: [up for up in ups if up not in on_path] for node, ups in graph_left.items() if node not in on_path
        }
