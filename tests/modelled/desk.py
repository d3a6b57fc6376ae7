"""Planning with the real client over HTTP, without an engine: what goes in, what the model was told, what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plans.core.catalogue import Catalogue
from plans.core.skill import Ask, Expand
from plans.planning import planner
from plans.skills import registry
from tests.llm.asking import Asking
from tests.scripted_model import Call, ScriptedModel, answer
from tests.skills.context import FolderContext

NOW = "2026-12-01T10:00:00+00:00"


def intent(summary: str = "Report on sales", **more: Any) -> dict[str, Any]:
    """Return an understood goal, as the model writes it."""
    return {
        "language": "en",
        "verdict": "plan",
        "reason": "",
        "missing_abilities": [],
        "contradictions": [],
        "summary": summary,
        "domain": "sales",
        "expected_output": "A report.",
        "entities": [],
        "constraints": [],
        "assumptions": [],
        "confidence": "high",
        "questions": [],
        "size": "small",
    } | more


def param(name: str, value: Any, kind: str = "literal") -> dict[str, str]:
    return {"name": name, "kind": kind, "value": value if kind == "ref" else json.dumps(value, ensure_ascii=False)}


def step(id: str, skill: str, params: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a step as the model writes it; a param given as `ref:x` is a reference."""
    written = [
        param(name, value[4:], "ref") if isinstance(value, str) and value.startswith("ref:") else param(name, value)
        for name, value in (params or {}).items()
    ]
    outputs = [{"name": name, "kind": kind} for name, kind in more.pop("outputs", {}).items()]
    return {
        "id": id,
        "name": id.replace("_", " ").capitalize(),
        "description": "",
        "milestone": "",
        "skill": skill,
        "params": written,
        "outputs": outputs,
        "depends_on": [],
        "expected_output": "",
        "run_if": "",
        "for_each": "",
        "item_errors": "stop",
        "expect": [],
        "on_failure": "default",
        "fallback_skill": "",
        "approval": "auto",
        "risk": "default",
        "confidence": "high",
        "estimate_seconds": 0,
        "always_run": False,
        "undo": "",
    } | more


def wire(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a plan as the model writes it."""
    return {
        "summary": "",
        "assumptions": [],
        "preconditions": [],
        "risks": [],
        "rollback": "",
        "milestones": [],
        "tasks": list(steps),
        "result": [],
    } | more


def question(text: str, id: str = "topic", choices: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"id": id, "text": text, "choices": list(choices)}


def ask_person(id: str, text: str, *fields: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in fields or ("answer",)}}
    return step(id, "ask_human", {"question": text, "fields": schema}, outputs={f"{id}_answer": "object"}, **more)


LOAD = step("read", "load_file", {"file": "ref:inputs.sales"}, outputs={"lines": "table"})
TOTALS = step(
    "add",
    "sql",
    {"query": "SELECT region, sum(amount) AS amount FROM lines GROUP BY 1", "tables": {"lines": "{{ lines }}"}},
    outputs={"totals": "table"},
    depends_on=["read"],
)
REPORT = step(
    "write",
    "report",
    {"title": "Sales", "body": "[[table:totals]]", "tables": {"totals": "{{ totals }}"}},
    outputs={"report": "html"},
    depends_on=["add"],
)
GOOD = wire(LOAD, TOTALS, REPORT, result=["report"])


@dataclass
class Desk:
    """Plans goals with a scripted model; `contexts` are the attempts so far, the last one first in line to be resumed."""

    root: Path
    model: ScriptedModel
    catalogue: Catalogue = field(default_factory=lambda: registry.catalogue({}))
    settings: dict[str, Any] = field(default_factory=dict)
    attempts: int = 0
    context: FolderContext | None = None

    def work(self, goal: str = "Report last month's sales by region", **params: Any) -> Expand | Ask:
        """Do one attempt; what the attempt before kept and what was answered are there again."""
        self.attempts += 1
        context = FolderContext(self.root / f"attempt{self.attempts}")
        context.attempt = self.attempts
        if self.context is not None:
            context.saved, context.answers = self.context.saved, self.context.answers
        self.context = context
        context.model = Asking(self.model, settings=self.settings).client
        given = {"goal": goal, "inputs": {}, "time_zone": "Europe/Prague", "now": NOW, **params}
        return planner.plan(given, self.catalogue, context)

    def plan(self, goal: str = "Report last month's sales by region", **params: Any) -> Expand:
        found = self.work(goal, **params)
        assert isinstance(found, Expand)
        return found

    def answer(self, key: str = "goal1", **given: str) -> None:
        assert self.context is not None
        self.context.answers = {**self.context.answers, key: given}

    @property
    def purposes(self) -> list[str]:
        return [call.purpose for call in self.model.calls]

    @property
    def shown(self) -> list[dict[str, Any]]:
        return self.context.shown if self.context else []


def codes(expanded: Expand, severity: str = "error") -> list[str]:
    return [finding.code for finding in expanded.findings if finding.severity == severity]


def by_purpose(**replies: Any) -> Any:
    """Return a responder: for each purpose one reply, or several in turn."""
    queues = {name: list(given) if isinstance(given, list) else given for name, given in replies.items()}

    def respond(call: Call) -> Any:
        found = queues[call.purpose]
        reply = found.pop(0) if isinstance(found, list) else found
        return answer(reply) if isinstance(reply, dict) else reply

    return respond
