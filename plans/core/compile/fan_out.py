"""Checks of fan-outs: what the list is, whether the items are used, and the keys their rows will have."""

from __future__ import annotations

from plans.core import expressions, fan_out, placeholders
from plans.core.bind import kind_of
from plans.core.cel_text import plain_path
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.errors import ExpressionError
from plans.core.findings import Severity
from plans.core.jsontypes import Json
from plans.core.kinds import ValueKind
from plans.core.names import RESULT, Target, target
from plans.core.spec import TaskSpec

# What a list may be declared as: `json` holds anything.
LISTS = frozenset({ValueKind.LIST, ValueKind.JSON})


def check(draft: Draft) -> None:
    """Add findings about fan-outs that need no other task to be judged."""
    _check_keys(draft)
    for task in draft.tasks.values():
        if task.for_each is None:
            _check_left_over(draft, task)
            continue
        if len(task.id) > fan_out.LONGEST_ID:
            length, limit = len(task.id), fan_out.LONGEST_ID
            draft.say("fan_out_id_too_long", task=task.id, id=task.id, length=length, limit=limit)
        _check_item_is_used(draft, task)
        known = constant(task)
        if known and not isinstance(known[0], list):
            came = kind_of(known[0])
            draft.say("for_each_not_list", task=task.id, id=task.id, reference=task.for_each, came=came)


def _check_left_over(draft: Draft, task: TaskSpec) -> None:
    for field, is_set in (("item_errors", task.item_errors != "stop"), ("items_at_once", bool(task.items_at_once))):
        if is_set:
            fix = fixes.remove(field)
            draft.say("only_for_items", Severity.WARNING, task=task.id, fix=fix, id=task.id, field=field)


def _check_keys(draft: Draft) -> None:
    """No id may be the key that an item will have."""
    for name in (*draft.tasks, *draft.milestones):
        group = draft.tasks.get(fan_out.group_of(name) or "")
        if group and group.for_each is not None:
            draft.say("item_key_taken", task=name, id=name, fan_out=group.id)


def _check_item_is_used(draft: Draft, task: TaskSpec) -> None:
    info = draft.info(task)
    try:
        texts = placeholders.expressions_in(task.params, info.literal if info else frozenset())
        is_used = any(fan_out.reads_item(text) for text in (*texts, task.run_if))
    except ExpressionError:
        return  # reported where the expression itself is judged
    if not is_used:
        draft.say("item_unused", Severity.WARNING, task=task.id, id=task.id)


def check_list(draft: Draft, task: TaskSpec, kind: ValueKind | None, name: str) -> None:
    """Judge the kind of what `for_each` names. A table is walked by its rows, and that has to be said."""
    if kind is None or kind in LISTS:
        return
    walked = {ValueKind.TABLE: f"{name}.rows", ValueKind.OBJECT: f"{name}.{RESULT}" if name in draft.tasks else None}
    fix = fixes.replace("for_each", walked[kind], task.for_each) if walked.get(kind) else None
    draft.say("for_each_not_list", task=task.id, fix=fix, id=task.id, reference=name, came=kind.value)


def constant(task: TaskSpec) -> tuple[Json] | None:
    """Return the value of a `for_each` that names nothing, such as `["a", "b"]`; None when only the run knows it."""
    try:
        text = fan_out.list_expression(task.for_each or "")
        return None if expressions.names(text) else (expressions.evaluate(text, {}),)
    except ExpressionError:
        return None


def never_empty(task: TaskSpec) -> bool:
    """Tell whether the list of a fan-out is known to hold something."""
    known = constant(task)
    return known is not None and isinstance(known[0], list) and bool(known[0])


def item_kind(draft: Draft, task: TaskSpec) -> ValueKind | None:
    """Return the kind of `item` where the list is an output of another fan-out, whose items are declared; else None."""
    aim = list_target(draft, task)
    if aim is None or len(aim.path) != 1 or draft.tasks[aim.task].for_each is None:
        return None
    outputs = draft.item_outputs(draft.tasks[aim.task]) or {}
    name = str(aim.path[0])
    return next(iter(outputs.values()), None) if name == RESULT else outputs.get(name)


def list_target(draft: Draft, task: TaskSpec) -> Target | None:
    """Return the output that a `for_each` names and nothing more, else None."""
    try:
        plain = plain_path(fan_out.list_expression(task.for_each or ""))
    except ExpressionError:
        return None
    return target(plain[0], plain[1], draft.tasks, draft.producers) if plain else None
