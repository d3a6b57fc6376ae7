"""Reads for pages, commands and the engine's callers. Nothing here writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, Q, QuerySet, Sum

from plans.core.catalogue import SkillSettings
from plans.core.kinds import Approval, EventKind
from plans.core.states import TASK_TERMINAL, RequestKind, RequestState, SkipReason, TaskKind, TaskState
from plans.items import ItemCounts, of_tasks
from plans.models import (
    Artifact,
    Attempt,
    Dependency,
    Event,
    ModelCall,
    PlaybookRow,
    Request,
    Revision,
    Run,
    SkillRow,
    Task,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

LINE_FIELDS = (
    "run_id", "key", "name", "kind", "milestone_key", "state", "reason", "attempt", "ready_at", "started_at", "ended_at",
    "error", "item_count",
)  # fmt: skip
GAP_REASONS = [SkipReason.ON_FAILURE.value, SkipReason.PERSON.value, SkipReason.UPSTREAM.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of rows, newest first; `older` is the key to ask for the next one with."""

    rows: Sequence[Any]
    older: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """A task as lists show it; `open_kind` is the kind of its open request, `items` are those of a fan-out."""

    task: Task
    open_kind: str | None
    items: ItemCounts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDetail:
    task: Task
    attempts: list[Attempt]
    artifacts: dict[str, Artifact]
    upstream: list[Task]
    downstream: list[Task]
    decided: list[Request] = field(default_factory=list)


def disabled_playbooks() -> set[str]:
    """Return the names of playbooks an operator has switched off."""
    return set(PlaybookRow.objects.filter(enabled=False).values_list("name", flat=True))


def skill_settings() -> dict[str, SkillSettings]:
    """Return what operators set, by skill name."""
    return {
        row.name: SkillSettings(
            enabled=row.enabled,
            approval=Approval(row.approval),
            timeout_seconds=row.timeout_seconds,
            retries=row.retries,
            concurrency=row.concurrency,
            calls_per_minute=row.calls_per_minute,
            fallback=row.fallback,
        )
        for row in SkillRow.objects.all()
    }


def events_page(run: Run, before: int | None = None, limit: int = 100, kinds: Q | None = None) -> Page:
    # How far a planner is is for whoever watches; afterwards it tells nobody anything.
    rows = Event.objects.filter(run=run).exclude(kind=EventKind.PLANNING_PROGRESS).select_related("actor")
    if kinds is not None:
        rows = rows.filter(kinds)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    return _page(list(rows.order_by("-seq")[: limit + 1]), limit, "seq")


def _page(rows: list[Any], limit: int, key: str) -> Page:
    return Page(rows=rows[:limit], older=getattr(rows[limit - 1], key) if len(rows) > limit else None)


def open_requests(user: User | AnonymousUser) -> QuerySet[Request]:
    """Return the open requests of the runs `user` may see, oldest first."""
    visible = Run.objects.for_user(user).order_by().values("pk")
    return Request.objects.filter(run__in=visible, state=RequestState.OPEN).select_related("run", "task").order_by("id")


def run_requests(run: Run) -> list[Request]:
    """Return the open requests of `run`, oldest first."""
    return list(Request.objects.filter(run=run, state=RequestState.OPEN).select_related("run", "task").order_by("id"))


def settled_requests(run: Run, since: datetime) -> list[Request]:
    """Return the requests of `run` a person decided after `since`, newest first."""
    decided = Request.objects.filter(run=run, decided_at__gt=since, decided_by__isnull=False)
    return list(decided.select_related("run", "task", "decided_by").order_by("-decided_at"))


def open_failure(task: Task) -> Request | None:
    """Return the open question what to do about a failed task."""
    rows = Request.objects.filter(task=task, kind=RequestKind.FAILURE, state=RequestState.OPEN)
    return rows.select_related("run__owner", "task").first()


def waiting_after(tasks: Sequence[int]) -> dict[int, int]:
    """Return, for each of these tasks, how many steps wait for it directly or are left out because of it."""
    if not tasks:
        return {}
    below = Dependency.objects.filter(upstream__in=tasks, downstream__kind=TaskKind.STEP)
    ended = Q(downstream__state__in=TASK_TERMINAL) & ~Q(downstream__reason=SkipReason.UPSTREAM)
    counted = below.exclude(ended).order_by().values_list("upstream_id").annotate(Count("pk"))
    return dict(counted)


def approval_by_digest(request: Request, digest: str) -> Request | None:
    """Return the approval of the same task that showed what `digest` stands for."""
    same = Request.objects.filter(task=request.task_id, kind=RequestKind.TASK_APPROVAL, digest=digest)
    return same.order_by("-id").first()


def newer_approval(request: Request) -> Request | None:
    """Return the open approval that has taken the place of `request`, because its effect has changed."""
    rows = Request.objects.filter(task=request.task_id, kind=RequestKind.TASK_APPROVAL, state=RequestState.OPEN)
    return rows.filter(pk__gt=request.pk).select_related("run", "task").order_by("-id").first()


def revision_by_hash(run: Run, graph_hash: str) -> Revision | None:
    """Return the newest revision of `run` with this graph."""
    return Revision.objects.filter(run=run, graph_hash=graph_hash).order_by("-number").first()


