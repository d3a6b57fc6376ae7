"""Fan-out: a task done once for each item of a list. What its rows are called, and what its expressions read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plans.core import expressions, placeholders
from plans.core.cel_functions import text_of
from plans.core.jsontypes import Json, JsonObject
from plans.core.states import TaskState

ITEM, INDEX = "item", "index"
ITEM_OF = "item_of"
"""Key in the stored specification of an item's row: `{"group": row id, "index": 17, "item": value, "skips": false}`.

`skips`: a failure of it is no failure of the others."""
ITEM_WORDS = frozenset({ITEM, INDEX})
# names that need no upstream outputs
_FREE_WORDS = ITEM_WORDS | {"inputs", "answers"}
LONGEST_ID = 190
"""Characters of the id of a fanned-out task, so that `id[123456]` still fits a task key."""
_LABEL_CHARACTERS = 60
_ITEM_KEY = re.compile(r"(?s)(.+)\[(\d+)\]\Z")


def item_key(group: str, index: int) -> str:
    """Return the key of one item's row: `t3[17]`."""
    return f"{group}[{index}]"


def group_of(key: str) -> str | None:
    """Return the group of an item's key, None for any other key."""
    found = _ITEM_KEY.match(key)
    return found[1] if found else None


def list_expression(text: str) -> str:
    """Return the expression of a `for_each`, which may be written as one placeholder. Raises ExpressionError."""
    return placeholders.exact(text.strip()) or text


def reads_item(text: str | None) -> bool:
    """Tell whether an expression names `item` or `index`. Raises ExpressionError."""
    return text is not None and bool(expressions.names(text) & ITEM_WORDS)


def reads_tasks(params: JsonObject, condition: str | None, literal: frozenset[str] = frozenset()) -> bool:
    """Tell whether params or a condition read what other tasks made. Raises ExpressionError."""
    texts = placeholders.expressions_in(params, literal) + ([condition] if condition else [])
    return any(expressions.names(text) - _FREE_WORDS for text in texts)


def label(name: str, item: Json, index: int) -> str:
    """Return what people read for one item: the task's name and the item itself where that is short."""
    said = text_of(item) if isinstance(item, str | int | float | bool) else ""
    if not said or len(said) > _LABEL_CHARACTERS or "\n" in said:
        said = str(index + 1)
    return f"{name}: {said}"


def seen_state(state: str, items: Mapping[str, int]) -> str:
    """Return the state a fan-out reads as: while it waits for its items, theirs."""
    if state != TaskState.PENDING:
        return state
    is_moving = any(items.get(each, 0) for each in (TaskState.RUNNING, TaskState.READY, TaskState.RETRYING))
    return TaskState.WAITING if items.get(TaskState.WAITING) and not is_moving else TaskState.RUNNING
