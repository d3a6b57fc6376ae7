"""Fan-out: a task whose list is known becomes one row per item; it ends when all of them have ended.

The items are upstream of their group in the queue, so nothing on the hot path knows of them: the last one that ends makes
the group ready, and its gate gathers what they made, in the order of the list.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings

from plans.core import fan_out, joins
from plans.core.bind import kind_of
from plans.core.errors import ErrorClass, ExpressionError
from plans.core.hashing import digest
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import EventKind, RunsIn, ValueKind
from plans.core.scope import evaluate, render_params
from plans.core.skill import Runner
from plans.core.states import AttemptState, SkipReason, TaskState
from plans.engine import artifacts, doorbell, rungs
from plans.engine import outputs as outs
from plans.engine.settle import Changes, close_attempt
from plans.engine.steps import Job, scope_of
from plans.models import Dependency, Task

SHOWN_ITEMS = 20
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """The items of a list in row form, and whether what they read needs upstream outputs."""

    values: list[Json]
    reads_tasks: bool
    effect: JsonObject = field(default_factory=dict)
    """What an approval of all of them shows and is bound to, beside what one of them does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What the ended items of a group come to. `failed` are the keys of items that went bad."""

    outputs: JsonObject
    failed: list[str]
    count: int


def is_open(spec: JsonObject) -> bool:
    """Tell whether a stored specification is that of a fan-out, expanded or not."""
    return spec.get("for_each") is not None


def find_items(job: Job, runner: Runner, *, asks: bool) -> Items:
    """Evaluate the list. `asks`: render every item too, for the approval.

    Raises ExpressionError: `for_each_not_list` (came), `too_many_items` (count, limit), or the expression's own.
    """
    spec, scope = job.claimed.spec, scope_of(job, runner)
    text = fan_out.list_expression(spec["for_each"])
    # A task that may be skipped has null outputs; nothing to do for them.
    found = evaluate(text, scope)
    values = [] if found is None else found
    if not isinstance(values, list):
        raise ExpressionError("for_each_not_list", id=job.claimed.key, reference=text, came=kind_of(values))
    if len(values) > settings.PLANS_FAN_OUT_MAX:
        limit = settings.PLANS_FAN_OUT_MAX
        raise ExpressionError("too_many_items", id=job.claimed.key, expression=text, count=len(values), limit=limit)
    literal = runner.literal(job.claimed.skill)
    params, effect = spec.get("params", {}), {}
    if asks and values:
        each = [
            render_params(params, replace(scope, item=item, index=index), literal) for index, item in enumerate(values)
        ]
        effect = {"items": len(values), "each": each[:SHOWN_ITEMS], "all": digest(each)}
    return Items(
        values=[outs.pack({"item": value}, {})["item"] for value in values],
        reads_tasks=job.claimed.has_references
        and (bool(spec.get("expect")) or fan_out.reads_tasks(params, spec.get("run_if"), literal)),
        effect=effect,
    )


def expand(changes: Changes, task: Task, items: Items) -> None:
    """Make one row per item and let the claimed `task` wait for them."""
    count = len(items.values)
    close_attempt(task.pk, task.attempt, AttemptState.SUCCEEDED)
    changes.move(
        task,
        TaskState.PENDING,
        attempt=task.attempt,
        item_count=count,
        unmet=count,
        # It must be gathered whatever becomes of them. Its own upstream has been decided on.
        always_run=True,
        bad_upstream=0,
        error=None,
    )
    refs = outs.refs({str(index): value for index, value in enumerate(items.values)})
    artifacts.keep_blobs(refs)
    rows = [_item(task, value, index, items) for index, value in enumerate(items.values)]
    saved = Task.objects.bulk_create(rows, batch_size=BATCH)
    Dependency.objects.bulk_create((Dependency(upstream=row, downstream=task) for row in saved), batch_size=BATCH * 2)
    changes.left_delta -= count
    # Half of a limit is the time to say that there is one.
    near = {"limit": settings.PLANS_FAN_OUT_MAX} if count * 2 >= settings.PLANS_FAN_OUT_MAX else {}
    changes.say(EventKind.TASK_EXPANDED, task, items=count, **near)
    doorbell.ring(task.run_id, min(count, doorbell.workers()))


def _item(task: Task, value: Json, index: int, items: Items) -> Task:
    dropped = {"for_each", "item_errors", "items_at_once"}
    spec = {key: inner for key, inner in task.spec.items() if key not in dropped}
    if not fan_out.reads_item(spec.get("run_if")):
        # It has been decided for all of them.
        spec.pop("run_if", None)
    skips = task.spec.get("item_errors", "stop") != "stop"
    spec[fan_out.ITEM_OF] = {"group": task.pk, "index": index, "item": value, "skips": skips}
    decides = "run_if" in spec or task.runs_in == RunsIn.ENGINE
    limited = task.limited or (task.items_at_once is not None and task.runs_in != RunsIn.ENGINE)
    return Task(
        run_id=task.run_id,
        key=fan_out.item_key(task.key, index),
        kind=task.kind,
        name=fan_out.label(task.name or task.key, value, index)[:500],
        milestone_key=task.milestone_key,
        position=task.position,
        skill=task.skill,
        skill_version=task.skill_version,
        spec=spec,
        fallback=task.fallback,
        state=TaskState.READY,
        gated=decides or limited,
        limited=limited,
        decided=limited and not decides,
        has_references=items.reads_tasks,
        held=task.held,
        priority=task.priority,
        rank=task.rank,
        runs_in=task.runs_in,
        instant=task.instant,
        idempotent=task.idempotent,
        timeout_seconds=task.timeout_seconds,
        retries=task.retries,
        group=task.key,
        item_index=index,
        pool=task.pool,
        weight=task.weight,
        reserve_usd=task.reserve_usd,
    )


def gather(task: Task) -> Gathered:
    """Read what the items of a group made, in the order of its list."""
    rows = Task.objects.filter(run_id=task.run_id, group=task.key).order_by("item_index")
    found = list(rows.values_list("key", "state", "reason", "outputs"))
    names = list(task.spec.get("outputs", {})) or list(
        dict.fromkeys(name for *_, outputs in found for name in outputs or {})
    )
    drops = task.spec.get("item_errors") == "drop"
    kept = [outputs or {} for _, state, _, outputs in found if state == TaskState.SUCCEEDED or not drops]
    lists: dict[str, Json] = {name: [outputs.get(name) for outputs in kept] for name in names}
    return Gathered(
        outputs=outs.pack(lists, dict.fromkeys(names, ValueKind.LIST)),
        failed=[key for key, state, reason, _ in found if joins.is_bad(state, reason) and reason != SkipReason.SIBLING],
        count=len(found),
    )


def end(changes: Changes, task: Task, gathered: Gathered) -> None:
    """End a group whose items have all ended: failed when one went bad and the plan says that this stops it."""
    if gathered.failed and task.spec.get("item_errors", "stop") == "stop":
        params = {"failed": len(gathered.failed), "count": gathered.count, "first": gathered.failed[0]}
        rungs.fail_for_good(changes, task, rungs.error_json("items_failed", params, ErrorClass.PERMANENT))
        return
    columns: dict[str, Any] = {"outputs": gathered.outputs or None, "error": None}
    if changes.end(task, TaskState.SUCCEEDED, attempt=task.attempt, **columns):
        changes.say(EventKind.TASK_SUCCEEDED, task, items=gathered.count, failed=len(gathered.failed))
        artifacts.keep(task, outs.refs(gathered.outputs))


def skip_empty(changes: Changes, task: Task) -> None:
    """Nothing to do: done with null outputs, as with a condition that does not hold."""
    if changes.end(task, TaskState.SKIPPED, reason=SkipReason.CONDITION, item_count=0):
        changes.say(EventKind.TASK_SKIPPED, task, reason=SkipReason.CONDITION.value, items=0)
