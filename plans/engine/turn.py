"""One turn of the loop: what has finished and the next claims, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from plans import events
from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.engine import doorbell, hot, limits, reserves
from plans.engine.boundaries import Boundary
from plans.engine.hot import Claimed, Done, FenceMismatch
from plans.engine.settle import Changes, decide, end_run, locked
from plans.engine.sql import hot_cursor, transact
from plans.events import Line
from plans.models import Artifact, Blob, Task


@dataclass(slots=True)
class TurnResult:
    claimed: list[Claimed] = field(default_factory=list)
    gated: bool = False
    """True when a task that needs a decision has become ready."""


def take(done: Sequence[Done], free: int, worker: str) -> TurnResult:
    """Commit `done` (fenced: late results are dropped) and claim up to `free` tasks."""
    at = Boundary.FINISH if done else Boundary.CLAIM
    try:
        return transact(lambda: _turn(done, free, worker, row_by_row=False), at)
    except FenceMismatch:
        return transact(lambda: _turn(done, free, worker, row_by_row=True), at)


def _turn(done: Sequence[Done], free: int, worker: str, *, row_by_row: bool) -> TurnResult:
    with hot_cursor() as cursor:
        return _write(cursor, done, free, worker, row_by_row=row_by_row)


def _write(cursor: hot.Cursor, done: Sequence[Done], free: int, worker: str, *, row_by_row: bool) -> TurnResult:
    result = TurnResult()
    lines: dict[int, list[Line]] = {}
    ended: dict[int, int] = {}
    doomed: list[int] = []
    kept = hot.finish(cursor, done, row_by_row=row_by_row) if done else []
    if kept:
        _store_artifacts(kept)
        readied = hot.release_downstream(cursor, [one.claimed.task_id for one in kept])
        result.gated = any(row.gated for row in readied)
        doomed = [row.task_id for row in readied if row.state == TaskState.PENDING]
        _finished_lines(kept, readied, lines, ended)
    if free > 0:
        result.claimed = hot.claim(cursor, free, worker, settings.PLANS_LEASE_SECONDS)
        for run_id, started in hot.started_lines(result.claimed, worker).items():
            lines.setdefault(run_id, []).extend(started)
    finished = hot.write_history(cursor, lines, ended)
    _skip_doomed(doomed)
    for run_id in finished:
        end_run(run_id)
    _ring(result, kept, free)
    return result


def take_limited(free: int, worker: str) -> tuple[list[Claimed], list[int]]:
    """Claim up to `free` of the rows that only waited for room in a pool, a rate or another limit.

    Return them, and the ids of those whose approval their gate must use up as it starts them.
    """
    if free <= 0 or not Task.objects.filter(limits.in_line()).exists():
        return [], []
    asking: list[int] = []
    broke: list[int] = []

    def work() -> list[Claimed]:
        limits.lock()
        found, broke[:] = limits.next_ones(free)
        asking[:] = [row.task_id for row in found if row.needs_approval]
        rows = [row for row in found if not row.needs_approval]
        if not rows:
            return []
        with hot_cursor() as cursor:
            claimed = hot.claim(cursor, len(rows), worker, settings.PLANS_LEASE_SECONDS, only=[r.task_id for r in rows])
            limits.note_rate({one.task_id: (one.attempt, one.skill) for one in claimed})
            hot.write_history(cursor, hot.started_lines(claimed, worker), {})
        return claimed

    claimed = transact(work, Boundary.CLAIM_LIMITED)
    for task_id in broke:
        reserves.ask(task_id)
    return claimed, asking


def _finished_lines(
    kept: Sequence[Done], readied: Sequence[hot.Readied], lines: dict[int, list[Line]], ended: dict[int, int]
) -> None:
    for one in kept:
        claimed = one.claimed
        line = Line(kind=EventKind.TASK_SUCCEEDED, task_key=claimed.key, attempt=claimed.attempt)
        lines.setdefault(claimed.run_id, []).append(line)
        ended[claimed.run_id] = ended.get(claimed.run_id, 0) + 1
    keys: dict[int, list[str]] = {}
    for row in readied:
        if row.state == TaskState.READY:
            keys.setdefault(row.run_id, []).append(row.key)
    for run_id, names in keys.items():
        lines[run_id] += events.ready_lines(names)


def _store_artifacts(kept: Sequence[Done]) -> None:
    found = [(one, name, ref) for one in kept for name, ref in one.artifacts.items()]
    if not found:
        return
    Blob.objects.bulk_create(
        {ref.sha256: Blob(sha256=ref.sha256, size=ref.size) for _, _, ref in found}.values(), ignore_conflicts=True
    )
    Artifact.objects.bulk_create(
        Artifact(
            run_id=one.claimed.run_id,
            task_id=one.claimed.task_id,
            attempt=one.claimed.attempt,
            name=name,
            kind=ref.kind,
            filename=ref.filename or name,
            media_type=ref.media_type,
            blob_id=ref.sha256,
            meta=ref.meta,
        )
        for one, name, ref in found
    )


def _skip_doomed(doomed: Sequence[int]) -> None:
    """Tasks whose last upstream succeeded while another one went bad: skipped, and so on downstream."""
    by_run: dict[int, Changes] = {}
    for task in locked(doomed) if doomed else []:
        changes = by_run.setdefault(task.run_id, Changes(task.run_id))
        decide(changes, task)
    for run_id in sorted(by_run):
        by_run[run_id].flush()


def _ring(result: TurnResult, kept: Sequence[Done], free: int) -> None:
    run_id = result.claimed[0].run_id if result.claimed else (kept[0].claimed.run_id if kept else 0)
    is_full = len(result.claimed) >= free
    if run_id and is_full and doorbell.burst_is_due():
        most = settings.PLANS_SLOTS_PER_WORKER * settings.PLANS_WORKERS
        doorbell.ring_others(run_id, hot.unclaimed(most))
