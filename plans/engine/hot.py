"""Claim, finish and renew in raw SQL: the statements every task goes through, in the order that avoids deadlocks.

Measured reasons and shapes: an ORM turn costs ten times as much. One text serves both databases but for the lock clauses.
Lock order: own rows, downstream rows (one ordered statement), claims (skip locked), run rows in id order last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from plans import events
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.values import ArtifactRef
from plans.engine.sql import claim_where, hot_cursor, is_sqlite, later_sql, now_sql
from plans.events import Line


@dataclass(slots=True, kw_only=True)
class Claimed:
    """A task row this process has just claimed; `spec` is parsed TaskSpec JSON."""

    task_id: int
    run_id: int
    key: str
    kind: str
    attempt: int
    skill: str
    spec: JsonObject
    has_references: bool
    instant: bool
    timeout_seconds: int
    idempotent: bool
    runs_in: str
    checkpoint: Any = None
    resumed: bool = False


@dataclass(slots=True, kw_only=True)
class Done:
    """A success to commit; texts are JSON made in the slot's thread."""

    claimed: Claimed
    outputs: str | None
    params: str | None = None
    log: str = ""
    artifacts: Mapping[str, ArtifactRef] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Readied:
    """A row whose last upstream has just ended."""

    task_id: int
    run_id: int
    key: str
    state: str
    gated: bool


Cursor: TypeAlias = Any  # Django's CursorWrapper, which has no public type


class FenceMismatch(Exception):
    """Some row of the batch is no longer ours; the turn is repeated row by row."""


# What may be taken: nothing of a paused run, and nothing at all while an operator holds new work.
OPEN = "state = 'ready' AND NOT held AND NOT EXISTS (SELECT 1 FROM plans_hold)"
CLAIM_COLUMNS = (
    "id, run_id, key, kind, attempt, skill, spec, has_references, instant, "
    "timeout_seconds, idempotent, runs_in, checkpoint"
)


def many(cursor: Cursor, sql: str, values: Sequence[Sequence[Any]]) -> int:
    """Execute `sql` for each of `values`; return the total row count. One row, the chain's case, is cheaper by itself."""
    if len(values) == 1:
        cursor.execute(sql, values[0])
    elif values:
        cursor.executemany(sql, values)
    else:
        return 0
    return int(cursor.rowcount)


def finish_sql() -> str:
    return (
        f"UPDATE plans_task SET state='succeeded', lease_expires_at=NULL, claimed_by='', ended_at={now_sql()}, "
        "checkpoint=NULL, error=NULL, outputs=%s WHERE id=%s AND state='running' AND attempt=%s"
    )


def finish(cursor: Cursor, done: Sequence[Done], *, row_by_row: bool = False) -> list[Done]:
    """Mark tasks succeeded, fenced by attempt; return those that were still ours.

    Raises FenceMismatch when a batch (not `row_by_row`) met a lost lease; the transaction must then be rolled back.
    """
    kept = list(done)
    values = [(d.outputs, d.claimed.task_id, d.claimed.attempt) for d in done]
    if row_by_row:
        kept = []
        for one, value in zip(done, values, strict=True):
            cursor.execute(finish_sql(), value)
            if cursor.rowcount:
                kept.append(one)
    else:
        if many(cursor, finish_sql(), values) != len(values):
            raise FenceMismatch
    many(
        cursor,
        f"UPDATE plans_attempt SET state='succeeded', ended_at={now_sql()}, params=%s, log=%s "
        "WHERE task_id=%s AND number=%s",
        [(d.params, d.log, d.claimed.task_id, d.claimed.attempt) for d in kept],
    )
    return kept


def release_downstream(cursor: Cursor, task_ids: Sequence[int]) -> list[Readied]:
    """Count the ended tasks off their downstream and make ready what is ready; return rows with nothing left to wait for.

    A returned row in state `pending` has bad upstream: `engine.settle` decides it.
    """
    marks = ",".join(["%s"] * len(task_ids))
    lock, join = "", "d WHERE plans_task.id = d.downstream_id"
    if not is_sqlite():
        lock = (
            ", s AS MATERIALIZED (SELECT id FROM plans_task WHERE id IN (SELECT downstream_id FROM d) "
            "ORDER BY id FOR NO KEY UPDATE)"
        )
        join = "s JOIN d ON d.downstream_id = s.id WHERE plans_task.id = s.id"
    sql = (
        f"WITH d AS (SELECT downstream_id, count(*) AS k FROM plans_dependency WHERE upstream_id IN ({marks}) "
        f"GROUP BY downstream_id){lock} "
        "UPDATE plans_task SET unmet = unmet - d.k, state = CASE WHEN unmet = d.k AND state = 'pending' "
        "AND (bad_upstream = 0 OR always_run) THEN 'ready' ELSE state END "
        f"FROM {join} RETURNING plans_task.id, run_id, key, unmet, state, gated"
    )
    cursor.execute(sql, task_ids)
    found = cursor.fetchall()
    return [
        Readied(task_id=row[0], run_id=row[1], key=row[2], state=row[4], gated=bool(row[5]))
        for row in sorted(found)
        if row[3] == 0 and row[4] in ("ready", "pending")
    ]


