"""Commit what planning the rest anew, or looking for other params, gave back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plans.core.catalogue import SkillInfo
from plans.core.errors import ErrorClass, InputError
from plans.core.jsontypes import JsonObject
from plans.core.skill import Expand
from plans.core.states import Autonomy
from plans.engine import edits, regraph, replanning, revisions, rungs
from plans.engine.requests import to_ready
from plans.engine.settle import Changes
from plans.models import Revision, Run, Task


def take_plan(changes: Changes, planning: Task, result: Expand, read: Callable[[], Mapping[str, SkillInfo]]) -> None:
    """A new tail has come: keep it as a revision and ask, or put it in place when nobody attends."""
    run, broken = planning.run, replanning.broken_of(planning)
    if run.cancel_requested_at:
        return
    if not result.notes.get("is_good") or not result.plan:
        replanning.gave_up(changes, planning, rungs.error_json("replan_unusable", {}, ErrorClass.PERMANENT))
        return
    catalogue = read()
    merged = regraph.merge(run, result.plan, broken, catalogue)
    revision = revisions.keep(
        run,
        merged.plan,
        [each.as_json() for each in merged.compiled.findings],
        compiled=merged.compiled.summary(),
        source="replan",
        raw_reply=result.raw_reply,
    )
    problem = _problem(run, revision, merged)
    if problem:
        replanning.gave_up(changes, planning, rungs.error_json(problem, {}, ErrorClass.PERMANENT))
    elif run.autonomy == Autonomy.UNATTENDED:
        replanning.put_in_place(changes, run, revision, merged, broken, catalogue, by=None)
    else:
        replanning.ask(changes, run, revision, result.plan, broken)


def _problem(run: Run, revision: Revision, merged: regraph.Merged) -> str:
    """Return why a new plan cannot be taken; a plan that is the same again never can."""
    if run.revision is not None and revision.graph_hash == run.revision.graph_hash:
        return "replan_unchanged"
    if regraph.taken_ids(run, merged):
        return "replan_ids_taken"
    return "" if merged.compiled.is_acceptable else "replan_unusable"


def take_arguments(
    changes: Changes, planning: Task, result: Expand, read: Callable[[], Mapping[str, SkillInfo]]
) -> None:
    """Other params have come for a failed step, or word that none would help."""
    broken = replanning.broken_of(planning)
    if broken is None or planning.run.cancel_requested_at:
        return
    catalogue = read()
    params = result.notes.get("params")
    if not result.notes.get("can_be_mended") or not isinstance(params, dict) or not _fits(broken, params, catalogue):
        rungs.ask_waiting(changes, broken)
        return
    edits.keep_written(changes, broken, params, None, catalogue)
    to_ready(changes, broken, checkpoint=None)


def _fits(task: Task, params: JsonObject, catalogue: Mapping[str, SkillInfo]) -> bool:
    try:
        edits.check_written(task, params, catalogue)
    except InputError:
        return False
    return bool(params != task.spec.get("params"))
