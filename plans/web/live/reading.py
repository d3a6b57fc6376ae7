"""Read what has happened to runs from the database: a fixed number of queries, however many runs and tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q
from django.utils import translation

from plans.core.kinds import EventKind
from plans.core.states import RequestState, TaskKind
from plans.items import SEEN_STATE, Group, ItemCounts, of_tasks
from plans.models import Event, Request, Run, Task
from plans.web.live.parts import EVENTS_PER_FRAME, OpenRequest, Part, Waiting
from plans.web.live.values import event_json, open_request, request_json, run_json, task_json

# After these, rows may have changed that no event names one by one.
WHOLE = {EventKind.PLAN_DRAFTED, EventKind.PLAN_APPROVED, EventKind.RUN_STARTED, EventKind.RUN_REOPENED}
RUNS_AT_ONCE = 100
EVENTS_AT_ONCE = 1000
LAST_EVENTS = 20
RUN_FIELDS = (
    "seq", "state", "left", "failed_count", "has_gaps", "error", "owner_id", "revision__number",
    "cancel_requested_at", "pause_requested_at", "started_at", "ended_at",
)  # fmt: skip
TASK_FIELDS = (
    "run_id", "key", "name", "kind", "state", "reason", "attempt", "ready_at", "started_at", "ended_at", "error",
    "group", "item_count",
)  # fmt: skip
# Items named one by one; of more, only the fan-out they belong to is told.
ITEMS_AT_ONCE = 20


@dataclass(slots=True, kw_only=True)
class Rows:
    """Rows of several runs, by run."""

    runs: dict[int, Run]
    events: dict[int, list[Event]]
    tasks: dict[int, list[Task]] = field(default_factory=lambda: defaultdict(list))
    counts: dict[int, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    open: dict[int, list[tuple[Request, frozenset[int]]]] = field(default_factory=lambda: defaultdict(list))
    changed: dict[int, list[Request]] = field(default_factory=lambda: defaultdict(list))
    items: dict[Group, ItemCounts] = field(default_factory=dict)


def changes(seen: Mapping[int, int], languages: Mapping[int, Collection[str]]) -> dict[int, dict[str, Part]]:
    """Return what is new after `seen` (run → seq), per run and language; runs with nothing new are left out.

    The run row is read first and bounds the events, everything else later: what a part says is never older than its last event.
    """
    moved = [run for run in _runs(seen) if run.seq > seen[run.pk]][:RUNS_AT_ONCE]
    if not moved:
        return {}
    wanted = Q()
    for run in moved:
        wanted |= Q(run=run, seq__gt=seen[run.pk], seq__lte=run.seq)
    events: dict[int, list[Event]] = defaultdict(list)
    for event in Event.objects.filter(wanted).select_related("actor").order_by("run_id", "seq")[:EVENTS_AT_ONCE]:
        events[event.run_id].append(event)
    rows = Rows(runs={run.pk: run for run in moved if run.pk in events}, events=events)
    _load(rows)
    return {run_id: _parts(rows, run_id, seen[run_id], languages.get(run_id, ())) for run_id in rows.runs}


def catch_up(run_id: int, seq: int | None, language: str) -> Part | None:
    """Return the events after `seq`, or a snapshot when that is unknown or too far back; None when the run is gone.

    With nothing new the part has no events and `to == seq`.
    """
    run = next(iter(_runs([run_id])), None)
    if run is None:
        return None
    is_snapshot = seq is None or not 0 <= run.seq - seq <= EVENTS_PER_FRAME
    since = max(run.seq - LAST_EVENTS, 0) if seq is None or is_snapshot else seq
    query = Event.objects.filter(run=run, seq__gt=since, seq__lte=run.seq).select_related("actor")
    rows = Rows(runs={run_id: run}, events={run_id: list(query.order_by("seq"))})
    _load(rows, whole=[run_id] if is_snapshot else [])
    part = _parts(rows, run_id, since, [language])[language]
    part.to, part.is_snapshot = run.seq, is_snapshot
    return part


def waiting() -> Waiting:
    """Return the counts of all open requests by who may decide them."""
    rows = Request.objects.filter(state=RequestState.OPEN)
    through = Request.assignees.through.objects.filter(request__state=RequestState.OPEN)
    others = through.exclude(user_id=F("request__run__owner_id"))
    owned = rows.order_by().values_list("run__owner_id", "kind").annotate(n=Count("id"))
    by_owner = {(owner_id, kind): n for owner_id, kind, n in owned}
    total: dict[str, int] = {}
    for (_owner, kind), n in by_owner.items():
        total[kind] = total.get(kind, 0) + n
    assigned = others.values_list("user_id", "request__kind").annotate(n=Count("id"))
    return Waiting(total=total, by_owner=by_owner, by_assignee={(user_id, kind): n for user_id, kind, n in assigned})


def _runs(ids: Iterable[int]) -> Iterable[Run]:
    return Run.objects.filter(pk__in=list(ids)).select_related("revision").only(*RUN_FIELDS).order_by("pk")


def _load(rows: Rows, whole: Collection[int] = ()) -> None:
    """Read the tasks the events name (all of them for `whole` runs), counts by state and requests."""
    touched = Q()
    for run_id, events in rows.events.items():
        keys = _keys(events)
        is_whole = run_id in whole or keys is None
        touched |= Q(run_id=run_id, group="") if is_whole else Q(run_id=run_id, key__in=keys or ())
    if touched:
        for task in Task.objects.filter(touched).only(*TASK_FIELDS).order_by("position", "id"):
            rows.tasks[task.run_id].append(task)
    _load_items(rows)
    ids = list(rows.runs)
    steps = Task.objects.filter(run__in=ids, kind=TaskKind.STEP, group="").order_by()
    for run_id, state, n in steps.values_list("run_id", SEEN_STATE).annotate(n=Count("id")):
        rows.counts[run_id][state] = n
    _load_requests(rows, ids)


def _load_items(rows: Rows) -> None:
    """Read the fan-outs whose items the events name; leave out the items themselves where they are many."""
    for run_id, tasks in rows.tasks.items():
        touched = [task for task in tasks if task.group]
        if not touched and not any(task.item_count for task in tasks):
            continue
        known = {task.key for task in tasks}
        missing = {task.group for task in touched} - known
        if len(touched) > ITEMS_AT_ONCE:
            tasks = [task for task in tasks if not task.group]
        tasks = [*tasks, *Task.objects.filter(run=run_id, key__in=missing).only(*TASK_FIELDS)]
        rows.tasks[run_id] = tasks
        rows.items |= {(run_id, key): found for key, found in of_tasks(tasks).items()}


def _load_requests(rows: Rows, ids: Sequence[int]) -> None:
    named = {uuid for events in rows.events.values() for event in events if (uuid := (event.data or {}).get("request"))}
    wanted = Q(run__in=ids, state=RequestState.OPEN) | Q(run__in=ids, uuid__in=named)
    found = Request.objects.filter(wanted).select_related("task", "decided_by")
    fields = ("uuid", "run_id", "kind", "state", "decision", "task__key", "task__name", "decided_by__username")
    for request in found.prefetch_related("assignees").only(*fields).order_by("id"):
        if request.state == RequestState.OPEN:
            who = frozenset(user.pk for user in request.assignees.all())
            rows.open[request.run_id].append((request, who))
        if str(request.uuid) in named:
            rows.changed[request.run_id].append(request)


def _keys(events: Sequence[Event]) -> set[str] | None:
    """Return the tasks that events name, or None when they may mean any task."""
    keys: set[str] = set()
    for event in events:
        if event.kind in WHOLE:
            return None
        data: dict[str, Any] = event.data or {}
        keys.update([event.task_key] if event.task_key else [], data.get("keys", []))
    return keys


def _parts(rows: Rows, run_id: int, since: int, languages: Collection[str]) -> dict[str, Part]:
    return {language: _part(rows, run_id, since, language) for language in languages}


def _part(rows: Rows, run_id: int, since: int, language: str) -> Part:
    """Put rows into words."""
    run, events, tasks = rows.runs[run_id], rows.events[run_id], rows.tasks[run_id]
    kinds = {request.task_id: request.kind for request, _ in rows.open[run_id] if request.task_id}
    names = {task.key: str(task) for task in tasks}
    with translation.override(language):
        open_requests: list[OpenRequest] = [open_request(request, who) for request, who in rows.open[run_id]]
        return Part(
            since=since,
            to=events[-1].seq if events else since,
            run=run_json(run, rows.counts[run_id], open_requests[0].kind if open_requests else None),
            events=[event_json(event, names) for event in events],
            tasks={
                task.key: task_json(task, kinds.get(task.pk), rows.items.get((run_id, task.key)))
                for task in tasks
                if task.kind != TaskKind.PLANNING
            },
            open=open_requests,
            changed={str(request.uuid): request_json(request) for request in rows.changed[run_id]},
        )