def claim(
    cursor: Cursor, limit: int, worker: str, lease_seconds: float, only: Sequence[int] | None = None
) -> list[Claimed]:
    """Claim up to `limit` ready tasks that need no decision, the most urgent first; `only` names gated tasks."""
    if only is None:
        pick = (
            f"SELECT id FROM plans_task WHERE {OPEN} AND gated = FALSE ORDER BY priority DESC, rank DESC, id LIMIT %s"
        )
    else:
        pick = f"SELECT id FROM plans_task WHERE {OPEN} AND id IN ({','.join(['%s'] * len(only))})"
    prefix, chosen = claim_where(pick)
    sql = (
        f"{prefix}UPDATE plans_task SET state = 'running', attempt = attempt + 1, claimed_by = %s, "
        f"lease_expires_at = {later_sql()}, ready_at = NULL, started_at = COALESCE(started_at, {now_sql()}) "
        f"WHERE {chosen} AND state = 'ready' RETURNING {CLAIM_COLUMNS}"
    )
    cursor.execute(sql, [*([limit] if only is None else only), worker, lease_seconds])
    claimed = [_claimed(row) for row in cursor.fetchall()]
    if len(claimed) > limit:
        raise AssertionError(f"claimed {len(claimed)} of at most {limit}")
    claimed.sort(key=lambda c: c.task_id)
    many(
        cursor,
        "INSERT INTO plans_attempt (task_id, number, state, worker, started_at, log) "
        f"VALUES (%s, %s, 'running', %s, {now_sql()}, '')",
        [(c.task_id, c.attempt, worker) for c in claimed],
    )
    return claimed


def _claimed(row: Sequence[Any]) -> Claimed:
    return Claimed(
        task_id=row[0],
        run_id=row[1],
        key=row[2],
        kind=row[3],
        attempt=row[4],
        skill=row[5],
        spec=_json(row[6]),
        has_references=bool(row[7]),
        instant=bool(row[8]),
        timeout_seconds=row[9],
        idempotent=bool(row[10]),
        runs_in=row[11],
        checkpoint=_json(row[12]),
    )


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def write_history(cursor: Cursor, lines: dict[int, list[Line]], ended: dict[int, int]) -> list[int]:
    """Take numbers from the run rows in id order, write the events, count ended tasks off; return runs with none left."""
    finished: list[int] = []
    parameters: list[tuple[Any, ...]] = []
    for run_id in sorted(lines):
        count = len(lines[run_id])
        cursor.execute(
            'UPDATE plans_run SET seq = seq + %s, "left" = "left" - %s WHERE id = %s RETURNING seq, "left"',
            [count, ended.get(run_id, 0), run_id],
        )
        seq, left = cursor.fetchone()
        parameters += events.rows(run_id, seq - count + 1, lines[run_id])
        if left == 0 and ended.get(run_id):
            finished.append(run_id)
    many(cursor, events.insert_sql(), parameters)
    return finished


def started_lines(claimed: Sequence[Claimed], worker: str) -> dict[int, list[Line]]:
    """Return the `task.running` event of each claim by run."""
    lines: dict[int, list[Line]] = {}
    for one in claimed:
        line = Line(kind=EventKind.TASK_RUNNING, task_key=one.key, attempt=one.attempt, data={"worker": worker})
        lines.setdefault(one.run_id, []).append(line)
    return lines


def renew(claimed: Sequence[Claimed], lease_seconds: float) -> list[Claimed]:
    """Renew the leases of `claimed`; return those that are lost."""
    lost = []
    with hot_cursor() as cursor:
        for one in sorted(claimed, key=lambda one: one.task_id):
            cursor.execute(
                f"UPDATE plans_task SET lease_expires_at = {later_sql()} "
                "WHERE id = %s AND state = 'running' AND attempt = %s",
                [lease_seconds, one.task_id, one.attempt],
            )
            if not cursor.rowcount:
                lost.append(one)
    return lost


def wake_due() -> int:
    """Make due `retrying` and `WaitUntil` rows ready, with their events; return how many. Needs a transaction."""
    with hot_cursor() as cursor:
        prefix, chosen = claim_where(f"SELECT id FROM plans_task WHERE {due()} ORDER BY id")
        cursor.execute(
            f"{prefix}UPDATE plans_task SET state = 'ready', ready_at = NULL WHERE {chosen} RETURNING run_id, key", []
        )
        keys: dict[int, list[str]] = {}
        for run_id, key in cursor.fetchall():
            keys.setdefault(run_id, []).append(key)
        write_history(cursor, {run_id: events.ready_lines(names) for run_id, names in keys.items()}, {})
    return sum(map(len, keys.values()))


def has(condition: str) -> bool:
    """Tell whether any task row meets `condition` (SQL of ours, never of a user's)."""
    with hot_cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM plans_task WHERE {condition} LIMIT 1", [])
        return cursor.fetchone() is not None


def due() -> str:
    """Return the condition of a row that was to wait until a time that has come."""
    return f"state IN ('retrying', 'waiting') AND ready_at IS NOT NULL AND ready_at <= {now_sql()}"


def has_due() -> bool:
    return has(due())


def look() -> tuple[bool, bool]:
    """Tell whether a task is ready that the claim may take, and whether one is that its gate must decide on."""
    some = f"EXISTS (SELECT 1 FROM plans_task WHERE {OPEN} AND gated = "
    with hot_cursor() as cursor:
        cursor.execute(f"SELECT {some}FALSE), {some}TRUE)", [])
        plain, gated = cursor.fetchone()
    return bool(plain), bool(gated)


def unclaimed(limit: int) -> int:
    """Return how many ready tasks are unclaimed, counting to `limit` only."""
    with hot_cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM (SELECT 1 FROM plans_task WHERE {OPEN} LIMIT %s) AS found", [limit])
        return int(cursor.fetchone()[0])
