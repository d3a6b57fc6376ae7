"""Checks of how a step is undone: in words, or by a call `{"skill", "params"}` that may read what the run made."""

from __future__ import annotations

from plans.core import expressions, placeholders
from plans.core.catalogue import SkillInfo
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.compile.skills import params_problems
from plans.core.errors import ExpressionError
from plans.core.fan_out import ITEM_WORDS
from plans.core.jsontypes import JsonObject
from plans.core.names import target
from plans.core.spec import TaskSpec


def check(draft: Draft) -> None:
    """Add findings about `undo`."""
    for task in draft.tasks.values():
        if task.undo is None or (isinstance(task.undo, str) and task.undo.strip()):
            continue
        call = task.undo if isinstance(task.undo, dict) else {}
        name, params = call.get("skill"), call.get("params", {})
        is_call = isinstance(name, str) and isinstance(params, dict) and set(call) <= {"skill", "params"}
        if not is_call:
            draft.say("undo_unreadable", task=task.id, fix=fixes.remove("undo"), id=task.id)
        elif name not in draft.catalogue:
            near = draft.nearest(str(name), draft.catalogue)
            fix = fixes.replace("undo", {**call, "skill": near}) if near else fixes.remove("undo")
            known = sorted(draft.catalogue)[:30]
            draft.say("unknown_skill", task=task.id, fix=fix, id=task.id, skill=name, nearest=near, known=known)
        else:
            _check_call(draft, task, draft.catalogue[str(name)], params)


def _check_call(draft: Draft, task: TaskSpec, info: SkillInfo, params: JsonObject) -> None:
    problems = [] if info.free_params else params_problems(info, params)
    problems += _unresolved(draft, task, info, params)
    if problems:
        draft.say("undo_unfit", task=task.id, id=task.id, skill=info.name, problem=problems[0][:300])


def _unresolved(draft: Draft, task: TaskSpec, info: SkillInfo, params: JsonObject) -> list[str]:
    """Return what the call reads and the run will not have."""
    try:
        texts = placeholders.expressions_in(params, info.literal)
        uses = [use for text in texts for use in expressions.uses(text)]
    except ExpressionError as error:
        return [error.code]
    free = {"inputs", "answers"} | (ITEM_WORDS if task.for_each is not None else frozenset())
    names = {use.name for use in uses if not target(use.name, use.path, draft.tasks, draft.producers)}
    return [f"nothing is called {name!r}" for name in sorted(names - free)]
