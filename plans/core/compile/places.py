"""Where expressions stand in a task: its condition, its list, its params."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plans.core import fan_out, placeholders
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.errors import ExpressionError
from plans.core.names import Path
from plans.core.spec import TaskSpec

EXPECT = "expect"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an expression stands. `path` is its way into the params; `exact` means that its value keeps its type."""

    field: str
    text: str
    exact: bool = False
    path: Path = ()

    @property
    def is_check(self) -> bool:
        """A check is told after the step: its own outputs are there."""
        return self.field.startswith(EXPECT)


def places(draft: Draft, task: TaskSpec) -> Iterator[Place]:
    """Give every expression of a task; one that cannot be told from the text around it becomes a finding."""
    if task.run_if is not None:
        yield Place("run_if", task.run_if, exact=True)
    if task.for_each is not None:
        yield from _in_list(draft, task, task.for_each)
    for number, text in enumerate(task.expect):
        yield Place(f"{EXPECT}[{number}]", text, exact=True)
    info = draft.info(task)
    literal = info.literal if info else frozenset()
    for name, value in task.params.items():
        for path, text in placeholders.texts_in({} if name in literal else value, (name,)):
            if placeholders.OPEN in text:
                yield from _in_param(draft, task, text, path)


def _in_list(draft: Draft, task: TaskSpec, text: str) -> Iterator[Place]:
    try:
        yield Place("for_each", fan_out.list_expression(text), exact=True)
    except ExpressionError as error:
        say_expression(draft, task, "for_each", error)


def _in_param(draft: Draft, task: TaskSpec, text: str, path: Path) -> Iterator[Place]:
    field = "params." + ".".join(str(step) for step in path)
    try:
        parts = placeholders.split(text)
    except ExpressionError as error:
        say_expression(draft, task, field, error)
        return
    for part in parts:
        if isinstance(part, placeholders.Placeholder):
            yield Place(field, part.expression, exact=len(parts) == 1, path=path)


def say_expression(draft: Draft, task: TaskSpec, field: str, error: ExpressionError) -> None:
    fix = None
    if error.code == "placeholder_unclosed":
        fix = fixes.replace(field, placeholders.ESCAPED, placeholders.OPEN)
    draft.say(error.code, task=task.id, fix=fix, **{"id": task.id, "field": field, **error.params})
