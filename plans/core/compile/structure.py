"""Checks of the graph as a whole, once it has no cycle: edges that others imply, like calls, two writers of one place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from plans.core import fan_out, graph, placeholders
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json
from plans.core.kinds import Risk, RunsIn
from plans.core.spec import TaskSpec

_MOST_EDGES_LOOKED_AT = 2_000
"""For advice only; reachability of more costs more than the rest of compiling."""
_MOST_SAID = 20
_WRITE_PARAMS = frozenset(
    ["output_file", "output_path", "out_file", "outfile", "save_as", "save_to", "target_file", "target_path", "write_to",
     "destination", "dest_path"]
)  # fmt: skip
_WRITE_SKILLS = ("write", "save", "export", "upload")
_PLACE_PARAMS = frozenset({"path", "file", "filename", "file_name", "output", "target", "table", "key"})


def check(draft: Draft, levels: Mapping[str, int]) -> None:
    """Add findings about an acyclic graph; `levels` gives the length of the longest chain above each task."""
    _check_redundant(draft, levels)
    _check_like_calls(draft)
    _check_writers(draft, levels)


def _check_redundant(draft: Draft, levels: Mapping[str, int]) -> None:
    """Say which dependencies a longer way implies. One whose data is read is needed all the same."""
    if sum(map(len, draft.upstream.values())) > _MOST_EDGES_LOOKED_AT:
        return
    reads = {(read.task, read.aim.task) for read in draft.reads}
    wide = {task: _implied(draft, task, levels, reads) for task, ups in draft.upstream.items() if len(ups) > 1}
    candidates = {task: ups for task, ups in wide.items() if ups}
    if not candidates:
        return
    bits, above = graph.ancestor_bits(_passing_on(draft))
    said = 0
    for task, ups in candidates.items():
        others = 0
        for up in draft.upstream[task]:
            others |= above[up]
        for up in ups:
            if others & bits[up]:
                said += 1
                if said <= _MOST_SAID:
                    fix = fixes.remove("depends_on", up)
                    draft.say("redundant_dependency", task=task, fix=fix, id=task, dependency=up)


def _implied(draft: Draft, task: str, levels: Mapping[str, int], reads: set[tuple[str, str]]) -> list[str]:
    """Return the dependencies that could be implied: written one by one, not read from, and more than one level up."""
    written = set(draft.tasks[task].depends_on)
    ups = draft.upstream[task]
    return [up for up in ups if levels[task] - levels[up] > 1 and up in written and (task, up) not in reads]


def _passing_on(draft: Draft) -> dict[str, list[str]]:
    """Return the graph without what ends at tasks that run in any case: they do not pass a failure on."""
    return {task: [] if draft.tasks[task].always_run else ups for task, ups in draft.upstream.items()}


def _check_like_calls(draft: Draft) -> None:
    """Say which tasks make the very same call at the same point, where once would do."""
    calls: dict[str, list[str]] = defaultdict(list)
    for task in draft.tasks.values():
        if task.params and _is_repeatable(draft, task):
            same = [task.skill, task.params, task.run_if, task.for_each, sorted(draft.upstream[task.id])]
            calls[json.dumps(same, sort_keys=True, default=str)].append(task.id)
    for names in calls.values():
        if len(names) > 1:
            draft.say("mergeable_calls", task=names[1], tasks=names[:10], skill=draft.tasks[names[0]].skill)


def _is_repeatable(draft: Draft, task: TaskSpec) -> bool:
    info = draft.info(task)
    return info is not None and info.idempotent and info.runs_in != RunsIn.ENGINE and info.risk == Risk.LOW


def _check_writers(draft: Draft, levels: Mapping[str, int]) -> None:
    """Say where two tasks that may run at once, or two items of one task, write to one place."""
    writers: dict[str, list[str]] = defaultdict(list)
    for task in draft.tasks.values():
        for place in _written(draft, task):
            writers[place].append(task.id)
            if task.for_each is not None and not _names_item(place):
                draft.say("write_conflict", task=task.id, first=task.id, second=task.id, place=place[:200])
    for place, names in list(writers.items()):
        ordered = sorted(dict.fromkeys(names), key=lambda name: levels[name])
        for first, second in _unordered(draft, ordered[:_MOST_SAID]):
            draft.say("write_conflict", task=second, first=first, second=second, place=place[:200])


def _unordered(draft: Draft, ordered: Sequence[str]) -> list[tuple[str, str]]:
    """Return neighbours that do not wait for each other: where all neighbours do, all do."""
    return [
        (first, second) for first, second in pairwise(ordered) if first not in graph.ancestors(draft.upstream, second)
    ]


def _written(draft: Draft, task: TaskSpec) -> list[str]:
    """Return the places a task writes to: params marked `x-writes`, and those that plainly name a target."""
    info = draft.info(task)
    known = info.params_schema.get("properties", {}) if info else {}
    is_writer = any(word in task.skill.casefold() for word in _WRITE_SKILLS)
    found = []
    for name, value in task.params.items():
        schema: Json = known.get(name)
        marked = isinstance(schema, dict) and bool(schema.get("x-writes"))
        guessed = info is not None and info.free_params
        named = name.casefold() in _WRITE_PARAMS or (is_writer and name.casefold() in _PLACE_PARAMS)
        if isinstance(value, str) and value.strip() and (marked or (guessed and named)):
            found.append(value.strip())
    return found


def _names_item(place: str) -> bool:
    try:
        return any(fan_out.reads_item(text) for text in placeholders.expressions_in(place))
    except ExpressionError:
        return True  # reported where the placeholder itself is judged
