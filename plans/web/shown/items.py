"""The items of a fan-out as pages show them: counts in words, and a page of them in the panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.functional import Promise

from plans import items
from plans.models import Request, Task
from plans.queries import TaskLine
from plans.web.address import number_of
from plans.web.shown.counts import items_note
from plans.web.shown.run import ORDER, TaskShown, task_shown
from plans.web.shown.states import STATES

PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLink:
    """How many items are in a state, and the query that shows those alone."""

    word: str | Promise
    css: str
    n: int
    query: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsShown:
    """Some items of a fan-out; queries are without the question mark, empty when there are no more."""

    note: str
    here_query: str
    states: list[StateLink]
    all_query: str
    is_filtered: bool
    rows: list[TaskShown]
    before_query: str
    after_query: str


def items_shown(task: Task, query: QueryDict, requests: Sequence[Request], now: datetime) -> ItemsShown | None:
    """Return a page of the items of `task`; None when it has none. `query` may hold `item_state` and `items` (an index)."""
    if not task.item_count:
        return None
    counted = items.of_tasks([task])[task.key]
    chosen = query.get("item_state", "")
    chosen = chosen if counted.states.get(chosen) else ""
    start = number_of(query, "items") or 0
    page = items.page(task.run, task.key, state=chosen, start=start, limit=PAGE)
    kinds = {request.task_id: request.kind for request in requests if request.task_id}
    return ItemsShown(
        note=items_note(counted),
        here_query=_query(task.key, chosen, start),
        states=[
            StateLink(
                word=STATES[state].word,
                css=STATES[state].css,
                n=counted.states[state],
                query=_query(task.key, state),
                is_chosen=state == chosen,
            )
            for state in ORDER
            if counted.states[state]
        ],
        all_query=_query(task.key),
        is_filtered=bool(chosen),
        rows=[task_shown(TaskLine(task=row, open_kind=kinds.get(row.pk)), now) for row in page.rows],
        before_query=_query(task.key, chosen, page.before) if page.before is not None else "",
        after_query=_query(task.key, chosen, page.after) if page.after is not None else "",
    )


def _query(key: str, state: str = "", start: int | None = None) -> str:
    pairs: list[tuple[str, str | int]] = [("task", key)]
    if state:
        pairs.append(("item_state", state))
    if start is not None:
        pairs.append(("items", start))
    return urlencode(pairs)
