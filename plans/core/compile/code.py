"""Checks of code in params (`x-language`), before it is approved; `core.code_checks` reads it."""

from __future__ import annotations

from plans.core import code_checks, placeholders
from plans.core.code_checks import Around
from plans.core.compile.draft import Draft
from plans.core.jsontypes import JsonObject
from plans.core.spec import TaskSpec

_MOST_SAID = 5


def check(draft: Draft) -> None:
    """Add a finding for each fault in the code of a task, with line and column."""
    for task in draft.tasks.values():
        info = draft.info(task)
        if info is None or info.free_params:
            continue
        known = info.params_schema.get("properties", {})
        for name, value in task.params.items():
            schema = known.get(name)
            language = schema.get("x-language") if isinstance(schema, dict) else None
            if language is None or (name not in info.literal and placeholders.has_placeholder(value)):
                continue  # what the run puts in, only the run can read
            _check_param(draft, task, name, str(language))


def _check_param(draft: Draft, task: TaskSpec, name: str, language: str) -> None:
    info = draft.info(task)
    own = info.checks.get(name) if info else None
    found = code_checks.check(language, task.params[name], Around(params=task.params), own)
    for problem in found[:_MOST_SAID]:
        place: JsonObject = {"line": problem.line, "column": problem.column}
        draft.say(problem.code, task=task.id, id=task.id, param=name, **{**place, **problem.params})
