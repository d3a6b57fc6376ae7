"""Checks of what is made and who reads it: outputs that nobody uses, that cannot come, or only when they are not read."""

from __future__ import annotations

from collections.abc import Iterator

from plans.core import expressions
from plans.core.cel_text import tokens_of
from plans.core.compile.draft import Draft, Read
from plans.core.errors import ExpressionError
from plans.core.findings import Severity
from plans.core.names import RESULT, target
from plans.core.spec import TaskSpec

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MANY = ("||", "?")


def check(draft: Draft) -> None:
    """Add findings about the flow of data; `draft.reads` must be filled."""
    never = {task.id for task in draft.tasks.values() if _never_runs(task)}
    for name in never:
        draft.say("never_runs", task=name, id=name, condition=draft.tasks[name].run_if)
    _check_result(draft, never)
    _check_exclusive(draft)
    if not any(finding.severity == Severity.ERROR for finding in draft.findings):
        # Beside an error, a reader may only be missing because its reference is wrong.
        _check_unused(draft)


def _never_runs(task: TaskSpec) -> bool:
    """Tell whether a condition is false whatever comes: it names nothing, or one part of it rules out another."""
    if task.run_if is None or task.always_run:
        return False
    try:
        if not expressions.names(task.run_if):
            return expressions.evaluate(task.run_if, {}) is False
    except ExpressionError:
        return False
    atoms = _atoms(task.run_if)
    return any(_excludes(one, other) for one in atoms for other in atoms)


def _check_result(draft: Draft, never: set[str]) -> None:
    for name in draft.plan.result:
        owner = draft.producers.get(name) or (name if name in draft.tasks else name.rpartition(".")[0])
        if owner in never:
            draft.say("unreachable_output", task=owner, output=name, id=owner, condition=draft.tasks[owner].run_if)


def _check_exclusive(draft: Draft) -> None:
    """Say where a task reads an output that is always null when it runs: the two conditions rule each other out."""
    atoms = {task.id: _atoms(task.run_if) for task in draft.tasks.values() if task.run_if}
    said: set[tuple[str, str]] = set()
    for read in draft.reads:
        pair = (read.task, read.aim.task)
        if pair in said or not atoms.get(read.task) or not atoms.get(read.aim.task):
            continue
        if any(_excludes(mine, theirs) for mine in atoms[read.task] for theirs in atoms[read.aim.task]):
            said.add(pair)
            one, other = (draft.tasks[name].run_if for name in pair)
            draft.say("exclusive_reference", task=pair[0], id=pair[0], upstream=pair[1], condition=one, other=other)


Atom = tuple[tuple[str, ...], str, tuple[str, ...]]
"""Left side, operator, right side of one part of a condition, as the texts of their tokens; `!x` is (x, "!", ())."""


def _atoms(condition: str | None) -> list[Atom]:
    """Return the parts of a condition that must all hold; none where it is no plain chain of `&&`."""
    if condition is None or any(mark in condition for mark in _MANY):
        return []
    parts: list[list[str]] = [[]]
    for token in tokens_of(condition):
        if token.text == "&&":
            parts.append([])
        else:
            parts[-1].append(token.text)
    return [_atom(_bare(part)) for part in parts if part]


def _bare(part: list[str]) -> list[str]:
    while len(part) > 2 and part[0] == "(" and part[-1] == ")" and "(" not in part[1:-1]:
        part = part[1:-1]
    return part


def _atom(part: list[str]) -> Atom:
    if part[0] == "!":
        left, operator, right = _atom(_bare(part[1:])) if len(part) > 1 else ((), "", ())
        return (left, _OPPOSITE.get(operator) or {"": "!", "!": ""}[operator], right)
    places = [index for index, text in enumerate(part) if text in _OPPOSITE]
    if len(places) != 1:
        return (tuple(part), "", ())
    return (tuple(part[: places[0]]), part[places[0]], tuple(part[places[0] + 1 :]))


def _excludes(one: Atom, other: Atom) -> bool:
    """Tell whether both can never hold: `a` and `!a`, `a > 1` and `a <= 1`, `a == "x"` and `a == "y"`."""
    if one[0] != other[0]:
        return False
    if one[2] == other[2]:
        opposite = _OPPOSITE.get(one[1]) or {"": "!", "!": ""}[one[1]]
        return other[1] == opposite
    are_equal = one[1] == other[1] == "=="
    return are_equal and _is_constant(one[2]) and _is_constant(other[2]) and _differ(one[2][0], other[2][0])


def _is_constant(side: tuple[str, ...]) -> bool:
    return len(side) == 1 and (side[0][:1] in "\"'" or side[0].isdigit() or side[0] in {"true", "false"})


def _differ(one: str, other: str) -> bool:
    return one.strip("\"'") != other.strip("\"'")


def _check_unused(draft: Draft) -> None:
    """Say which outputs a plan names and nothing reads. Those of the last tasks are the result where none is named."""
    used = set(_used(draft))
    waited_for = {up for ups in draft.upstream.values() for up in ups}
    for task in draft.tasks.values():
        is_last = task.id not in waited_for
        if not task.outputs or (task.id, "") in used or (is_last and not draft.plan.result):
            continue
        first = next(iter(task.outputs))
        unread = [
            name
            for name in task.outputs
            if (task.id, name) not in used and not (name == first and (task.id, RESULT) in used)
        ]
        # Of several outputs the first is what the task is for; the others may just be what its skill also gives.
        if unread and not (is_last and first not in unread):
            draft.say("unused_output", task=task.id, id=task.id, outputs=unread)


def _used(draft: Draft) -> Iterator[tuple[str, str]]:
    """Give (task, output) for every reading; the output is empty where the whole task is read."""
    for read in draft.reads:
        yield _named(read)
    for name in draft.plan.result:
        if name in draft.producers:
            yield draft.producers[name], name
        elif name in draft.tasks:
            yield name, ""
        else:
            owner, _, output = name.rpartition(".")
            yield owner, output
    texts = [row.done_when for row in draft.milestones.values()]
    texts += [condition.check for condition in draft.plan.preconditions]
    texts += [text for task in draft.tasks.values() for text in task.expect]
    for text in filter(None, texts):
        try:
            uses = expressions.uses(text)
        except ExpressionError:
            continue
        for use in uses:
            aim = target(use.name, use.path, draft.tasks, draft.producers)
            if aim:
                yield aim.task, str(aim.path[0]) if aim.path else ""


def _named(read: Read) -> tuple[str, str]:
    return read.aim.task, str(read.aim.path[0]) if read.aim.path else ""
