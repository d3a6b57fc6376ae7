"""Planning work with a model, by stage: what `engine.planning_work` queues comes in, a revision or an answer goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plans.core.catalogue import Catalogue
from plans.core.circumstances import Circumstances
from plans.core.errors import BudgetReached, ModelError
from plans.core.findings import Finding, Severity
from plans.core.skill import Ask, Context, Expand
from plans.planning.modelled import again, opinions
from plans.planning.modelled.drafting import draft
from plans.planning.modelled.intent import understand
from plans.planning.modelled.judging import Judged, as_revision
from plans.planning.modelled.session import Session, open_session

Params = Mapping[str, Any]
Stage = Callable[[Session, Params, Context], Expand | Ask]


def perform(params: Params, catalogue: Catalogue, context: Context, circumstances: Circumstances) -> Expand | Ask:
    """Do the planning work `params["stage"]` names. Raises GoalRefused, DraftError, ModelError, BudgetReached."""
    session = open_session(params, catalogue, context, circumstances)
    return STAGES[str(params.get("stage") or "plan")](session, params, context)


def _plan(session: Session, params: Params, context: Context) -> Expand | Ask:
    intent = understand(session, context)
    if isinstance(intent, Ask):
        return intent
    return _seconded(session, params, draft(session, intent), comment=str(params.get("comment") or ""))


def _changes(session: Session, params: Params, context: Context) -> Expand | Ask:
    previous, comment = dict(params["previous"]), str(params["comment"])
    if not previous.get("tasks"):
        # There was no plan to change: the comment is part of what is wanted.
        session.goal = f"{session.goal}\n\n{comment}"
        return _plan(session, params, context)
    findings = [Finding(**each) for each in params.get("findings") or []]
    return _seconded(session, params, again.change(session, previous, comment, findings), comment=comment)


def _seconded(session: Session, params: Params, judged: Judged, *, comment: str) -> Expand:
    """Return the revision, with a second opinion and other drafts where they are wanted; neither may lose the plan."""
    found = as_revision(session, judged, comment=comment)
    if judged.plan is None or not judged.is_good:
        return found
    remarks: list[Finding] = []
    others: list[Expand] = []
    try:
        if params.get("review"):
            remarks = opinions.review(session, judged.plan, judged.findings)
        if params.get("alternatives"):
            others = opinions.alternatives(session, judged.plan, judged.plan["intent"])
    except (ModelError, BudgetReached) as error:
        remarks.append(Finding(code=error.code, severity=Severity.INFO, params=dict(error.params)))
    return Expand(
        plan=found.plan,
        findings=(*found.findings, *remarks),
        notes=found.notes,
        source=found.source,
        comment=found.comment,
        raw_reply=found.raw_reply,
        others=tuple(others),
    )


def _alternatives(session: Session, params: Params, context: Context) -> Expand:
    previous = dict(params["previous"])
    return Expand(plan={}, others=tuple(opinions.alternatives(session, previous, previous.get("intent") or {})))


def _review(session: Session, params: Params, context: Context) -> Expand:
    findings = [Finding(**each) for each in params.get("findings") or []]
    return Expand(plan={}, findings=tuple(opinions.review(session, params["previous"], findings)))


def _replan(session: Session, params: Params, context: Context) -> Expand:
    return again.replan(session, params["state"])


def _arguments(session: Session, params: Params, context: Context) -> Expand:
    return again.arguments(session, params)


STAGES: Mapping[str, Stage] = {
    "plan": _plan,
    "changes": _changes,
    "alternatives": _alternatives,
    "review": _review,
    "replan": _replan,
    "arguments": _arguments,
}
