"""Run one claimed task to its end, touching no rows: render, call the skill, bind and encode what came."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from plans import storage
from plans.core import checks
from plans.core.bind import bind_outputs
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.errors import DiskFull, ErrorClass, ExpressionError, LeaseLost, PlannerError, SkillCancelled, SkillError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.model import Connect
from plans.core.scope import Scope, render_params
from plans.core.skill import Ask, Expand, Outputs, Result, Runner, WaitUntil, Work
from plans.core.states import TaskKind
from plans.core.storable import storable_json
from plans.core.values import ArtifactRef
from plans.engine import outputs as outs
from plans.engine.calls import Note, SlotLedger
from plans.engine.context import Checkpoint, SkillContext
from plans.engine.hot import Claimed, Done

log = structlog.get_logger("plans.engine")


@dataclass(slots=True, kw_only=True)
class Job:
    """A claimed task with everything it needs, read from rows before it goes to a slot."""

    claimed: Claimed
    run_uuid: str
    inputs: JsonObject
    upstream: dict[str, JsonObject] = field(default_factory=dict)
    answers: dict[str, JsonObject] = field(default_factory=dict)
    """Answers to the task's own questions, for its skill."""
    hints: list[str] = field(default_factory=list)
    """What people said to mind when they let it run again."""
    goal_answers: JsonObject = field(default_factory=dict)
    """Answers given while the plan was made: what `answers.<id>` means in its expressions."""
    item: Json = None
    """Of one item of a fan-out; a large one is still a reference."""
    index: int | None = None
    catalogue: Mapping[str, Any] | None = None
    circumstances: Circumstances = NOTHING_KNOWN
    connect: Connect | None = None
    """Binds the model to this attempt's ledger; None while no model is connected."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set by the loop when the run is cancelled, the time is over or the worker stops."""
    context: SkillContext | None = None
    """What its skill runs with, once it does."""


@dataclass(slots=True, kw_only=True)
class Failed:
    claimed: Claimed
    code: str
    params: JsonObject
    error_class: ErrorClass
    retry_after_seconds: float | None = None
    rendered: str | None = None
    log: str = ""


@dataclass(slots=True, kw_only=True)
class Suspended:
    claimed: Claimed
    result: Ask | WaitUntil
    rendered: str | None = None
    log: str = ""


@dataclass(slots=True, kw_only=True)
class Planned:
    claimed: Claimed
    result: Expand
    log: str = ""


@dataclass(slots=True, kw_only=True)
class Stopped:
    """The attempt ended because it was told to: `why` is cancelled, timeout or stopping."""

    claimed: Claimed
    log: str = ""
    why: str = ""


@dataclass(slots=True, kw_only=True)
class Kept:
    """A checkpoint to commit, on its way from a slot to the loop."""

    claimed: Claimed
    checkpoint: Checkpoint


@dataclass(slots=True, kw_only=True)
class Told:
    """A model call that begins or has ended, on its way from a slot to the loop."""

    claimed: Claimed
    note: Note


@dataclass(slots=True, kw_only=True)
class Glimpse:
    """How far a step is, for whoever watches; nobody waits for it to be written down."""

    claimed: Claimed
    data: JsonObject


Message = Kept | Told | Glimpse
"""What a slot sends to the loop while its step runs."""


Ended = Done | Failed | Suspended | Planned | Stopped


def scope_of(job: Job, runner: Runner) -> Scope:
    """Return the names the task's expressions may use."""
    upstream = {key: outs.inflate(values) for key, values in job.upstream.items()}
    item = outs.inflate({"item": job.item})["item"] if job.index is not None else None
    return Scope(
        inputs=job.inputs,
        answers=job.goal_answers,
        upstream=upstream,
        load_rows=runner.load_rows,
        item=item,
        index=job.index,
    )


def rendered_params(job: Job, runner: Runner) -> JsonObject:
    """Return the params as the skill will get them. Raises ExpressionError naming what cannot be resolved."""
    spec = job.claimed.spec
    if job.claimed.kind == TaskKind.PLANNING:
        return dict(spec.get("params", {}))
    return render_params(spec.get("params", {}), scope_of(job, runner), runner.literal(job.claimed.skill))


