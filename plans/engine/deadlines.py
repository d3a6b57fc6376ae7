"""Requests past their deadline take their visible default."""

from __future__ import annotations

from functools import partial

import structlog
from django.db.models.functions import Now

from plans.core.kinds import EventKind
from plans.core.states import RequestKind, RequestState, SkipReason, TaskState
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.settle import Changes, locked
from plans.engine.sql import transact
from plans.models import Request

log = structlog.get_logger("plans.engine")


def expire_requests(limit: int) -> int:
    """Settle open requests whose deadline has passed; return how many."""
    late = Request.objects.filter(state=RequestState.OPEN, deadline_at__lte=Now()).values_list("pk", flat=True)
    count = 0
    for pk in late[:limit]:
        try:
            count += transact(partial(_expire, pk), Boundary.EXPIRE)
        except Exception:
            # One broken row must not keep the others waiting.
            log.exception("expire_failed", request=pk)
    return count


def _expire(pk: int) -> int:
    request = Request.objects.select_related("task").get(pk=pk)
    task = locked([request.task_id])[0] if request.task_id else None
    columns = {"answer": request.default} if request.kind == RequestKind.QUESTION else {}
    moved = Request.objects.filter(pk=pk, state=RequestState.OPEN).update(
        state=RequestState.EXPIRED, decided_at=Now(), **columns
    )
    if not moved:
        return 0
    changes = Changes(request.run_id)
    changes.say(EventKind.REQUEST_EXPIRED, task, request=str(request.uuid), default=request.default)
    if task is not None and task.state == TaskState.WAITING:
        if request.kind == RequestKind.QUESTION and request.default is not None:
            if changes.move(task, TaskState.READY, ready_at=None):
                changes.readied.append(task.key)
                doorbell.ring(request.run_id)
        else:
            # No default to go on with: nobody said yes.
            changes.skip(task, SkipReason.PERSON, why="deadline")
    changes.flush()
    return 1
