"""Keep a plan as the next numbered revision of its run, and ask a person to approve it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plans.core.hashing import graph_hash
from plans.core.jsontypes import JsonObject
from plans.core.kinds import EventKind
from plans.core.spec import PlanSpec
from plans.core.states import RequestKind, RequestState, RunState, run_sources
from plans.engine.settle import Changes
from plans.models import Request, Revision, Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def keep(
    run: Run,
    plan: Any,
    findings: Sequence[JsonObject],
    *,
    compiled: JsonObject,
    source: str,
    label: str = "",
    comment: str = "",
    raw_reply: str = "",
    author: User | None = None,
) -> Revision:
    """Store a revision; the run goes on with the one it has. Raises pydantic's ValidationError for what is no plan."""
    return Revision.objects.create(
        run=run,
        number=run.revisions.count() + 1,
        plan=plan,
        graph_hash=graph_hash(PlanSpec.model_validate(plan)),
        findings=list(findings),
        compiled=compiled,
        source=source,
        label=label,
        comment=comment,
        raw_reply=raw_reply,
        author=author,
    )


def add_revision(
    changes: Changes, run: Run, plan: Any, findings: Sequence[JsonObject], *, compiled: JsonObject, **columns: Any
) -> Revision:
    """Store the next revision of `run`'s plan, put the run in review and ask for approval."""
    revision = keep(run, plan, findings, compiled=compiled, **columns)
    Run.objects.filter(pk=run.pk, state__in=run_sources(RunState.REVIEW)).update(
        state=RunState.REVIEW, revision=revision
    )
    run.state, run.revision = RunState.REVIEW, revision
    changes.say(EventKind.PLAN_DRAFTED, revision=revision.number, tasks=len(plan["tasks"]))
    ask_for_approval(changes, run, revision)
    return revision


def ask_for_approval(changes: Changes, run: Run, revision: Revision) -> Request:
    """Open the request to approve `revision`, which takes the place of an open one."""
    Request.objects.filter(run=run, kind=RequestKind.PLAN_APPROVAL, state=RequestState.OPEN).update(
        state=RequestState.VOID
    )
    request = Request.objects.create(
        run=run,
        kind=RequestKind.PLAN_APPROVAL,
        digest=revision.graph_hash,
        content=approval_content(revision),
    )
    changes.say(EventKind.REQUEST_OPENED, request=str(request.uuid), kind=RequestKind.PLAN_APPROVAL.value)
    return request


def approval_content(revision: Revision) -> JsonObject:
    """Return what the request to approve `revision` says of it."""
    return {"revision": revision.number, "tasks": len(revision.plan["tasks"])}
