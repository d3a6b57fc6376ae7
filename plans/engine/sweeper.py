"""The sweep: every second or so, by one holder, it mends what a dead process or a lost message left behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import structlog
from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from plans.core.states import TaskState
from plans.engine import (
    ageing,
    deadlines,
    doorbell,
    hosts,
    hot,
    ladder,
    late_retries,
    limits,
    mend,
    pausing,
    time_budgets,
)
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes
from plans.engine.sql import host_id, is_gone, transact, worker_id
from plans.models import Attempt, Lease, Task

log = structlog.get_logger("plans.engine")

HOLDER_SECONDS = 10.0
UNCLAIMED_SECONDS = 1.0
MEND_SECONDS = 10.0
LATEST_CLAIMS = 200
"""A host with free slots that has none of so many claims, while work is ready, claims nothing."""
BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """What a host's watchdog judges by: ready tasks, a number that grows with each claim of its own, and its free slots."""

    ready: int
    claims: int
    idle_slots: int


@dataclass(slots=True)
class Memory:
    """What one sweeper has seen, by its own monotonic clock: a lease is expired when it has stood still, not by the
    wall clock, which may jump."""

    me: str = field(default_factory=worker_id)
    # task id -> (attempt, lease as last seen, when it was first seen so)
    leases: dict[int, tuple[int, object, float]] = field(default_factory=dict)
    holder: tuple[str, int, float] | None = None
    ready_since: float | None = None
    ready: ageing.Seen = field(default_factory=ageing.Seen)
    retries: late_retries.Seen = field(default_factory=late_retries.Seen)
    mended_at: float = 0.0


def sweep_once(memory: Memory, now: float | None = None) -> Pulse | None:
    """Do one sweep; return the pulse, or None when another process holds the sweeper's lease."""
    now = time.monotonic() if now is None else now
    if not hold(memory, now):
        return None
    each("late retries", lambda: late_retries.mark_due(memory.retries, now))
    each("due", lambda: transact(hot.wake_due, Boundary.WAKE) if hot.has_due() else 0)
    expire_leases(memory, now)
    deadlines.expire_requests(BATCH)
    each("pauses", pausing.settle_pauses)
    each("time budgets", time_budgets.enforce)
    each("age", lambda: ageing.age(memory.ready, now))
    pulse = read_pulse()
    ring_for_unclaimed(memory, pulse, now)
    if now - memory.mended_at >= MEND_SECONDS:
        memory.mended_at = now
        mend.mend_runs(BATCH)
        mend.remove_orphan_blobs()
    return pulse


def each(what: str, work: Callable[[], object]) -> None:
    """Run one row's repair; a row that cannot be repaired must not stop the sweep or other runs."""
    try:
        work()
    except Exception:
        log.exception("sweep_failed", what=what)


def hold(memory: Memory, now: float) -> bool:
    """Take or renew the sweeper's lease. Another's is taken over once it has stood still for HOLDER_SECONDS."""
    Lease.objects.get_or_create(name="sweeper")
    mine = Lease.objects.filter(name="sweeper", holder=memory.me)
    if mine.update(renewals=F("renewals") + 1, renewed_at=Now()):
        return True
    lease = Lease.objects.get(name="sweeper")
    seen = memory.holder
    if seen is None or seen[:2] != (lease.holder, lease.renewals):
        memory.holder = (lease.holder, lease.renewals, now)
        seen = memory.holder
    if lease.holder and not is_gone(lease.holder) and now - seen[2] < HOLDER_SECONDS:
        return False
    rows = Lease.objects.filter(name="sweeper", holder=lease.holder, renewals=lease.renewals)
    return bool(rows.update(holder=memory.me, renewals=F("renewals") + 1, renewed_at=Now()))


def expire_leases(memory: Memory, now: float) -> int:
    """Take back tasks whose worker is gone or has not renewed for a lease's length; return how many."""
    running = Task.objects.filter(state=TaskState.RUNNING).values_list(
        "pk", "attempt", "lease_expires_at", "claimed_by"
    )
    seen: dict[int, tuple[int, object, float]] = {}
    count = 0
    for pk, attempt, lease, worker in running:
        before = memory.leases.get(pk)
        first = before[2] if before and before[:2] == (attempt, lease) else now
        seen[pk] = (attempt, lease, first)
        if is_gone(worker) or now - first >= settings.PLANS_LEASE_SECONDS:
            each("lease", partial(take_back, pk, attempt, worker))
            count += 1
    memory.leases = seen
    return count


def take_back(task_id: int, attempt: int, worker: str) -> bool:
    """Declare an attempt lost and do what follows; False when the task has moved meanwhile."""

    def work() -> bool:
        task = ladder.held(task_id, attempt)
        if task is None:
            return False
        changes = Changes(task.run_id)
        lost = ladder.lose(changes, task, worker)
        changes.flush()
        doorbell.ring(task.run_id)
        return lost

    return transact(work, Boundary.TAKE_BACK)


def read_pulse() -> Pulse:
    """Return the figures of this host's workers: another's that claim say nothing of ours.

    Every claim writes an attempt row, so the id of our last one tells whether we claimed.
    """
    if hosts.is_held():
        return Pulse(ready=0, claims=0, idle_slots=0)
    ours = f"{host_id()}:"
    running = Task.objects.filter(state=TaskState.RUNNING, claimed_by__startswith=ours).count()
    slots = settings.PLANS_WORKERS * settings.PLANS_SLOTS_PER_WORKER
    latest = Attempt.objects.order_by("-pk").values_list("pk", "worker")[:LATEST_CLAIMS]
    last = next((pk for pk, worker in latest if worker.startswith(ours)), 0)
    return Pulse(ready=limits.claimable(), claims=last, idle_slots=max(0, slots - running))


def ring_for_unclaimed(memory: Memory, pulse: Pulse, now: float) -> None:
    """Ready tasks that nobody has claimed for a second: their doorbell was lost."""
    if not pulse.ready:
        memory.ready_since = None
        return
    if memory.ready_since is None:
        memory.ready_since = now
    # Who has a free slot may be another host. Doorbells that wait already are enough: with no worker for an hour they
    # must not pile up.
    if now - memory.ready_since >= UNCLAIMED_SECONDS and doorbell.waiting() < doorbell.workers():
        memory.ready_since = now
        run_id = Task.objects.filter(state=TaskState.READY, held=False).values_list("run_id", flat=True).first()
        if run_id is not None:
            doorbell.ring(run_id, min(pulse.ready, settings.PLANS_WORKERS))
