"""Why is it not moving: everything that holds a run up, read from the rows, most telling first.

One function for the run page, `manage.py explain` and System; `plans.wording` makes the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet, Sum

from plans.core.states import (
    TASK_TERMINAL,
    RequestState,
    RunState,
    TaskKind,
    TaskState,
)
from plans.engine import limits
from plans.engine.limits import Waiting
from plans.models import Attempt, Event, Hold, Pool, Request, Run, Task

MOST = 5
"""How many steps of one kind of reason are named; the rest is counted."""
QUIET = timedelta(seconds=10)
"""A run that has said nothing for so long is asked why."""
UNCLAIMED = timedelta(seconds=15)
"""Ready work that waits longer, with slots free everywhere, is a worker's fault and no queue."""
LIMIT_REASONS = frozenset({"why_skill_full", "why_rate_full", "why_run_full", "why_items_full", "why_money_full"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One sentence's code and params; times are aware datetimes, `seconds` are whole."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    task_key: str = ""


def is_quiet(run: Run, now: datetime) -> bool:
    """Tell whether `run` should move and has not for a while."""
    if run.is_terminal:
        return False
    last = Event.objects.filter(run=run).order_by("-seq").values_list("at", flat=True).first()
    return last is None or now - last >= QUIET


def explain(run: Run, now: datetime) -> list[Reason]:
    """Return why `run` stands where it stands, never an empty list."""
    found = list(_of_run(run, now))
    if not run.is_terminal:
        found += [*_requests(run), *_running(run, now), *_timed(run), *_ready(run, now)]
    return found or [_nothing(run)]


def _nothing(run: Run) -> Reason:
    keys = list(Task.objects.filter(run=run).exclude(state__in=TASK_TERMINAL).values_list("key", flat=True)[:MOST])
    return Reason(code="why_stuck", params={"tasks": ", ".join(keys)})


def _of_run(run: Run, now: datetime) -> Iterator[Reason]:
    if run.is_terminal:
        yield Reason(code="why_ended", params={"state": run.state, "at": run.ended_at})
        return
    if run.cancel_requested_at:
        yield Reason(code="why_cancelling", params={"at": run.cancel_requested_at})
    elif run.pause_requested_at:
        code = "why_paused" if run.state == RunState.PAUSED else "why_pausing"
        yield Reason(code=code, params={"at": run.pause_requested_at})
    if hold := Hold.objects.select_related("by").first():
        by = hold.by.get_username() if hold.by else ""
        yield Reason(code="why_held", params={"at": hold.at, "by": by, "reason": hold.reason})


def _requests(run: Run) -> Iterator[Reason]:
    rows = Request.objects.filter(run=run, state=RequestState.OPEN).select_related("task").order_by("pk")
    for request in rows[:MOST]:
        params = {
            "task": str(request.task) if request.task else "",
            "kind": request.kind,
            "since": request.created_at,
            "deadline": request.deadline_at,
            "default": request.default,
        }
        key = request.task.key if request.task else ""
        yield Reason(code="why_request", params=params, task_key=key)
    yield from _more(rows.count())


def _running(run: Run, now: datetime) -> Iterator[Reason]:
    rows = Task.objects.filter(run=run, state=TaskState.RUNNING).order_by("pk")
    since = dict(Attempt.objects.filter(task__in=rows, number=F("task__attempt")).values_list("task_id", "started_at"))
    for task in rows[:MOST]:
        renewed = (
            task.lease_expires_at - timedelta(seconds=settings.PLANS_LEASE_SECONDS) if task.lease_expires_at else now
        )
        params = {
            "task": str(task),
            "worker": task.claimed_by,
            "since": since.get(task.pk, task.started_at),
            "seconds": max(0, round((now - renewed).total_seconds())),
        }
        yield Reason(code="why_running", params=params, task_key=task.key)
    yield from _more(rows.count())


def _timed(run: Run) -> Iterator[Reason]:
    rows = Task.objects.filter(
        run=run, state__in=[TaskState.WAITING, TaskState.RETRYING], ready_at__isnull=False
    ).order_by("ready_at")
    for task in rows[:MOST]:
        code = "why_retrying" if task.state == TaskState.RETRYING else "why_waits_until"
        yield Reason(code=code, params={"task": str(task), "at": task.ready_at}, task_key=task.key)
    yield from _more(rows.count())


def _ready(run: Run, now: datetime) -> Iterator[Reason]:
    if run.pause_requested_at or run.cancel_requested_at or Hold.objects.exists():
        return
    rows = Task.objects.filter(run=run, state=TaskState.READY).order_by("pk")
    full = {name: reason for name in rows.exclude(pool="").values_list("pool", flat=True).distinct()
            if (reason := _pool(name))}  # fmt: skip
    named = 0
    for task in rows.exclude(pool="")[: MOST * 4]:
        if task.pool in full and named < MOST:
            named += 1
            yield Reason(code="why_pool_full", params={"task": str(task), **full[task.pool]}, task_key=task.key)
    held = _limited(rows.filter(limited=True).exclude(pool__in=full))
    yield from list(held.values())[:MOST]
    rest = rows.exclude(pool__in=full).exclude(pk__in=held)
    first = rest.first()
    if first is not None:
        claims = _claims(now)
        yield Reason(
            code=_unclaimed(claims), params={"task": str(first), "count": rest.count(), **claims}, task_key=first.key
        )


def _limited(rows: QuerySet[Task]) -> dict[int, Reason]:
    """Return why limits other than pools hold rows back, by row id; as many as a page could name."""
    waiting = {task: Waiting.of(task) for task in rows[: MOST * 4]}
    counted = limits.usage(waiting.values())
    found: dict[int, Reason] = {}
    for task, row in waiting.items():
        full = [key for key in counted.full(row) if f"why_{key[0]}_full" in LIMIT_REASONS]
        if full:
            kind = full[0][0]
            params = {"task": str(task), "skill": task.skill, "limit": counted.limits[full[0]]}
            found[task.pk] = Reason(code=f"why_{kind}_full", params=params, task_key=task.key)
    return found


def _pool(name: str) -> dict[str, Any] | None:
    """Return who holds a pool that is full; None when it has room."""
    pool = Pool.objects.filter(name=name).first()
    if pool is None:
        return None
    holders = Task.objects.filter(state=TaskState.RUNNING, pool=name).select_related("run").order_by("started_at")
    used = holders.aggregate(used=Sum("weight"))["used"] or 0
    if used < pool.slots:
        return None
    holder = holders.first()
    return {
        "pool": name,
        "used": used,
        "slots": pool.slots,
        "holder": f"{str(holder.run.uuid)[:8]} / {holder.key}" if holder else "",
        "worker": holder.claimed_by if holder else "",
        "since": holder.started_at if holder else None,
    }


def _claims(now: datetime) -> dict[str, Any]:
    """Return how long ago any worker last claimed a task, in whole seconds (None: never), and how many steps run."""
    last = Attempt.objects.order_by("-pk").values_list("started_at", flat=True).first()
    running = Task.objects.filter(state=TaskState.RUNNING).exclude(kind=TaskKind.MILESTONE).count()
    return {"seconds": round((now - last).total_seconds()) if last else None, "running": running}


def _unclaimed(found: Mapping[str, Any]) -> str:
    if found["running"] == 0 and (found["seconds"] is None or found["seconds"] >= UNCLAIMED.total_seconds()):
        return "why_no_worker"
    return "why_no_slot" if found["running"] else "why_ready"


def _more(count: int) -> Iterator[Reason]:
    if count > MOST:
        yield Reason(code="why_more", params={"count": count - MOST})
