"""Checks of single fields: output names, what is not built yet, what loosens the skill's row, the plan's result."""

from __future__ import annotations

from plans.core import bind
from plans.core.catalogue import SkillInfo
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.findings import Severity
from plans.core.kinds import ARTIFACT_KINDS, Approval, Risk, ValueKind
from plans.core.names import RESULT, SCOPE_WORDS, is_identifier
from plans.core.spec import TaskSpec

_RISKS = [Risk.LOW, Risk.MEDIUM, Risk.HIGH]


def check(draft: Draft) -> None:
    """Add findings about fields that need no other task to be judged, and about output names."""
    _check_plan(draft)
    owners: dict[str, str] = {}
    for task in draft.tasks.values():
        for name in task.outputs:
            _check_output_name(draft, task, name)
            if owners.setdefault(name, task.id) != task.id:
                draft.say("two_producers", task=task.id, output=name, first=owners[name], second=task.id)
        info = draft.info(task)
        if info and not info.free_params:
            _check_outputs(draft, task, info)
            _check_limits(draft, task, info)
    _check_result(draft)


def _check_plan(draft: Draft) -> None:
    for number, condition in enumerate(draft.plan.preconditions, 1):
        if condition.check is not None:
            draft.say("not_available_yet", field="check", id=f"preconditions[{number}]")


def _check_output_name(draft: Draft, task: TaskSpec, name: str) -> None:
    reason = ""
    if not is_identifier(name):
        reason = "identifier"
    elif name in SCOPE_WORDS:
        reason = "reserved"
    elif name in draft.tasks:
        reason = "task_id"
    if reason:
        draft.say("bad_output_name", task=task.id, id=task.id, output=name, reason=reason)


def _check_outputs(draft: Draft, task: TaskSpec, info: SkillInfo) -> None:
    pairs = bind.pair(task.outputs, info.outputs)
    if pairs is None:
        declared, delivered = len(task.outputs), len(info.outputs)
        draft.say("too_many_outputs", task=task.id, id=task.id, skill=info.name, declared=declared, delivered=delivered)
        return
    for name, source in pairs.items() if task.outputs else ():
        wanted, came = task.outputs[name], info.outputs[source]
        if not _can_become(came, wanted):
            fix = fixes.replace(f"outputs.{name}", came.value)
            draft.say("output_kind", task=task.id, fix=fix, id=task.id, output=name, wanted=wanted, came=came)


def _can_become(came: ValueKind, wanted: ValueKind) -> bool:
    if came == wanted or (wanted == ValueKind.FILE and came in ARTIFACT_KINDS):
        return True
    # Among plain values the run decides: `json` may hold anything, and safe conversions are made.
    return came not in ARTIFACT_KINDS and wanted not in ARTIFACT_KINDS


def _check_limits(draft: Draft, task: TaskSpec, info: SkillInfo) -> None:
    """A plan may only tighten. Where it loosens, the skill's row holds, and that is said."""
    for field, wanted, most in (
        ("timeout_seconds", task.timeout_seconds, info.timeout_seconds),
        ("retries", task.retries, info.retries),
    ):
        if wanted is not None and wanted > most:
            _say_loosened(draft, task, info, field, wanted, most)
    if task.risk is not None and _RISKS.index(task.risk) < _RISKS.index(info.risk):
        _say_loosened(draft, task, info, "risk", task.risk.value, info.risk.value)
    if task.approval == Approval.NEVER:
        _say_loosened(draft, task, info, "approval", task.approval.value, info.approval.value)


def _say_loosened(
    draft: Draft, task: TaskSpec, info: SkillInfo, field: str, wanted: int | str, allowed: int | str
) -> None:
    fix = fixes.replace(field, allowed)
    params = {"field": field, "wanted": wanted, "allowed": allowed, "skill": info.name}
    draft.say("loosens_skill", Severity.WARNING, task=task.id, fix=fix, id=task.id, **params)


def _check_result(draft: Draft) -> None:
    known = {*draft.producers, *draft.tasks}
    for name in draft.plan.result:
        owner, _, output = name.rpartition(".")
        outputs = draft.outputs(draft.tasks[owner]) if owner in draft.tasks else {}
        is_qualified = owner in draft.tasks and (outputs is None or output in outputs or output == RESULT)
        if name not in known and not is_qualified:
            draft.say("unknown_result", name=name, nearest=draft.nearest(name, known))
