"""Change a plan that is under review: edit it, or choose another of its revisions. What was seen is what is changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import ValidationError

from plans.core.catalogue import Catalogue
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.compile import Compiled, compile_plan
from plans.core.errors import InputError, StaleDecision
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.spec import PlanSpec
from plans.core.states import RunState
from plans.engine import revisions
from plans.engine.boundaries import Boundary
from plans.engine.plans import already_decided, lock_run, open_plan_request
from plans.engine.settle import Changes
from plans.engine.sql import committing, patient
from plans.models import Request, Revision, Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LONGEST_TEXT = 2000


@patient
def revise(
    *,
    run: Run,
    seen: int,
    change: Callable[[JsonObject], JsonObject],
    by: User,
    catalogue: Catalogue,
    circumstances: Circumstances = NOTHING_KNOWN,
    comment: str = "",
) -> Revision:
    """Make `change` to the plan of revision `seen` and keep the outcome as the next revision, also one with findings.

    Raises AlreadyDecided when the run is not under review, StaleDecision when another revision is current, InputError
    when `change` refuses, changes nothing, or leaves something that is no plan.
    """
    with committing(Boundary.REVISE):
        run, request, current = _under_review(run, seen)
        compiled, stored = _judged(change(dict(current.plan)), catalogue, circumstances)
        if stored == PlanSpec.model_validate(current.plan).model_dump(mode="json", by_alias=True):
            raise InputError("nothing_changed")
        revision = revisions.keep(
            run,
            stored,
            [finding.as_json() for finding in compiled.findings],
            compiled=compiled.summary(),
            source="edit",
            comment=comment,
            author=by,
        )
        _make_current(run, request, revision, by, source="edit")
    return revision


@patient
def choose_revision(*, run: Run, seen: int, number: int, by: User) -> Revision:
    """Make another revision (an alternative, an earlier one) the one to decide on.

    Raises AlreadyDecided, StaleDecision, InputError `revision_unknown`, `nothing_changed`.
    """
    with committing(Boundary.REVISE):
        run, request, current = _under_review(run, seen)
        chosen = run.revisions.filter(number=number).first()
        if chosen is None:
            raise InputError("revision_unknown", number=number)
        if chosen.pk == current.pk:
            raise InputError("nothing_changed")
        _make_current(run, request, chosen, by, source="choice")
    return chosen


def _under_review(run: Run, seen: int) -> tuple[Run, Request, Revision]:
    """Lock the run; return it with its open plan approval and its revision, if that is the one that was seen."""
    run = lock_run(run)
    request, current = open_plan_request(run), run.revision
    if request is None or current is None or run.state != RunState.REVIEW:
        raise already_decided(run)
    if current.number != seen:
        raise StaleDecision("plan_changed", revision=current.number)
    return run, request, current


def _make_current(run: Run, request: Request, revision: Revision, by: User, *, source: str) -> None:
    """Let `revision` be what the open approval is about: who had another one before them is refused as stale."""
    Run.objects.filter(pk=run.pk).update(revision=revision)
    content = revisions.approval_content(revision)
    Request.objects.filter(pk=request.pk).update(digest=revision.graph_hash, content=content)
    changes = Changes(run.pk)
    changes.say(EventKind.PLAN_DRAFTED, actor_id=by.pk, source=source, **content)
    changes.flush()


def _judged(changed: JsonObject, catalogue: Catalogue, circumstances: Circumstances) -> tuple[Compiled, JsonObject]:
    """Compile an edited plan; return it with its stored form. Raises InputError when it is no plan, letter for letter.

    What a model writes is read leniently; of what a person wrote nothing is dropped without a word.
    """
    compiled = compile_plan(changed, catalogue, circumstances)
    try:
        PlanSpec.model_validate(changed)
    except ValidationError as error:
        if not compiled.findings:
            raise InputError("plan_unreadable") from error
        first = compiled.findings[0]
        raise InputError("params_invalid", finding=first.code, params=dict(first.params)) from error
    if compiled.plan is None:
        raise InputError("plan_unreadable")
    return compiled, compiled.plan.model_dump(mode="json", by_alias=True)
