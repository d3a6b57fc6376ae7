"""Read a plan leniently: JSON text or an object in, a PlanSpec and findings out; nothing is dropped without a word."""

from __future__ import annotations

from plans.core.catalogue import Catalogue
from plans.core.findings import Finding
from plans.core.jsontypes import Json, JsonObject
from plans.core.reading import roots
from plans.core.reading.notes import Notes
from plans.core.reading.parts import Reader
from plans.core.reading.shape import shaped
from plans.core.reading.text import parse
from plans.core.spec import PlanSpec

__all__ = ["read_object", "read_plan"]


def read_plan(
    raw: str | bytes | Json, catalogue: Catalogue, default_skill: str | None = None
) -> tuple[PlanSpec | None, list[Finding]]:
    """Return the plan and what had to be said about it; no plan when nothing of it can be judged.

    What can only mean one thing is repaired and said; what is cut off or could mean two things is refused. A task
    without a skill is an error, unless `default_skill` stands in for it.
    """
    read = parse(raw)
    if read.value is None:
        return None, read.findings
    notes = Notes(read.findings)
    plan = shaped(read.value, catalogue, notes)
    notes.report()
    return (Reader(read.findings, default_skill).plan(plan) if plan is not None else None), read.findings


def read_object(text: str) -> tuple[JsonObject | None, list[Finding]]:
    """Return the object with `tasks` in a model's text, its tasks left as they are, and what had to be said."""
    read = parse(text)
    if read.value is None:
        return None, read.findings
    notes = Notes(read.findings)
    plan = roots.plan_of(read.value, notes)
    notes.report()
    return plan, read.findings
