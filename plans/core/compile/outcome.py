"""What compiling gives: the verdict, the graph and the findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from plans.core.diagnostics import REPAIRS
from plans.core.findings import Finding, Severity
from plans.core.jsontypes import JsonObject
from plans.core.spec import PlanSpec

Outcome: TypeAlias = Literal["accepted", "repaired", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A judged plan. `nodes` are steps; `edges` are (upstream, downstream) with milestones expanded to their steps."""

    outcome: Outcome
    plan: PlanSpec | None = None
    nodes: list[str] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    levels: list[list[str]] = field(default_factory=list)
    critical_path: list[str] = field(default_factory=list)
    estimate: JsonObject = field(default_factory=lambda: {"seconds": 0.0, "usd": None})

    @property
    def is_acceptable(self) -> bool:
        """Whether it may be approved."""
        return self.outcome != "rejected"

    def summary(self) -> JsonObject:
        """Return what is stored beside a revision: everything that can be told without the plan and its findings."""
        return {
            "outcome": self.outcome,
            "levels": self.levels,
            "critical_path": self.critical_path,
            "estimate": self.estimate,
        }

    def as_json(self, message: Callable[[str, Mapping[str, Any]], str] | None = None) -> JsonObject:
        """Return the document of `checkplan` (DESIGN §8). `message` makes the sentence from code and params."""
        plan = self.plan.model_dump(mode="json", by_alias=True) if self.plan else None
        return {
            "outcome": self.outcome,
            "plan": plan,
            "graph": {"nodes": self.nodes, "edges": [list(edge) for edge in self.edges]},
            "findings": [_finding(each, message) for each in self.findings],
            "levels": self.levels,
            "critical_path": self.critical_path,
            "estimate": self.estimate,
        }


def _finding(finding: Finding, message: Callable[[str, Mapping[str, Any]], str] | None) -> JsonObject:
    told = message(finding.code, finding.params) if message else finding.code
    return {**finding.as_json(), "message": told}


def outcome_of(findings: list[Finding]) -> Outcome:
    """Return the verdict: an error rejects, a repair shows, anything else is as given."""
    if any(finding.severity == Severity.ERROR for finding in findings):
        return "rejected"
    return "repaired" if any(finding.code in REPAIRS for finding in findings) else "accepted"
