"""What differs between the databases: the clock, the lock clauses, and how a turn's transaction is opened."""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache, partial, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from plans.engine.boundaries import Boundary, reached
from plans.events import now_sql

log = structlog.get_logger("plans.engine")
P = ParamSpec("P")
T = TypeVar("T")
TRIES = 8
PREPARE_AFTER = 2
DATABASE_AWAY = (OperationalError, InterfaceError)
"""What means that the database is away or overloaded, and not that something is wrong with a row."""


@cache
def is_sqlite() -> bool:
    return connection.vendor == "sqlite"


@cache
def later_sql() -> str:
    """Return SQL for "now plus %s seconds" on the database's clock."""
    if is_sqlite():
        return "strftime('%%Y-%%m-%%d %%H:%%M:%%f000', 'now', '+' || %s || ' seconds')"
    return "(statement_timestamp() + make_interval(secs => %s))"


def claim_where(body: str) -> tuple[str, str]:
    """Return (prefix, condition) of an UPDATE that claims the ids of `body`, an ordered and limited SELECT.

    PostgreSQL must get the ids through a materialised CTE and ANY(ARRAY()): with `IN (SELECT … SKIP LOCKED)` the planner
    may run the locking sub-select again and claim more than the limit (measured: 218 times in 60 runs).
    """
    if is_sqlite():
        return f"WITH k AS ({body}) ", "id IN (SELECT id FROM k)"
    return f"WITH k AS MATERIALIZED ({body} FOR NO KEY UPDATE SKIP LOCKED) ", "id = ANY(ARRAY(SELECT id FROM k))"


def hot_cursor() -> CursorWrapper:
    """Return a cursor for the statements every task goes through. Close it (`with`).

    On PostgreSQL it prepares them: measured to halve a turn. Django's own cursor puts values into the text instead.
    """
    if is_sqlite() or connection.queries_logged:
        return connection.cursor()  # Django's log of queries needs the text, which a prepared statement does not have
    import psycopg

    connection.ensure_connection()
    raw: psycopg.Connection = connection.connection
    raw.prepare_threshold = PREPARE_AFTER
    return connection.make_cursor(psycopg.Cursor(raw))  # type: ignore[arg-type]


@contextmanager
def committing(at: Boundary) -> Iterator[None]:
    """Open the transaction of a service, or a part of its caller's."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        yield
        if is_outermost:
            reached(at, "before")
    if is_outermost:
        reached(at, "after")


def transact(work: Callable[[], T], at: Boundary) -> T:
    """Run `work` in one transaction of its own; deadlocks and lock time-outs are tried again with jitter."""

    def once() -> T:
        with transaction.atomic(durable=True):
            found = work()
            reached(at, "before")
        reached(at, "after")
        return found

    return _patiently(once)


def patient(service: Callable[P, T]) -> Callable[P, T]:
    """Try a service again when all that was wrong was another's lock. Within a caller's transaction that is up to it."""

    @wraps(service)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        if connection.in_atomic_block:
            return service(*args, **kwargs)
        return _patiently(partial(service, *args, **kwargs))

    return tried


def _patiently(work: Callable[[], T]) -> T:
    for number in range(TRIES):
        try:
            return work()
        except OperationalError as error:
            if number == TRIES - 1 or not is_lock_trouble(error):
                raise
            log.warning("transaction_retried", error=str(error))
            time.sleep(random.uniform(0.005, 0.03) * (number + 1))  # noqa: S311
    raise AssertionError("unreachable")


def is_lock_trouble(error: OperationalError) -> bool:
    """Tell whether a transaction failed only because another held its rows (SQLSTATE 40001, 40P01; SQLite: locked)."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state in {"40001", "40P01"} or "database is locked" in str(error)


def is_database_full(error: OperationalError) -> bool:
    """Tell whether the database had no room for the change (SQLSTATE 53100; SQLite: full)."""
    return getattr(error.__cause__, "sqlstate", None) == "53100" or "disk is full" in str(error)


@lru_cache(maxsize=1)
def host_id() -> str:
    """Return a name for this machine as booted: a pid means something only together with it."""
    name = (settings.PLANS_HOST_NAME or socket.gethostname()).replace(":", "_")[:60]
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        boot = "0"
    return f"{name}-{boot}"


def process_started(pid: int) -> str | None:
    """Return when process `pid` started (clock ticks since boot), None when it is gone or a zombie. Source: proc(5)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in {"Z", "X"} else fields[19]


def worker_id() -> str:
    """Return the name this process claims under: host, pid and start time, so that a re-used pid is told apart."""
    return f"{host_id()}:{os.getpid()}:{process_started(os.getpid()) or 0}"


def is_gone(worker: str) -> bool:
    """Tell whether `worker` was a process of this machine that has ended. False when that cannot be known."""
    host, _, rest = worker.rpartition(":")
    host, _, pid = host.rpartition(":")
    return host == host_id() and pid.isdigit() and process_started(int(pid)) != rest


__all__ = [
    "DATABASE_AWAY",
    "claim_where",
    "committing",
    "hot_cursor",
    "is_database_full",
    "is_gone",
    "is_sqlite",
    "later_sql",
    "now_sql",
    "patient",
    "transact",
    "worker_id",
]
