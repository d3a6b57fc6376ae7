"""The drain loop: one per worker process, owner of its only database connection (DESIGN §5 "Drain")."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from dataclasses import dataclass, field

import structlog
from django.conf import settings
from django.db import connection

from plans.core.model import Connect
from plans.core.skill import Runner
from plans.core.states import TaskKind
from plans.engine import gates, hosts, hot, livelog, outcomes, overdue, poison, stopping, turn
from plans.engine.boundaries import Boundary
from plans.engine.gates import Gate, Opened
from plans.engine.hot import Claimed, Done
from plans.engine.load import RunCache
from plans.engine.slots import Slots
from plans.engine.sql import DATABASE_AWAY, is_sqlite, transact, worker_id
from plans.engine.steps import Ended, Failed, Job, Message, Planned, Stopped, Suspended, perform

log = structlog.get_logger("plans.engine")

LOOK_SECONDS_SQLITE = 0.002
LOOK_SECONDS = 0.005
BUSY_WAIT_SECONDS = 0.25
DUE_SECONDS = 0.1
FLAGS_SECONDS = 0.5
CONNECTION_SECONDS = 1.0
GATE_BATCH = 16
FULL_SECONDS = 0.05
TROUBLE_SECONDS = 0.5


@dataclass
class Drain:
    """State of one process's loop. `run` returns when nothing runs and nothing was ready for PLANS_LINGER_SECONDS."""

    runner: Runner
    slots: Slots
    worker: str = field(default_factory=worker_id)
    cache: RunCache = field(default_factory=RunCache)
    # what slots handed back and is not committed yet: kept until the commit has succeeded
    inbox: deque[Ended | Message] = field(default_factory=deque)
    done: list[Done] = field(default_factory=list)
    # what was claimed and is not started yet
    claimed: list[Claimed] = field(default_factory=list)
    data_version: int = -1
    look_at_all: bool = True
    look_for_gated: bool = True
    renewed_at: float = field(default_factory=time.monotonic)
    flags_at: float = 0.0
    # Hold new work: looked at now and then, and first of all
    held_at: float = float("-inf")
    is_held: bool = False
    due_at: float = 0.0
    gates_after: float = 0.0
    connect: Connect | None = None
    connected_at: float = -math.inf
    idle_since: float = field(default_factory=time.monotonic)
    # gated rows that could not be looked at
    broken: set[int] = field(default_factory=set)

    def run(self) -> None:
        while True:
            try:
                self.step()
            except DATABASE_AWAY as error:
                # The database is away or overloaded. Nothing is lost: uncommitted results stay here, leases elsewhere.
                log.error("database_trouble", error=str(error))
                connection.close()
                self.data_version, self.look_at_all = -1, True
                time.sleep(TROUBLE_SECONDS)
            if self.slots.is_exhausted and not self.slots.active:
                self._replace_process()
            if self._is_over():
                return

    def _is_over(self) -> bool:
        if self.slots.active or self.done or self.inbox or self.claimed:
            return False
        return (
            stopping.requested_at() is not None or time.monotonic() - self.idle_since >= settings.PLANS_LINGER_SECONDS
        )

    def step(self) -> None:
        """Collect what ended, commit it with the next claims, start them."""
        self.inbox.extend(self.slots.collect(self._wait_seconds()))
        while self.inbox:
            self._take_in(self.inbox[0])
            self.inbox.popleft()
        self._keep_time()
        free = 0 if stopping.requested_at() or self.is_held else self.slots.free - len(self.claimed)
        moved = free > 0 and (bool(self.done) or self._something_is_ready())
        if self.done or moved:
            result = poison.take(self.done, free, self.worker, self.runner.catalogue)
            self.look_for_gated |= result.gated
            self.done = []
            self.claimed += result.claimed
        self._start_claimed()
        if self.look_for_gated and free > 0:
            self.look_for_gated = False
            moved |= self._open_gates()
        if self.slots.active or self.inbox or moved:
            self.idle_since = time.monotonic()

    def _wait_seconds(self) -> float:
        if self.inbox or self.done:
            return 0.0
        # With no slot to fill there is nothing to look for: looking all the same would take the steps' CPU.
        if self.slots.free > 0 and not self.is_held and not stopping.requested_at():
            if self.look_at_all:
                return 0.0
            return LOOK_SECONDS_SQLITE if is_sqlite() else LOOK_SECONDS
        return BUSY_WAIT_SECONDS

    def _take_in(self, one: Ended | Message) -> None:
        self.gates_after = 0.0
        if isinstance(one, Message):
            poison.keep(one)
        elif isinstance(one, Done):
            self.done.append(one)
            self.look_at_all = True
        else:
            self._commit(one)
            self.look_at_all = True

    def _commit(self, one: Failed | Suspended | Planned | Stopped) -> None:
        is_stop = stopping.requested_at() is not None
        can_plan = self._connection() is not None
        try:
            outcomes.commit(one, stopping=is_stop, catalogue=self.runner.catalogue, can_plan=can_plan)
        except DATABASE_AWAY:
            raise
        except Exception as error:
            log.exception("outcome_failed", task=one.claimed.key, attempt=one.claimed.attempt)
            poison.fail(one.claimed, error, self.runner.catalogue)

    def _something_is_ready(self) -> bool:
        """Look without writing: on SQLite only when another connection has committed since the last look."""
        if not self.look_at_all and is_sqlite() and not self._others_committed():
            return False
        self.look_at_all = False
        plain, gated = hot.look()
        # Rows that wait for room stay ready for long; they must not keep the loop busy.
        self.look_for_gated |= gated and time.monotonic() >= self.gates_after
        return plain

    def _others_committed(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA data_version")
            version = int(cursor.fetchone()[0])
        changed, self.data_version = version != self.data_version, version
        return changed

    def _start_claimed(self) -> None:
        """Start what was claimed. It stays here until its rows are read: the database may go away in between."""
        if self.claimed:
            started = poison.jobs_of(self.claimed, self.cache, self.runner.catalogue)
            self.claimed = []
            self._start(started)

    def _start(self, started: list[Job]) -> None:
        # Steps that take microseconds and have the process to themselves save the hand-off and are committed together;
        # beside anything else they would hold up claims and leases of others.
        if started and not self.slots.active and all(job.claimed.instant for job in started):
            self.inbox.extend(perform(job, self.runner, outcomes.keep) for job in started)
            return
        for job in started:
            self._start_in_slot(job)

    def _start_in_slot(self, job: Job) -> None:
        if job.claimed.kind == TaskKind.PLANNING:
            job.catalogue = self.runner.catalogue()
            job.circumstances = self.runner.circumstances(job.run_uuid)
        job.connect = self._connection()
        self.slots.start(job)

    def _connection(self) -> Connect | None:
        """Return what binds a model to an attempt, as it was set within the last second: a step costs no query for it."""
        now = time.monotonic()
        if now - self.connected_at >= CONNECTION_SECONDS:
            self.connected_at, self.connect = now, self.runner.model()
        return self.connect

    def _open_gates(self) -> bool:
        """Start what only waited for room, then decide what is to be decided; tell whether anything moved."""
        started, asking = turn.take_limited(self.slots.free, self.worker)
        self.claimed += started
        self._start_claimed()
        moved = bool(started)
        for task_id in [*asking, *gates.waiting_ids(GATE_BATCH, self.broken)]:
            opened = self._open_gate(task_id)
            moved |= opened.gate in (Gate.MOVED, Gate.STARTED)
            if opened.job is None:
                continue
            if opened.job.claimed.runs_in == "engine" and opened.job.claimed.kind == TaskKind.STEP:
                self.inbox.append(perform(opened.job, self.runner, outcomes.keep))
            else:
                self._start_in_slot(opened.job)
        if moved:
            self.look_at_all = self.look_for_gated = True
        else:
            self.gates_after = time.monotonic() + FULL_SECONDS
        return moved

    def _open_gate(self, task_id: int) -> Opened:
        free = self.slots.free
        try:
            return gates.open_gate(task_id, free=free, worker=self.worker, runner=self.runner, cache=self.cache)
        except DATABASE_AWAY:
            raise
        except Exception:
            log.exception("gate_failed", task=task_id)
            # Not looked at again by this loop: it must not keep others from being decided.
            self.broken.add(task_id)
            return poison.fail_at_gate(task_id, self.worker)

    def _keep_time(self) -> None:
        """Renew leases, make due rows ready, notice cancelled runs, over-long steps and a request to stop."""
        now = time.monotonic()
        if now - self.held_at >= FLAGS_SECONDS:
            self.held_at, self.is_held = now, hosts.is_held()
        if now - self.due_at >= DUE_SECONDS:
            self.due_at = now
            # A steady stream of plain tasks must not keep one that needs a decision waiting.
            self.look_for_gated = True
            if hot.has_due() and transact(hot.wake_due, Boundary.WAKE):
                self.look_at_all = True
        if not self.slots.active:
            self.renewed_at = now
            return
        if now - self.renewed_at >= settings.PLANS_LEASE_SECONDS / 3:
            self.renewed_at = now
            held = [active.job.claimed for active in self.slots.active.values()]
            for lost in transact(lambda: hot.renew(held, settings.PLANS_LEASE_SECONDS), Boundary.RENEW):
                self.slots.active[lost.task_id].job.stop.set()
                self.slots.fence(lost.task_id)
        if now - self.flags_at >= FLAGS_SECONDS:
            self.flags_at = now
            overdue.flag_cancelled(self.slots, now)
            livelog.write_down(self.slots)
        if overdue.enforce(self.slots, now, self.runner.catalogue):
            self.look_at_all = True

    def _replace_process(self) -> None:
        """Every slot is held by a step that does not come back: leave, and let the cluster start a fresh process."""
        log.error("slots_exhausted", worker=self.worker)
        connection.close()
        os._exit(70)


_slots: dict[int, Slots] = {}


def drain(runner: Runner) -> None:
    """Work until nothing is ready. Called in a worker process for each doorbell, or in a command's own process."""
    pid = os.getpid()
    if pid not in _slots:
        # Threads do not survive a fork: each process makes its own.
        _slots.clear()
        _slots[pid] = Slots(count=settings.PLANS_SLOTS_PER_WORKER, runner=runner)
    _slots[pid].runner = runner
    Drain(runner=runner, slots=_slots[pid]).run()
