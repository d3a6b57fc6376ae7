"""Second opinions: a cheap model reads the plan against the goal; other drafts are written to choose from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plans.core.errors import BudgetReached, ModelError
from plans.core.findings import Finding, Severity
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose
from plans.core.skill import Expand
from plans.planning.modelled import material, offering, schemas, wire
from plans.planning.modelled.drafting import brief_of, finish_with
from plans.planning.modelled.judging import as_revision, as_text, judge
from plans.planning.modelled.prompts import prompt
from plans.planning.modelled.session import Session

KINDS = ("careful", "cheap", "fast")
MOST_REMARKS = 8
LONGEST_REMARK = 500


def review(session: Session, plan: Mapping[str, Any], findings: list[Finding]) -> list[Finding]:
    """Return the remarks of a second reader; the plan itself is never touched. Raises ModelError, BudgetReached."""
    session.watch.begin("review")
    system = f"{prompt('review')}\n\n# Skills\n\n{offering.described(_used(session, plan))}"
    shown = material.fenced("plan", material.as_json(wire.to_wire(plan, session.catalogue), most=60_000))
    text = prompt(
        "review_this", goal=session.fenced_goal(), plan=shown, findings=material.fenced("findings", as_text(findings))
    )
    messages = [Message(role="user", text=text)]
    answer = session.ask("review", Purpose.REVIEW, system=system, messages=messages, schema=schemas.opinion())
    if answer.data is None:
        return [Finding(code="review_unreadable", severity=Severity.INFO)]
    known = {task["id"] for task in plan.get("tasks") or []}
    remarks = [each for each in answer.data.get("remarks") or [] if str(each.get("text") or "").strip()]
    return [_remark(each, known) for each in remarks[:MOST_REMARKS]]


def _remark(remark: Mapping[str, Any], known: set[str]) -> Finding:
    # An opinion may warn but never blocks: only what the compiler proves does.
    severity = Severity.WARNING if remark.get("severity") == "warning" else Severity.INFO
    task = remark.get("task") if remark.get("task") in known else None
    return Finding(
        code="review_remark", severity=severity, task=task, params={"text": str(remark["text"])[:LONGEST_REMARK]}
    )


def _used(session: Session, plan: Mapping[str, Any]) -> JsonObject:
    names = {task["skill"] for task in plan.get("tasks") or []}
    return {name: session.catalogue[name] for name in names if name in session.catalogue}


def alternatives(session: Session, plan: Mapping[str, Any], intent: Mapping[str, Any]) -> list[Expand]:
    """Return up to three other plans, each compiled; what came out as the plan there is, or unreadable, is left out.

    Raises ModelError, BudgetReached when not even one could be written.
    """
    brief = brief_of(session, intent)
    drafts: list[Expand] = []
    previous = wire.to_wire(plan, session.catalogue)
    shown = material.fenced("previous", material.as_json(previous, most=60_000))
    seen = {_shape(plan)}
    for kind in KINDS:
        session.watch.begin("alternatives")
        opening = brief.opening("alternative", kind=kind, how=prompt(kind), previous=shown)
        messages = [Message(role="user", text=opening)]
        schema = schemas.plan(list(session.offered))
        try:
            answer = session.ask(
                f"alternative.{kind}",
                Purpose.ALTERNATIVE,
                system=brief.system,
                messages=messages,
                schema=schema,
                is_plan=True,
            )
        except (ModelError, BudgetReached):
            if not drafts:
                raise
            break
        judged = judge(session, answer, finish_with(session, intent))
        if judged.plan is None or _shape(judged.plan) in seen:
            continue
        seen.add(_shape(judged.plan))
        drafts.append(as_revision(session, judged, source="alternative", label=kind))
    return drafts


def _shape(plan: Mapping[str, Any]) -> str:
    """Return what two plans share that do the same, whatever they are called."""
    steps = [
        [task["id"], task["skill"], task.get("params"), sorted(task.get("depends_on") or [])] for task in plan["tasks"]
    ]
    return json.dumps(steps, sort_keys=True, default=str)