def revisions(run: Run) -> list[Revision]:
    """Return every revision of `run`, newest first, with its author."""
    return list(Revision.objects.filter(run=run).select_related("author").order_by("-number"))


def revision_numbered(run: Run, number: int) -> Revision | None:
    return Revision.objects.filter(run=run, number=number).first()


def ended_steps(run: Run) -> list[tuple[str, datetime, datetime]]:
    """Return key, start and end of every step of `run` that has run to an end."""
    steps = Task.objects.filter(run=run, kind=TaskKind.STEP, group="")
    rows = steps.order_by("pk").only("key", "started_at", "ended_at")
    return [(row.key, row.started_at, row.ended_at) for row in rows if row.started_at and row.ended_at]


def usd_by_task(run: Run) -> dict[str, Decimal]:
    """Return what the model calls of each step cost, by key, over all its attempts; calls without a price are left out."""
    rows = ModelCall.objects.filter(run=run, task__kind=TaskKind.STEP, usd__isnull=False)
    costs: dict[str, Decimal] = {}
    # what the items of a fan-out cost is its own cost
    for key, group, usd in rows.order_by().values_list("task__key", "task__group").annotate(Sum("usd")):
        costs[group or key] = costs.get(group or key, Decimal(0)) + usd
    return costs


def newest_planning(run: Run) -> Task | None:
    """Return the planning task that was queued last."""
    return Task.objects.filter(run=run, kind=TaskKind.PLANNING).order_by("-pk").first()


def planning_progress(run: Run, key: str) -> Event | None:
    """Return what planning task `key` said last of how far it is."""
    return Event.objects.filter(run=run, kind=EventKind.PLANNING_PROGRESS, task_key=key).order_by("-seq").first()


def model_calls(run: Run) -> QuerySet[ModelCall]:
    """Return the model calls of `run`, newest first, without their texts."""
    rows = ModelCall.objects.filter(run=run).defer("request_text", "reply_text").select_related("task")
    return rows.order_by("-pk")


def task_lines(run: Run, requests: Sequence[Request]) -> list[TaskLine]:
    """Return the steps and milestones of `run` in plan order, with the columns a list shows."""
    kinds = {request.task_id: request.kind for request in requests if request.task_id}
    rows = Task.objects.filter(run=run, group="").exclude(kind=TaskKind.PLANNING).only(*LINE_FIELDS)
    tasks = list(rows.order_by("position", "id"))
    counted = of_tasks(tasks)
    return [TaskLine(task=task, open_kind=kinds.get(task.pk), items=counted.get(task.key)) for task in tasks]


def task_name(run_id: int, key: str) -> str:
    """Return the name of one row of a run; empty when there is none."""
    found = Task.objects.filter(run=run_id, key=key).values_list("name", flat=True).first() if key else ""
    return key if found == "" else found or ""


def task_names(run: Run) -> dict[str, str]:
    """Return the name of every row of `run` by its key, for history."""
    return {key: name or key for key, name in Task.objects.filter(run=run).values_list("key", "name")}


def progress(lines: Sequence[TaskLine]) -> Counter[str]:
    """Return how many steps are in each state."""
    return Counter(line.task.state for line in lines if line.task.kind == TaskKind.STEP)


def task_detail(task: Task) -> TaskDetail:
    """Return everything the panel of one task shows."""
    # A fan-out may have thousands of items, which are shown by themselves.
    wanted = Q(upstream=task) | Q(downstream=task, upstream__group="")
    edges = Dependency.objects.filter(wanted).select_related("upstream", "downstream")
    pairs = list(edges.order_by("upstream__position", "downstream__position"))
    return TaskDetail(
        task=task,
        attempts=list(Attempt.objects.filter(task=task).order_by("number")),
        artifacts={row.name: row for row in latest_artifacts([task])},
        upstream=[edge.upstream for edge in pairs if edge.downstream_id == task.pk],
        downstream=[edge.downstream for edge in pairs if edge.upstream_id == task.pk],
        decided=list(
            Request.objects.filter(task=task)
            .exclude(state=RequestState.OPEN)
            .select_related("decided_by")
            .order_by("id")
        ),
    )


def latest_artifacts(tasks: Sequence[Task]) -> list[Artifact]:
    """Return the artifacts of the last attempt that made any, of each task."""
    rows = Artifact.objects.filter(task__in=tasks).select_related("blob", "task").order_by("task_id", "id")
    newest = dict(Artifact.objects.filter(task__in=tasks).order_by().values_list("task_id").annotate(Max("attempt")))
    return [row for row in rows if row.attempt == newest[row.task_id]]


def gaps(lines: Sequence[TaskLine]) -> list[TaskLine]:
    """Return the steps that were skipped though the plan wanted them, and the fan-outs with items that were."""
    return [line for line in lines if _has_gap(line)]


def _has_gap(line: TaskLine) -> bool:
    if line.items is not None and line.items.missing:
        return True
    return line.task.state == TaskState.SKIPPED and line.task.reason in GAP_REASONS


def plan_decision(run: Run) -> Request | None:
    """Return the newest plan approval of `run`, open or not."""
    return (
        Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL)
        .select_related("decided_by")
        .order_by("-id")
        .first()
    )
