"""Checks of expressions: syntax, references and the dependencies they make, types of params, nulls."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from plans.core import expressions, fan_out
from plans.core.cel_text import Use, plain_path
from plans.core.cel_words import TYPE_NAMES
from plans.core.compile import fixes
from plans.core.compile.draft import Draft, Read
from plans.core.compile.fan_out import check_list
from plans.core.compile.kinds import check_param, kind_of, say_nullable, shortest
from plans.core.compile.nulls import Nulls
from plans.core.compile.places import Place, places, say_expression
from plans.core.compile.types import check_types
from plans.core.errors import ExpressionError
from plans.core.findings import Severity
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.core.names import RESULT, Target, dotted, target, written
from plans.core.spec import TaskSpec

_TABLE_FIELDS = frozenset({"columns", "row_count", "rows"})


def check(draft: Draft) -> None:
    """Add findings about every expression; fill `draft.added` with the dependencies that references make."""
    nulls = Nulls(draft)
    for task in draft.tasks.values():
        for place in places(draft, task):
            _check_place(draft, task, place, nulls)


def _check_place(draft: Draft, task: TaskSpec, place: Place, nulls: Nulls) -> None:
    try:
        uses = expressions.uses(place.text)
    except ExpressionError as error:
        say_expression(draft, task, place.field, error)
        return
    found: list[tuple[Use, Target]] = []
    for use in uses:
        aim = target(use.name, use.path, draft.tasks, draft.producers)
        if aim is None:
            _check_scope_word(draft, task, place, use)
        elif aim.task == task.id and place.is_check:
            check_output(draft, task, place, use, aim, draft.item_outputs(task))
        elif _check_target(draft, task, place, use, aim):
            found.append((use, aim))
            draft.reads.append(Read(task=task.id, field=place.field, use=use, aim=aim))
            _depend(draft, task, aim.task)
    check_types(draft, task, place, found)
    for fragile in nulls.unguarded(task, place.field, found):
        say_unguarded(draft, task, place, fragile)
    if place.path:
        check_param(draft, task, place, found, nulls)
    elif place.field == "for_each" and found and plain_path(place.text):
        check_list(draft, task, kind_of(draft, found[0][1]), place.text)


def _check_scope_word(draft: Draft, task: TaskSpec, place: Place, use: Use) -> None:
    """Judge a name that is no task's: inputs and answers are, item and index only inside a fan-out."""
    if use.name == "inputs" or (use.name in TYPE_NAMES and not use.path):
        return
    if use.name in fan_out.ITEM_WORDS and task.for_each is not None and place.field != "for_each":
        return
    if use.name == "answers":
        known = [question.id for question in draft.plan.intent.questions]
        if use.path and use.path[0] not in known:
            near = draft.nearest(str(use.path[0]), known)
            _say_unresolved(draft, task, place, _written(use), near and written("answers", (near, *use.path[1:])))
        return
    if use.name == "tasks":
        near = draft.nearest(str(use.path[0]), draft.tasks) if use.path else None
        _say_unresolved(draft, task, place, _written(use), near and written(dotted(near), use.path[1:]))
        return
    near = draft.nearest(use.name, chain(draft.producers, draft.tasks))
    known_as = near if near is None or near in draft.producers else dotted(near)
    _say_unresolved(draft, task, place, _written(use), known_as and written(known_as, use.path))


def _check_target(draft: Draft, task: TaskSpec, place: Place, use: Use, aim: Target) -> bool:
    if aim.task == task.id:
        draft.say("self_reference", task=task.id, id=task.id, field=place.field, reference=_written(use))
        return False
    return check_output(draft, task, place, use, aim, draft.outputs(draft.tasks[aim.task]))


def check_output(
    draft: Draft, task: TaskSpec, place: Place, use: Use, aim: Target, outputs: Mapping[str, ValueKind] | None
) -> bool:
    """Tell whether an output, and the field of a table that is read of it, are there; a finding says what is not."""
    first = aim.path[0] if aim.path else RESULT
    if outputs is None:
        return True
    if first != RESULT and first not in outputs:
        near = draft.nearest(str(first), outputs)
        _say_unresolved(draft, task, place, _written(use), near and written(dotted(aim.task), (near, *aim.path[1:])))
        return False
    kind = next(iter(outputs.values()), None) if first == RESULT else outputs[str(first)]
    if kind == ValueKind.TABLE and len(aim.path) > 1 and aim.path[1] not in _TABLE_FIELDS:
        _say_unresolved(draft, task, place, _written(use), None)
        return False
    return True


def _written(use: Use) -> str:
    return written(use.name, use.path)


def _say_unresolved(draft: Draft, task: TaskSpec, place: Place, reference: str, near: str | None) -> None:
    fix = fixes.replace(place.field, near, reference) if near else None
    params: JsonObject = {"field": place.field, "expression": place.text, "reference": reference, "nearest": near}
    draft.say("unresolved_reference", task=task.id, fix=fix, id=task.id, **params)


def _depend(draft: Draft, task: TaskSpec, upstream: str) -> None:
    """Add the dependency that a reference makes, when the plan has not named it."""
    added = draft.added.setdefault(task.id, [])
    if upstream in task.depends_on or upstream in added:
        return
    added.append(upstream)
    if upstream not in draft.upstream[task.id]:
        # Not there through a milestone either: the graph grows by an edge, which is a repair and is said.
        draft.upstream[task.id].append(upstream)
        fix = fixes.add("depends_on", upstream)
        draft.say("dependency_added", Severity.INFO, task=task.id, fix=fix, id=task.id, dependency=upstream)


def say_unguarded(draft: Draft, task: TaskSpec, place: Place, aim: Target) -> None:
    name = shortest(draft, aim)
    # a list that is null reads as an empty one
    gives_value = place.path or place.field == "for_each"
    guarded = f"{name} != null ? ({place.text}) : null" if gives_value else f"{name} != null && ({place.text})"
    fix = fixes.replace(place.field, guarded, place.text)
    say_nullable(draft, task, place, aim, fix, guarded)
