"""Gated tasks: a condition, an approval, an engine skill or a milestone. Decided on the loop, one transaction each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.db.models.functions import Now

from plans.core.errors import ErrorClass, ExpressionError, PlannerError
from plans.core.fan_out import reads_item
from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind, RunsIn
from plans.core.scope import evaluate
from plans.core.skill import Runner
from plans.core.states import AttemptState, SkipReason, TaskKind, TaskState
from plans.engine import approvals, fan_out, hot, ladder, limits, milestones
from plans.engine.boundaries import Boundary
from plans.engine.load import RunCache, jobs
from plans.engine.settle import Changes, close_attempt, locked
from plans.engine.sql import hot_cursor, transact
from plans.engine.steps import Failed, Job, rendered_params, scope_of
from plans.events import Line
from plans.models import Attempt, Hold, Request, Task


class Gate(StrEnum):
    """What a look at one gated task led to."""

    STARTED = "started"
    MOVED = "moved"
    NO_SLOT = "no_slot"
    NO_ROOM = "no_room"
    GONE = "gone"


@dataclass(slots=True, kw_only=True)
class Opened:
    gate: Gate
    job: Job | None = None


def waiting_ids(limit: int, broken: Collection[int] = ()) -> list[int]:
    """Return gated ready tasks that something must be decided about, in the claim's order, without `broken` ones."""
    if Hold.objects.exists():
        return []
    rows = (
        Task.objects.filter(state=TaskState.READY, gated=True, held=False)
        .exclude(limits.in_line())
        .exclude(pk__in=broken)
    )
    rows = rows.order_by("-priority", "-rank", "pk")
    return list(rows.values_list("pk", flat=True)[:limit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the task's own expressions say; made before the transaction, since its upstream no longer changes."""

    holds: bool = True
    params: JsonObject | None = None
    error: PlannerError | None = None
    # of a milestone: what its steps have come to
    found: milestones.Found | None = None
    # of a fan-out: its list, or what its items made once they have all ended
    items: fan_out.Items | None = None
    gathered: fan_out.Gathered | None = None


def open_gate(task_id: int, *, free: int, worker: str, runner: Runner, cache: RunCache) -> Opened:
    """Decide one gated task: skip it, ask for approval, end it (milestone), or claim it for this worker."""
    task = Task.objects.filter(pk=task_id, state=TaskState.READY, held=False).first()
    if task is None:
        return Opened(gate=Gate.GONE)
    if _takes_slot(task) and free <= 0:
        return Opened(gate=Gate.NO_SLOT)
    verdict = judge(task, runner, cache)
    version = _version_now(task, runner)

    def work() -> Opened:
        if task.limited:
            limits.lock()
        found = locked([task_id])
        if not found or found[0].state != TaskState.READY or found[0].held or found[0].attempt != task.attempt:
            return Opened(gate=Gate.GONE)
        if found[0].skill_version != version:
            Task.objects.filter(pk=task_id).update(skill_version=version)
            found[0].skill_version = version
        changes = Changes(task.run_id)
        opened = _decide(changes, found[0], verdict, worker, cache)
        changes.flush()
        return opened

    return transact(work, Boundary.FAN_OUT if verdict.items is not None else Boundary.GATE)


def _version_now(task: Task, runner: Runner) -> str:
    """Return the version of the skill that would run: an approval given before an update was for other code."""
    if not task.needs_approval or task.kind != TaskKind.STEP:
        return task.skill_version
    info = runner.catalogue().get(task.skill)
    return info.version if info else task.skill_version


def refuse(task_id: int, worker: str, error: PlannerError) -> Opened:
    """Fail a task about which nothing can be decided."""

    def work() -> Opened:
        found = locked([task_id])
        if not found or found[0].state != TaskState.READY:
            return Opened(gate=Gate.GONE)
        changes = Changes(found[0].run_id)
        opened = _fail_at_gate(changes, found[0], worker, error)
        changes.flush()
        return opened

    return transact(work, Boundary.GATE)


def _takes_slot(task: Task) -> bool:
    return task.kind == TaskKind.STEP and task.runs_in != RunsIn.ENGINE and not fan_out.is_open(task.spec)


def judge(task: Task, runner: Runner, cache: RunCache) -> Verdict:
    """Evaluate the task's condition and list, and render its params."""
    if task.kind == TaskKind.MILESTONE:
        found = milestones.look(task, runner, cache)
        return Verdict(params={"evidence": found.evidence} if task.needs_approval else {}, found=found)
    is_group = fan_out.is_open(task.spec)
    if is_group and task.item_count is not None:
        return Verdict(gathered=fan_out.gather(task))
    job = jobs([preview(task)], cache)[0]
    try:
        condition = task.spec.get("run_if")
        # A condition that names the item is each item's own.
        if condition and not (is_group and reads_item(condition)) and not _holds(condition, job, runner):
            return Verdict(holds=False)
        if is_group:
            return Verdict(params={}, items=fan_out.find_items(job, runner, asks=task.needs_approval))
        return Verdict(params=rendered_params(job, runner))
    except PlannerError as error:
        return Verdict(error=error)


def _decide(changes: Changes, task: Task, verdict: Verdict, worker: str, cache: RunCache) -> Opened:
    if verdict.error is not None:
        return _fail_at_gate(changes, task, worker, verdict.error)
    if _ends_here(changes, task, verdict):
        return Opened(gate=Gate.MOVED)
    approval = None
    if task.needs_approval and not _resumes(task):
        effect = approvals.describe(task, verdict.params or {}) | (verdict.items.effect if verdict.items else {})
        approval = approvals.usable(changes, task, digest(effect))
        if approval is None:
            approvals.ask(changes, task, effect)
            return Opened(gate=Gate.MOVED)
    if task.limited and _takes_slot(task) and not limits.admits(task):
        # Everything is decided; from here on it waits in line with the others.
        Task.objects.filter(pk=task.pk).update(decided=True)
        return Opened(gate=Gate.NO_ROOM)
    claimed = _start(changes, task, worker)
    if claimed is None:
        return Opened(gate=Gate.GONE)
    if approval is not None:
        # Single use: consumed by the transaction that starts the task.
        Request.objects.filter(pk=approval.pk, consumed_at__isnull=True).update(consumed_at=Now())
    if task.kind == TaskKind.MILESTONE or verdict.items:
        task.attempt = claimed.attempt
        if verdict.items:
            fan_out.expand(changes, task, verdict.items)
        else:
            _end_milestone(changes, task, claimed, verdict.found or milestones.Found())
        return Opened(gate=Gate.MOVED)
    return Opened(gate=Gate.STARTED, job=jobs([claimed], cache)[0])


def _ends_here(changes: Changes, task: Task, verdict: Verdict) -> bool:
    """End a task that is not to start: its condition does not hold, its list is empty, or its items have all ended."""
    if not verdict.holds:
        changes.skip(task, SkipReason.CONDITION, condition=task.spec["run_if"])
    elif verdict.gathered is not None:
        fan_out.end(changes, task, verdict.gathered)
    elif verdict.items is not None and not verdict.items.values:
        fan_out.skip_empty(changes, task)
    else:
        return False
    return True


def _resumes(task: Task) -> bool:
    """True when the call that was approved goes on after a question or a wait: it is the same start, not a new one."""
    return Attempt.objects.filter(task=task, number=task.attempt, state=AttemptState.SUSPENDED).exists()


def preview(task: Task) -> hot.Claimed:
    """Return the task as a claim would show it, without claiming."""
    return hot.Claimed(
        task_id=task.pk,
        run_id=task.run_id,
        key=task.key,
        kind=task.kind,
        attempt=task.attempt,
        skill=task.skill,
        spec=task.spec,
        has_references=task.has_references,
        instant=task.instant,
        timeout_seconds=task.timeout_seconds,
        idempotent=task.idempotent,
        runs_in=task.runs_in,
        checkpoint=task.checkpoint,
    )


def _holds(condition: str, job: Job, runner: Runner) -> bool:
    value = evaluate(condition, scope_of(job, runner))
    if not isinstance(value, bool):
        raise ExpressionError("condition_not_boolean", expression=condition)
    return value


def _start(changes: Changes, task: Task, worker: str) -> hot.Claimed | None:
    """Claim the task; None when its run was paused, or new work held, since it was looked at."""
    with hot_cursor() as cursor:
        found = hot.claim(cursor, 1, worker, settings.PLANS_LEASE_SECONDS, only=[task.pk])
    if not found:
        return None
    claimed = found[0]
    if task.limited:
        limits.note_rate({task.pk: (claimed.attempt, task.skill)})
        # The next attempt needs its own decision.
        Task.objects.filter(pk=task.pk).update(decided=False)
    changes.lines.append(
        Line(kind=EventKind.TASK_RUNNING, task_key=task.key, attempt=claimed.attempt, data={"worker": worker})
    )
    return claimed


def _end_milestone(changes: Changes, task: Task, claimed: hot.Claimed, found: milestones.Found) -> None:
    """End a milestone whose steps have all ended, unless what they made is not what it was to be."""
    Task.objects.filter(pk=task.pk).update(evidence=found.evidence)
    if found.error is not None:
        params = dict(found.error.params)
        failed = Failed(claimed=claimed, code=found.error.code, params=params, error_class=ErrorClass.CHECK_FAILED)
        ladder.fail(changes, failed, can_plan=found.can_plan)
        return
    close_attempt(task.pk, task.attempt, AttemptState.SUCCEEDED)
    changes.end(task, TaskState.SUCCEEDED, attempt=task.attempt, error=None)
    changes.say(EventKind.TASK_SUCCEEDED, task)


def _fail_at_gate(changes: Changes, task: Task, worker: str, error: PlannerError) -> Opened:
    """An expression that cannot be resolved is a failed attempt: it has its number, its event and the ladder."""
    claimed = _start(changes, task, worker)
    if claimed is None:
        return Opened(gate=Gate.GONE)
    failed = Failed(claimed=claimed, code=error.code, params=dict(error.params), error_class=ErrorClass.BAD_INPUT)
    ladder.fail(changes, failed)
    return Opened(gate=Gate.MOVED)
