"""A revision as the Plan page shows it: what was understood, steps by wave, findings in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.catalogue import Catalogue
from plans.core.findings import Severity
from plans.core.kinds import Approval, Risk
from plans.core.states import Autonomy
from plans.models import Revision, Run
from plans.web.shown.states import RISKS
from plans.web.shown.values import Named, duration, named_all
from plans.wording import sentence

ON_FAILURE: dict[str, Promise] = {
    "retry_then_ask": _("tries again, then asks you"),
    "retry_then_stop": _("tries again, then stops the run"),
    "skip": _("is skipped"),
    "fallback": _("another skill is tried"),
    "replan": _("the rest is planned anew"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShown:
    severity: str
    text: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShown:
    """One step: `after` names the steps it waits for, `asks` tells that it will ask before it starts."""

    number: int
    key: str
    name: str
    skill: str
    description: str
    expected: str
    params: list[Named]
    outputs: list[str]
    after: list[str]
    run_if: str | None
    checks: list[str]
    on_failure: str | Promise
    risk: str
    risk_word: str | Promise
    asks: bool
    seconds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanShown:
    summary: str
    expected: str
    assumptions: list[str]
    risks: list[str]
    preconditions: list[str]
    rollback: str
    waves: list[list[StepShown]]
    findings: list[FindingShown]
    errors: int
    seconds: str
    step_count: int
    asks: list[StepShown]


def plan_shown(run: Run, revision: Revision, catalogue: Catalogue) -> PlanShown:
    """Return `revision` for display; `catalogue` gives the operator's word on risk and approval."""
    plan, compiled = revision.plan, revision.compiled
    tasks = {task["id"]: task for task in plan.get("tasks", [])}
    waves = _waves(run, tasks, compiled.get("levels") or [list(tasks)], catalogue)
    intent = plan.get("intent", {})
    findings = [_finding(finding, tasks) for finding in revision.findings]
    return PlanShown(
        summary=intent.get("summary", ""),
        expected=intent.get("expected_output", ""),
        assumptions=intent.get("assumptions", []),
        risks=plan.get("risks", []),
        preconditions=[item["text"] for item in plan.get("preconditions", [])],
        rollback=plan.get("rollback", ""),
        waves=waves,
        findings=sorted(findings, key=lambda finding: list(Severity).index(Severity(finding.severity))),
        errors=sum(finding.severity == Severity.ERROR for finding in findings),
        seconds=duration((compiled.get("estimate") or {}).get("seconds")),
        step_count=len(tasks),
        asks=[step for wave in waves for step in wave if step.asks],
    )


def _waves(
    run: Run, tasks: Mapping[str, dict[str, Any]], levels: list[list[str]], catalogue: Catalogue
) -> list[list[StepShown]]:
    known = [[key for key in level if key in tasks] for level in levels]
    # Steps the compiler could not place (a cycle, say) are shown all the same.
    placed = {key for level in known for key in level}
    if rest := [key for key in tasks if key not in placed]:
        known.append(rest)
    waves: list[list[StepShown]] = []
    count = 0
    for level in filter(None, known):
        waves.append([_step(run, tasks[key], count + n, tasks, catalogue) for n, key in enumerate(level, 1)])
        count += len(level)
    return waves


def _step(
    run: Run, task: dict[str, Any], number: int, tasks: Mapping[str, dict[str, Any]], catalogue: Catalogue
) -> StepShown:
    info = catalogue.get(task["skill"])
    risk = task.get("risk") or (info.risk.value if info else Risk.LOW.value)
    upstream = [key for key in task.get("depends_on", []) if key in tasks]
    return StepShown(
        number=number,
        key=task["id"],
        name=task.get("name") or task["id"],
        skill=task["skill"],
        description=task.get("description", ""),
        expected=task.get("expected_output", ""),
        params=named_all(task.get("params")),
        outputs=[f"{name} ({kind})" for name, kind in task.get("outputs", {}).items()],
        after=[tasks[key].get("name") or key for key in upstream],
        run_if=task.get("run_if"),
        checks=task.get("expect", []),
        on_failure=ON_FAILURE[task.get("on_failure") or _default_on_failure(run)],
        risk=risk,
        risk_word=RISKS[risk],
        asks=asks_first(run.autonomy, task, risk, info.approval if info else Approval.AUTO),
        seconds=duration(task.get("estimate", {}).get("seconds")),
    )


def asks_first(autonomy: str, task: Mapping[str, Any], risk: str, operator: Approval) -> bool:
    """Tell whether a step will ask before it starts: the stricter of the skill's row, the plan and the autonomy."""
    if Approval.ALWAYS in {operator, task.get("approval")} or task.get("confidence") == "low":
        return True
    return autonomy == Autonomy.EVERY_STEP or (autonomy == Autonomy.RISKY_STEPS and risk == Risk.HIGH)


def _default_on_failure(run: Run) -> str:
    return "retry_then_stop" if run.autonomy == Autonomy.UNATTENDED else "retry_then_ask"


def _finding(finding: Mapping[str, Any], tasks: Mapping[str, dict[str, Any]]) -> FindingShown:
    key = finding.get("task") or ""
    return FindingShown(
        severity=finding["severity"],
        text=sentence(finding["code"], finding.get("params")),
        step=str(tasks[key].get("name") or key) if key in tasks else key,
    )