def make_context(job: Job, params: JsonObject, send: Callable[[Message], None]) -> SkillContext:
    claimed = job.claimed
    context = SkillContext(
        run_id=job.run_uuid,
        task_key=claimed.key,
        attempt=claimed.attempt,
        deadline=time.monotonic() + claimed.timeout_seconds,
        params=params,
        resumed=claimed.resumed,
        answers=job.answers,
        hints=job.hints,
        saved=claimed.checkpoint,
        send=lambda item: send(Kept(claimed=claimed, checkpoint=item)),
        show=lambda data: send(Glimpse(claimed=claimed, data=data)),
        stop=job.stop,
    )
    if job.connect is not None:
        ledger = SlotLedger(
            task_key=claimed.key,
            attempt=claimed.attempt,
            deadline=context.deadline,
            stop=job.stop,
            send=lambda note: send(Told(claimed=claimed, note=note)),
        )
        context.model = job.connect(ledger)
    return context


def perform(job: Job, runner: Runner, send: Callable[[Message], None]) -> Ended:
    """Run the job's skill and return how it ended; every exception becomes a Failed."""
    claimed = job.claimed
    rendered: str | None = None
    context: SkillContext | None = None
    try:
        params = rendered_params(job, runner)
        rendered = outs.encode(storable_json(params)) if params else None
        context = job.context = make_context(job, params, send)
        work = Work(
            kind=claimed.kind,
            skill=claimed.skill,
            params=params,
            inputs=job.inputs,
            catalogue=job.catalogue,
            circumstances=job.circumstances,
        )
        result = runner.execute(work, context)
        return _ended(claimed, result, rendered, context, lambda: scope_of(job, runner))
    except (SkillCancelled, LeaseLost):
        return Stopped(claimed=claimed, log=context.log_text() if context else "")
    except PlannerError as error:
        return _failed(claimed, error, rendered, context)
    except Exception as error:
        if isinstance(error, OSError) and storage.is_full(error):
            return _failed(claimed, DiskFull(), rendered, context)
        log.exception("skill_raised", task=claimed.key, attempt=claimed.attempt, skill=claimed.skill)
        problem = SkillError("skill_bug", skill=claimed.skill)
        return _failed(claimed, problem, rendered, context)
    finally:
        if context is not None:
            context.close()


def _failed(claimed: Claimed, error: PlannerError, rendered: str | None, context: SkillContext | None) -> Failed:
    error_class = ErrorClass.BAD_INPUT if isinstance(error, ExpressionError) else ErrorClass.PERMANENT
    return Failed(
        claimed=claimed,
        code=error.code,
        params=dict(error.params),
        error_class=getattr(error, "error_class", error_class),
        retry_after_seconds=getattr(error, "retry_after_seconds", None),
        rendered=rendered,
        log=context.log_text() if context else "",
    )


def _ended(
    claimed: Claimed, result: Result, rendered: str | None, context: SkillContext, scope: Callable[[], Scope]
) -> Ended:
    text = context.log_text()
    if isinstance(result, (Ask, WaitUntil)):
        return Suspended(claimed=claimed, result=result, rendered=rendered, log=text)
    if isinstance(result, Expand):
        if claimed.kind != TaskKind.PLANNING:
            raise SkillError("not_available_yet", feature="expand")
        return Planned(claimed=claimed, result=result, log=text)
    return _bound(claimed, result, rendered, context, scope)


def _bound(
    claimed: Claimed, result: Outputs, rendered: str | None, context: SkillContext, scope: Callable[[], Scope]
) -> Done:
    """Bind, store and check what came. Raises CheckFailed, SkillError."""
    declared = {name: ValueKind(kind) for name, kind in claimed.spec.get("outputs", {}).items()}
    values: Mapping[str, Any]
    if declared:
        values, conversions = bind_outputs(declared, result.values)
        for conversion in conversions:
            context.log(f"converted: {conversion}")
    else:
        values = {name: _plain(value) for name, value in result.values.items()}
    expect = claimed.spec.get("expect", [])
    checks.by_default(values, expect)
    try:
        packed = outs.pack(values, declared)
    except ValueError as error:
        raise SkillError("output_not_json", reason=str(error)) from error
    if expect:
        checks.verify(claimed.key, values, expect, scope())
    return Done(
        claimed=claimed,
        outputs=outs.encode(packed) if packed else None,
        params=rendered,
        log=context.log_text(),
        artifacts=outs.refs(packed),
    )


def _plain(value: Json | ArtifactRef) -> Json:
    return value.model_dump(mode="json", by_alias=True) if isinstance(value, ArtifactRef) else value
