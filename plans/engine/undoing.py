"""Undo finished steps: their `undo` in reverse order, as the plan of a new run that waits for approval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan
from plans.core.errors import ExpressionError, InputError
from plans.core.fan_out import ITEM_OF
from plans.core.jsontypes import Json, JsonObject
from plans.core.placeholders import escape_all
from plans.core.scope import Scope, render_params
from plans.core.skill import Runner
from plans.core.states import TaskKind, TaskState
from plans.engine import outputs as outs
from plans.engine.load import RunCache
from plans.engine.runs import GOAL_LIMIT, create_run_from_plan
from plans.models import Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BY_HAND = "ask_human"


def undoable(run: Run) -> list[Task]:
    """Return the finished steps of `run` that say how they are undone, the last one first."""
    plan = run.revision.plan if run.revision else {"tasks": []}
    keys = [task["id"] for task in plan["tasks"] if task.get("undo")]
    if not keys:
        return []
    done = Task.objects.filter(run=run, kind=TaskKind.STEP, state=TaskState.SUCCEEDED, attempt__gt=0)
    # Of a fan-out each item has done something, the fan-out itself has not.
    found = [row for row in done if (row.group or row.key) in keys and row.item_count is None]
    return sorted(found, key=lambda row: (row.ended_at is not None, row.ended_at, row.pk), reverse=True)


def undo_steps(
    *, run: Run, by: User, catalogue: Mapping[str, SkillInfo], runner: Runner, client_token: str | None = None
) -> Run:
    """Make a run in review that undoes the finished steps of `run`, one after the other. The same token gives the same run.

    An undo in words becomes a question to a person. Raises InputError `run_not_ended`, `nothing_to_undo`,
    `undo_unresolved` (step, the expression's own params).
    """
    if not run.is_terminal:
        raise InputError("run_not_ended")
    steps = undoable(run)
    if not steps:
        raise InputError("nothing_to_undo")
    plan = _plan(run, steps, runner)
    compiled = compile_plan(plan, catalogue)
    return create_run_from_plan(
        owner=by,
        compiled=compiled,
        inputs={},
        time_zone=run.time_zone,
        client_token=client_token,
        source="undo",
        origin=run,
    )


def _plan(run: Run, steps: list[Task], runner: Runner) -> JsonObject:
    facts = RunCache().get(run.pk)
    made = {
        row.key: outs.inflate(row.outputs) if row.outputs is not None else outs.nulls(row.spec)
        for row in Task.objects.filter(run=run, group="").exclude(kind=TaskKind.PLANNING)
    }
    tasks: list[JsonObject] = []
    for number, step in enumerate(steps, 1):
        scope = _scope(step, facts.inputs, facts.answers, made, runner)
        task = {"id": f"undo_{number}", "name": f"Undo: {step.name or step.key}"[:500], **_step(step, scope, runner)}
        if tasks:
            task["depends_on"] = [tasks[-1]["id"]]
        tasks.append(task)
    return {"goal": f"Undo: {run.goal}"[:GOAL_LIMIT], "tasks": tasks}


def _scope(
    step: Task, inputs: JsonObject, answers: JsonObject, made: Mapping[str, JsonObject], runner: Runner
) -> Scope:
    """Return what the undo of a step may read: all that the run made, and of an item what that item made."""
    item = step.spec.get(ITEM_OF)
    upstream = {**made, step.group: outs.inflate(step.outputs or {})} if item else dict(made)
    value: Json = outs.inflate({"item": item["item"]})["item"] if item else None
    return Scope(
        inputs=inputs,
        answers=answers,
        upstream=upstream,
        load_rows=runner.load_rows,
        item=value,
        index=item["index"] if item else None,
    )


def _step(step: Task, scope: Scope, runner: Runner) -> JsonObject:
    undo = step.spec["undo"]
    if isinstance(undo, str):
        fields = {"type": "object", "properties": {"done": {"type": "boolean", "title": "Done"}}, "required": ["done"]}
        return {"skill": BY_HAND, "params": {"question": escape_all(undo), "fields": fields}}
    literal = runner.literal(undo["skill"])
    try:
        params = render_params(undo.get("params") or {}, scope, literal)
    except ExpressionError as error:
        raise InputError("undo_unresolved", step=step.name or step.key, **dict(error.params)) from error
    # They are values now: what a step made is no placeholder.
    return {
        "skill": undo["skill"],
        "params": {name: value if name in literal else escape_all(value) for name, value in params.items()},
    }
