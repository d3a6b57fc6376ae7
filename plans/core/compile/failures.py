"""Checks of what a task does when it fails: the skill or the value that takes over."""

from __future__ import annotations

from plans.core.bind import bind_outputs
from plans.core.catalogue import SkillInfo
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.compile.skills import params_problems
from plans.core.errors import CheckFailed
from plans.core.findings import Severity
from plans.core.spec import TaskSpec

FALLBACK = "fallback"


def check(draft: Draft) -> None:
    """Add findings about fallbacks."""
    for task in draft.tasks.values():
        info = draft.info(task)
        if task.on_failure == FALLBACK:
            named = task.fallback_skill or (info.fallback if info else "")
            if not named and task.fallback_value is None:
                draft.say("fallback_missing", task=task.id, fix=fixes.remove("on_failure"), id=task.id)
        elif task.fallback_skill is not None or task.fallback_value is not None:
            field = "fallback_skill" if task.fallback_skill is not None else "fallback_value"
            fix = fixes.replace("on_failure", FALLBACK, task.on_failure)
            draft.say("fallback_unused", Severity.WARNING, task=task.id, fix=fix, id=task.id, field=field)
        _check_skill(draft, task)
        if task.fallback_value is not None:
            _check_value(draft, task)


def _check_skill(draft: Draft, task: TaskSpec) -> None:
    name = task.fallback_skill
    if name is None:
        return
    if name not in draft.catalogue:
        near = draft.nearest(name, draft.catalogue)
        fix = fixes.replace("fallback_skill", near) if near else fixes.remove("fallback_skill")
        known = sorted(draft.catalogue)[:30]
        draft.say("unknown_skill", task=task.id, fix=fix, id=task.id, skill=name, nearest=near, known=known)
    elif name == task.skill:
        # Nothing to apply: without it the task would have no fallback at all.
        draft.say("fallback_same", Severity.WARNING, task=task.id, id=task.id, skill=name)
    elif not draft.catalogue[name].free_params:
        _check_fits(draft, task, draft.catalogue[name])


def _check_fits(draft: Draft, task: TaskSpec, info: SkillInfo) -> None:
    """The fallback gets the same params and has to give the same outputs."""
    problems = params_problems(info, task.params)
    if len(task.outputs) > len(info.outputs):
        problems.append(f"{len(task.outputs)} outputs wanted, {len(info.outputs)} made")
    if problems:
        draft.say("fallback_unfit", task=task.id, id=task.id, skill=info.name, problem=problems[0][:300])


def _check_value(draft: Draft, task: TaskSpec) -> None:
    outputs = draft.item_outputs(task) or {}
    for name, value in (task.fallback_value or {}).items():
        if name not in outputs:
            near = draft.nearest(name, outputs)
            fix = fixes.replace(f"fallback_value.{near}", value, name) if near else None
            draft.say("fallback_value_unknown", task=task.id, fix=fix, id=task.id, output=name, known=list(outputs))
        elif value is not None:
            _check_kind(draft, task, name, value)


def _check_kind(draft: Draft, task: TaskSpec, name: str, value: object) -> None:
    wanted = (draft.item_outputs(task) or {})[name]
    try:
        bind_outputs({name: wanted}, {name: value})  # type: ignore[dict-item]
    except CheckFailed as error:
        came = str(error.params.get("came"))
        draft.say("fallback_value_kind", task=task.id, id=task.id, output=name, wanted=wanted.value, came=came)
