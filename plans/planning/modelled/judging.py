"""From an answer to a judged plan, and what the findings say to a model that is to mend it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils import translation

from plans.core.compile import compile_plan
from plans.core.findings import Finding, Severity
from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.core.skill import Expand
from plans.planning.modelled.session import Answer, Session
from plans.planning.modelled.wire import from_wire
from plans.wording import sentence

MOST_TOLD = 40
Finish = Callable[[JsonObject], JsonObject]
"""Adds to a plan what the model was not asked to write: goal, intent, what other drafts hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An answer and what came of it. `plan` is None when nothing of it can be read as a plan."""

    answer: Answer
    plan: JsonObject | None = None
    findings: list[Finding] = field(default_factory=list)
    notes: JsonObject = field(default_factory=dict)

    @property
    def errors(self) -> int:
        return sum(finding.severity == Severity.ERROR for finding in self.findings)

    @property
    def is_good(self) -> bool:
        return self.plan is not None and not self.errors

    @property
    def rank(self) -> tuple[bool, int]:
        """The smaller the better."""
        return not (self.plan and self.plan["tasks"]), self.errors


def judge(session: Session, answer: Answer, finish: Finish) -> Judged:
    """Read, complete and compile what came."""
    if answer.data is None:
        return Judged(answer=answer, findings=list(answer.findings) or [Finding(code="reply_unreadable")])
    written, findings = from_wire(answer.data, session.catalogue)
    compiled = compile_plan(finish(written), session.catalogue, session.circumstances)
    plan = compiled.plan.model_dump(mode="json", by_alias=True) if compiled.plan else None
    every = [*answer.findings, *findings, *compiled.findings]
    return Judged(answer=answer, plan=plan, findings=every, notes=compiled.summary())


def fingerprint(answer: Answer) -> str:
    """Return what is equal for two answers that say the same, however they are spaced."""
    return digest(answer.data if answer.data is not None else " ".join(answer.text.split()))


def as_text(findings: Iterable[Finding]) -> str:
    """Return findings for a model: errors first, each with its place, its sentence and its fix."""
    order = list(Severity)
    ranked = sorted(findings, key=lambda finding: order.index(finding.severity))
    with translation.override("en"):
        lines = [_line(finding) for finding in ranked[:MOST_TOLD]]
    if len(ranked) > MOST_TOLD:
        lines.append(f"- and {len(ranked) - MOST_TOLD} more")
    return "\n".join(lines) or "Nothing."


def _line(finding: Finding) -> str:
    place = f" in step {json.dumps(finding.task, ensure_ascii=False)}" if finding.task else ""
    fix = f" Fix: {json.dumps(finding.fix, ensure_ascii=False)}" if finding.fix else ""
    return f"- {finding.severity.value} {finding.code}{place}: {sentence(finding.code, finding.params)}{fix}"


def as_revision(session: Session, judged: Judged, **columns: Any) -> Expand:
    """Return what is kept of a judged answer; where there is no plan, an empty one with what the model wrote."""
    empty = {"schema": 1, "goal": session.goal, "tasks": []}
    raw = "" if judged.is_good else judged.answer.text
    return Expand(
        plan=judged.plan or empty,
        findings=tuple(judged.findings),
        notes=judged.notes,
        raw_reply=raw,
        **{"source": "model", **columns},
    )
