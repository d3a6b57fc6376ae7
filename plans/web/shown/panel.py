"""The panel of one task: what it does, with what, what came out, every try with its log, what it hangs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.http import QueryDict

from plans import queries
from plans.engine import ledger, reopening
from plans.models import Attempt, ModelCall, Request, Task
from plans.web.shown.costs import spent_text, tokens_text
from plans.web.shown.failures import Way, ways_of_failed
from plans.web.shown.items import ItemsShown, items_shown
from plans.web.shown.logs import LogShown, log_shown
from plans.web.shown.previews import OutputShown, outputs_shown
from plans.web.shown.run import length, said
from plans.web.shown.states import RISKS, Shown, attempt_state, task_state
from plans.web.shown.values import Named, named_all

PANEL_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptShown:
    number: int
    state: Shown
    worker: str
    started_at: datetime
    ended_at: datetime | None
    seconds: str
    error: str
    params: list[Named]
    has_log: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPanel:
    """Everything about one task; `log` is the end of the newest attempt's that has one."""

    task: Task
    state: Shown
    milestone: str
    risk: str
    description: str
    expected: str
    undo: str
    error: str
    upstream: list[tuple[Task, Shown]]
    downstream: list[tuple[Task, Shown]]
    attempts: list[AttemptShown]
    inputs: list[Named]
    inputs_are_rendered: bool
    outputs: list[OutputShown]
    decided: list[Request]
    run_if: str
    for_each: str
    items: ItemsShown | None
    group_name: str
    log: LogShown | None
    log_attempt: int
    calls: int
    cost: str
    tokens: str
    ways: list[Way]

    @property
    def item_number(self) -> int:
        """Return which item it is, counted from one as people do."""
        return (self.task.item_index or 0) + 1


def task_panel(task: Task, requests: Sequence[Request], query: QueryDict, now: datetime) -> TaskPanel:
    """Return the panel; `query` says which of a fan-out's items are looked at."""
    items = items_shown(task, query, requests, now)
    detail = queries.task_detail(task)
    kinds = {request.task_id: request.kind for request in requests if request.task_id}
    spec = task.spec
    own = Q(task=task) | Q(task__run=task.run_id, task__group=task.key) if task.item_count else Q(task=task)
    spent = ledger.total(ModelCall.objects.filter(own))
    tried = next((attempt for attempt in reversed(detail.attempts) if attempt.params is not None), None)
    logged = next((attempt for attempt in reversed(detail.attempts) if attempt.log), None)
    return TaskPanel(
        task=task,
        state=task_state(task, kinds.get(task.pk)),
        milestone=queries.task_name(task.run_id, task.milestone_key),
        risk=str(RISKS.get(spec.get("risk") or "", "")),
        description=spec.get("description", ""),
        expected=spec.get("expected_output", ""),
        undo=str(spec.get("undo") or ""),
        error=said(task.error),
        upstream=[(other, task_state(other, kinds.get(other.pk))) for other in detail.upstream],
        downstream=[(other, task_state(other, kinds.get(other.pk))) for other in detail.downstream],
        attempts=[attempt_shown(attempt, now) for attempt in detail.attempts],
        inputs=named_all(tried.params if tried else spec.get("params")),
        inputs_are_rendered=tried is not None,
        outputs=outputs_shown(task.outputs, detail.artifacts),
        decided=detail.decided,
        run_if=spec.get("run_if") or "",
        for_each=spec.get("for_each") or "",
        items=items,
        group_name=queries.task_name(task.run_id, task.group),
        log=log_shown(logged.log, size=PANEL_LINES) if logged else None,
        log_attempt=logged.number if logged else 0,
        calls=spent.calls,
        cost=spent_text(spent),
        tokens=tokens_text(spent.tokens + spent.running_tokens),
        ways=ways_of_failed(task) if reopening.may_reopen(task) else [],
    )


def attempt_shown(attempt: Attempt, now: datetime) -> AttemptShown:
    return AttemptShown(
        number=attempt.number,
        state=attempt_state(attempt),
        worker=attempt.worker,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        seconds=length(attempt.started_at, attempt.ended_at, now),
        error=said(attempt.error),
        params=named_all(attempt.params),
        has_log=bool(attempt.log),
    )
