"""Append to a run's history: the event table is the stream."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.db import connection

from plans.core.kinds import EventKind
from plans.core.storable import UNSTORABLE, storable_json

DATA_LIMIT_BYTES = 4096
INSERT_SQL = (
    "INSERT INTO plans_event (run_id, seq, at, kind, task_key, attempt, actor_id, data) "
    "VALUES (%s, %s, {now}, %s, %s, %s, %s, %s)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One event before it has its number."""

    kind: EventKind
    task_key: str = ""
    attempt: int | None = None
    actor_id: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@cache
def now_sql() -> str:
    """Return the SQL for the database's clock, in the form Django stores."""
    if connection.vendor == "sqlite":
        return "strftime('%%Y-%%m-%%d %%H:%%M:%%f000', 'now')"
    return "statement_timestamp()"


def fit(data: Mapping[str, Any]) -> str:
    """Return `data` as JSON text of at most 4 KB; longer texts in it are cut and marked."""
    if not data:
        return "{}"
    text = json.dumps(data, ensure_ascii=False, default=str)
    if UNSTORABLE.search(text) or "\\u0000" in text:
        data = storable_json(json.loads(text))
        text = json.dumps(data, ensure_ascii=False)
    limit = 1024
    while len(text.encode()) > DATA_LIMIT_BYTES and limit >= 1:
        text = json.dumps(_cut(data, limit), ensure_ascii=False, default=str)
        limit //= 2
    return text if len(text.encode()) <= DATA_LIMIT_BYTES else '{"cut": true}'


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + "…"
    if isinstance(value, Mapping):
        return {key: _cut(inner, limit) for key, inner in list(value.items())[:limit]}
    if isinstance(value, (list, tuple)):
        return [_cut(inner, limit) for inner in list(value)[:limit]]
    return value


def rows(run_id: int, first: int, lines: Sequence[Line]) -> list[tuple[Any, ...]]:
    """Return the parameters of `insert_sql` for `lines`, numbered from `first`."""
    return [
        (run_id, first + offset, line.kind.value, line.task_key, line.attempt, line.actor_id, fit(line.data))
        for offset, line in enumerate(lines)
    ]


def insert_sql() -> str:
    """Return the statement that writes one numbered line (parameters: `rows`)."""
    return INSERT_SQL.format(now=now_sql())


def append(run_id: int, lines: Sequence[Line]) -> None:
    """Number and write `lines`. Call last in the transaction: it locks the run row."""
    if not lines:
        return
    with connection.cursor() as cursor:
        cursor.execute("UPDATE plans_run SET seq = seq + %s WHERE id = %s RETURNING seq", [len(lines), run_id])
        (seq,) = cursor.fetchone()
        cursor.executemany(insert_sql(), rows(run_id, seq - len(lines) + 1, lines))


def ready_lines(keys: Sequence[str]) -> list[Line]:
    """Return `tasks.ready` lines for `keys`, as few as the 4 KB limit allows."""
    lines: list[Line] = []
    batch: list[str] = []
    size = 0
    for key in keys:
        cost = len(json.dumps(key, ensure_ascii=False).encode()) + 2
        if batch and size + cost > DATA_LIMIT_BYTES - 64:
            lines.append(Line(kind=EventKind.TASKS_READY, data={"keys": batch}))
            batch, size = [], 0
        batch.append(key)
        size += cost
    if batch:
        lines.append(Line(kind=EventKind.TASKS_READY, data={"keys": batch}))
    return lines
