"""Which outputs may be null, and where a use of one is not guarded.

Only a step's own `run_if`, `on_failure: skip` or a list that may be empty makes its outputs null: a step below a step
skipped that way still runs, and one below a failed step does not run at all, unless it is `always_run`, for which any
upstream may have delivered nothing. That a person may skip a failed step is not counted: then every output could be null.
"""

from __future__ import annotations

from collections.abc import Sequence

from plans.core import expressions
from plans.core.cel_text import Use
from plans.core.compile.draft import Draft
from plans.core.compile.fan_out import list_target, never_empty
from plans.core.errors import ExpressionError
from plans.core.names import RESULT, Target, target
from plans.core.spec import TaskSpec

Output = tuple[str, str]
"""Task id and output name; `result` is written as the output it means."""


class Nulls:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._nullable = {
            task.id: task.run_if is not None
            or task.on_failure == "skip"
            or _may_have_no_items(task)
            or self._may_fall_back_to_null(task)
            for task in draft.tasks.values()
        }

    def _may_fall_back_to_null(self, task: TaskSpec) -> bool:
        value = task.fallback_value
        return value is not None and any(value.get(name) is None for name in self._draft.item_outputs(task) or {})

    def may_be_null(self, task: TaskSpec, aim: Target) -> bool:
        """Tell whether the output `aim` means may be null when `task` runs."""
        if task.always_run:
            return True
        if not self._nullable[aim.task] or self._output(aim) in self._guarded(task):
            return False
        upstream = self._draft.tasks[aim.task]
        # The same condition or list on both: where this one runs, that one has run.
        has_run = upstream.run_if is None or upstream.run_if in _conjuncts(task.run_if)
        had_items = not _may_have_no_items(upstream) or upstream.for_each == task.for_each
        return not (has_run and had_items and upstream.on_failure != "skip")

    def unguarded(self, task: TaskSpec, field: str, found: Sequence[tuple[Use, Target]]) -> list[Target]:
        """Return the nullable outputs that an expression reads into without asking first; each once."""
        guarded: set[Output] = set()
        bare: dict[Output, Target] = {}
        for use, aim in found:
            output = self._output(aim)
            if use.null_check and len(aim.path) <= 1:
                guarded.add(output)
            elif aim.path and output not in guarded and self._breaks(use, aim):
                may_be_null = self._nullable[aim.task] or task.always_run
                if may_be_null if field in {"run_if", "for_each"} else self.may_be_null(task, aim):
                    bare.setdefault(output, aim)
        return list(bare.values())

    def _breaks(self, use: Use, aim: Target) -> bool:
        return len(aim.path) > 1 or use.fragile

    def _output(self, aim: Target) -> Output:
        name = str(aim.path[0]) if aim.path else RESULT
        if name == RESULT:
            name = next(iter(self._draft.outputs(self._draft.tasks[aim.task]) or {}), RESULT)
        return aim.task, name

    def _guarded(self, task: TaskSpec) -> set[Output]:
        """Return the outputs that are not null where the task's params are read: its condition or its list saw to it."""
        # An item is there because the list was.
        aim = list_target(self._draft, task) if task.for_each is not None else None
        return self._guarded_by_condition(task) | ({self._output(aim)} if aim and aim.path else set())

    def _guarded_by_condition(self, task: TaskSpec) -> set[Output]:
        """Return the outputs that are not null whenever the task runs, because its `run_if` asks for it."""
        if task.run_if is None or "||" in task.run_if or "?" in task.run_if:
            return set()
        try:
            uses = expressions.uses(task.run_if)
        except ExpressionError:
            return set()  # reported where the condition itself is judged
        draft = self._draft
        aims = [target(use.name, use.path, draft.tasks, draft.producers) for use in uses if use.null_check]
        return {self._output(aim) for aim in aims if aim and aim.path} if "!=" in task.run_if else set()


def _may_have_no_items(task: TaskSpec) -> bool:
    return task.for_each is not None and not never_empty(task)


def _conjuncts(condition: str | None) -> list[str]:
    if condition is None:
        return []
    parts = [condition] if "||" in condition or "?" in condition else condition.split("&&")
    return [condition, *(part.strip() for part in parts)]
