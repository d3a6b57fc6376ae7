"""The end of a milestone: its check over what its steps made, and the evidence that is kept beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from plans.core import checks
from plans.core.errors import CheckFailed
from plans.core.jsontypes import JsonObject
from plans.core.scope import Scope
from plans.core.skill import Runner
from plans.core.states import RequestState, TaskKind, TaskState
from plans.engine import outputs as outs
from plans.engine.load import RunCache
from plans.models import Artifact, Request, Task

MOST_NAMED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What there is to show for a milestone, and why it is not done yet."""

    evidence: JsonObject = field(default_factory=dict)
    error: CheckFailed | None = None
    can_plan: bool = False


def look(task: Task, runner: Runner, cache: RunCache) -> Found:
    """Judge a milestone whose steps have all ended. Reads rows; its steps change no more."""
    steps = steps_of(task)
    text = task.spec.get("done_when")
    check: JsonObject | None = None
    error = None
    if text:
        facts = cache.get(task.run_id)
        made = {step.key: _outputs(step) for step in steps}
        scope = Scope(inputs=facts.inputs, answers=facts.answers, upstream=made, load_rows=runner.load_rows)
        try:
            checks.judge(text, scope)
        except CheckFailed as problem:
            error = problem
        check = {"text": text, "holds": error is None, "values": checks.values_of(text, scope)}
    return Found(
        evidence=_evidence(task, steps, check), error=error, can_plan=error is not None and runner.model() is not None
    )


def steps_of(milestone: Task) -> list[Task]:
    """Return the steps of a milestone, those of the milestones inside it included; items count with their fan-out."""
    rows = list(
        Task.objects.filter(run=milestone.run_id, group="").exclude(kind=TaskKind.PLANNING).order_by("position")
    )
    inside, wave = {milestone.key}, {milestone.key}
    while wave:
        wave = {
            row.key
            for row in rows
            if row.kind == TaskKind.MILESTONE and row.milestone_key in wave and row.key not in inside
        }
        inside |= wave
    return [row for row in rows if row.kind == TaskKind.STEP and row.milestone_key in inside]


def _outputs(step: Task) -> JsonObject:
    return outs.inflate(step.outputs) if step.outputs is not None else outs.nulls(step.spec)


def _evidence(task: Task, steps: list[Task], check: JsonObject | None) -> JsonObject:
    """Return check, counts, artifacts, notes and times, as codes and names; the page makes the words."""
    done = [step for step in steps if step.state == TaskState.SUCCEEDED]
    named = (
        Artifact.objects.filter(task__in=done).order_by("task__position", "pk").values_list("task__key", "name", "kind")
    )
    started = [step.started_at for step in steps if step.started_at]
    ended = [step.ended_at for step in steps if step.ended_at]
    return {
        "check": check,
        "steps": dict(Counter(step.state for step in steps)),
        "artifacts": [{"task": key, "name": name, "kind": kind} for key, name, kind in named[:MOST_NAMED]],
        "notes": _notes(steps),
        "started_at": min(started).isoformat() if started else None,
        "ended_at": max(ended).isoformat() if ended else None,
    }


def _notes(steps: list[Task]) -> list[JsonObject]:
    """Return why steps gave less than planned, and what people said about them."""
    notes: list[JsonObject] = [
        {"task": step.key, "reason": step.reason, "error": _short(step.error)}
        for step in steps
        if step.state != TaskState.SUCCEEDED or step.error
    ]
    said = Request.objects.filter(task__in=steps, state=RequestState.DECIDED).exclude(comment="").order_by("decided_at")
    for key, decision, comment in said.values_list("task__key", "decision", "comment"):
        notes.append({"task": key, "decision": decision, "comment": comment[:500]})
    return notes[:MOST_NAMED]


def _short(error: Any) -> JsonObject | None:
    return {"code": error.get("code"), "params": error.get("params")} if isinstance(error, dict) else None
