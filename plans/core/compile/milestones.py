"""Checks of when a milestone is done: what its condition names has to be made by the milestone's own steps."""

from __future__ import annotations

from plans.core import expressions
from plans.core.cel_text import Use
from plans.core.cel_words import TYPE_NAMES
from plans.core.compile.dependencies import milestone_steps
from plans.core.compile.draft import Draft
from plans.core.compile.nulls import Nulls
from plans.core.compile.places import Place, say_expression
from plans.core.compile.references import check_output, say_unguarded
from plans.core.errors import ExpressionError
from plans.core.names import Target, target, written
from plans.core.spec import Milestone, TaskSpec

DONE_WHEN = "done_when"


def check(draft: Draft) -> None:
    """Add findings about `done_when`."""
    inside = milestone_steps(draft)
    nulls = Nulls(draft)
    for row in draft.milestones.values():
        if row.done_when is not None:
            _check(draft, row, Place(DONE_WHEN, row.done_when, exact=True), set(inside.get(row.id, [])), nulls)


def _check(draft: Draft, row: Milestone, place: Place, inside: set[str], nulls: Nulls) -> None:
    # Stands for the milestone wherever a finding is about the row that an expression belongs to.
    owner = TaskSpec(id=row.id, skill="-")
    try:
        uses = expressions.uses(place.text)
    except ExpressionError as error:
        say_expression(draft, owner, DONE_WHEN, error)
        return
    found: list[tuple[Use, Target]] = []
    for use in uses:
        aim = target(use.name, use.path, draft.tasks, draft.producers)
        if aim is None:
            if use.name not in {"inputs", "answers"} and not (use.name in TYPE_NAMES and not use.path):
                _say_outside(draft, row, place, use)
        elif aim.task not in inside:
            _say_outside(draft, row, place, use)
        elif check_output(draft, owner, place, use, aim, draft.outputs(draft.tasks[aim.task])):
            found.append((use, aim))
    for fragile in nulls.unguarded(owner, DONE_WHEN, found):
        say_unguarded(draft, owner, place, fragile)


def _say_outside(draft: Draft, row: Milestone, place: Place, use: Use) -> None:
    reference = written(use.name, use.path)
    draft.say("done_when_outside", task=row.id, id=row.id, expression=place.text, reference=reference)
