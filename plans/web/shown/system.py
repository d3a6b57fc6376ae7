"""What the System page lists: hosts, what runs where, and who holds which pool."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from plans.core.states import TaskState
from plans.engine import hosts
from plans.models import Host, Pool, Task
from plans.web.shown.run import length

MOST_TASKS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningShown:
    task: Task
    worker: str
    seconds: str
    lease_seconds: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolShown:
    name: str
    used: int
    slots: int
    holders: list[Task]


def system_shown(now: datetime) -> dict[str, Any]:
    """Return the lists of the page with a fixed number of queries."""
    running = list(
        Task.objects.filter(state=TaskState.RUNNING).select_related("run").order_by("started_at")[: MOST_TASKS + 1]
    )
    alive = {host.pk for host in hosts.alive()}
    counts = Task.objects.aggregate(
        ready=Count("pk", filter=Q(state=TaskState.READY, held=False)),
        waiting=Count("pk", filter=Q(state=TaskState.WAITING)),
        running=Count("pk", filter=Q(state=TaskState.RUNNING)),
    )
    return {
        "hosts": [(host, host.pk in alive) for host in Host.objects.all()],
        "running": [_running(task, now) for task in running[:MOST_TASKS]],
        "more_running": len(running) > MOST_TASKS,
        "pools": _pools(),
        "counts": counts,
    }


def _running(task: Task, now: datetime) -> RunningShown:
    left = round((task.lease_expires_at - now).total_seconds()) if task.lease_expires_at else None
    return RunningShown(
        task=task, worker=task.claimed_by, seconds=length(task.started_at, None, now), lease_seconds=left
    )


def _pools() -> list[PoolShown]:
    held: dict[str, list[Task]] = {}
    for task in Task.objects.filter(state=TaskState.RUNNING).exclude(pool="").select_related("run"):
        held.setdefault(task.pool, []).append(task)
    return [
        PoolShown(
            name=pool.name,
            used=sum(task.weight for task in held.get(pool.name, [])),
            slots=pool.slots,
            holders=held.get(pool.name, []),
        )
        for pool in Pool.objects.all()
    ]
