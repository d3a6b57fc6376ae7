"""Events as the engine writes them: in a transaction, numbered last, with the rows they speak of."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from plans import events
from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.events import Line
from plans.models import Run, Task


def burst(run: Run, count: int, *, per_commit: int = 10, key: str = "a") -> None:
    """Commit `count` events of one task."""
    for first in range(0, count, per_commit):
        lines = [
            Line(kind=EventKind.TASK_CHECKPOINT, task_key=key, attempt=1) for _ in range(min(per_commit, count - first))
        ]
        with transaction.atomic():
            events.append(run.pk, lines)


def move(run: Run, key: str, state: TaskState, kind: EventKind) -> None:
    """Move one task with its event."""
    with transaction.atomic():
        columns = {"lease_expires_at": None, "claimed_by": ""}
        if state == TaskState.RUNNING:
            columns = {"lease_expires_at": timezone.now(), "claimed_by": "w"}
        Task.objects.filter(run=run, key=key).update(state=state, attempt=F("attempt"), **columns)
        events.append(run.pk, [Line(kind=kind, task_key=key, attempt=1)])


def path(run: Run) -> str:
    return f"/ws/runs/{run.uuid}/"


def seq_of(run: Run) -> int:
    return Run.objects.values_list("seq", flat=True).get(pk=run.pk)
