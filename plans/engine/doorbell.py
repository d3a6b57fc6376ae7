"""Ring the workers through django-q2. A message only says "look": losing or doubling one changes latency, nothing else."""

from __future__ import annotations

import math
import os
import time
from functools import partial
from typing import Any

import redis
import structlog
from django.conf import settings
from django.db import connection, transaction
from django_q.brokers import get_broker
from django_q.tasks import async_task

log = structlog.get_logger("plans.engine")

DRAIN = "plans.tasks.drain"
BURST_SECONDS = 0.05

_broker: dict[int, Any] = {}
_last_burst = 0.0


def _own_broker() -> Any:
    # One broker per process: async_task would build a new one for every message, and a forked one must not be shared.
    pid = os.getpid()
    if pid not in _broker:
        _broker.clear()
        _broker[pid] = get_broker()
    return _broker[pid]


def _send(run_id: int, count: int) -> None:
    for _ in range(count):
        # timeout=-1: the engine owns per-task time limits; save=False: no result rows.
        async_task(DRAIN, run_id, broker=_own_broker(), save=False, timeout=-1, ack_failure=True)


def ring(run_id: int, count: int = 1) -> None:
    """Ring `count` workers. On the ORM broker the message is part of the caller's transaction: an exact outbox."""
    if count <= 0:
        return
    if settings.Q_CLUSTER.get("orm"):
        _send(run_id, count)
    else:
        transaction.on_commit(partial(_send_if_possible, run_id, count), using=connection.alias)


def _send_if_possible(run_id: int, count: int) -> None:
    """Ring through Redis. What was committed stays so when Redis does not answer: the sweep rings again."""
    try:
        _send(run_id, count)
    except redis.RedisError as error:
        log.error("doorbell_lost", error=str(error))


def burst_is_due() -> bool:
    return time.monotonic() - _last_burst >= BURST_SECONDS


def ring_others(run_id: int, left_unclaimed: int) -> int:
    """Ring other workers for what this one leaves: at most one burst per process and 50 ms. Return how many were rung."""
    global _last_burst
    count = min(settings.PLANS_WORKERS - 1, math.ceil(left_unclaimed / settings.PLANS_SLOTS_PER_WORKER))
    if count <= 0 or not burst_is_due():
        return 0
    _last_burst = time.monotonic()
    ring(run_id, count)
    return count


def waiting() -> int:
    """Return how many doorbells nobody has answered yet, 0 when the broker does not answer."""
    try:
        return int(_own_broker().queue_size())
    except redis.RedisError as error:
        log.error("broker_does_not_answer", error=str(error))
        return 0


def problem() -> str:
    """Return what keeps the broker from answering, empty when it answers."""
    try:
        _own_broker().ping()
    except redis.RedisError as error:
        return type(error).__name__
    return ""


def workers() -> int:
    """Return how many worker processes this host runs."""
    return int(settings.PLANS_WORKERS)
