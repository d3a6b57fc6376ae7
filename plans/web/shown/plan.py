"""A revision as the Plan page shows it: what was understood, steps by wave, findings in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.compile import Compiled
from plans.core.diagnostics import REPAIRS
from plans.core.errors import ExpressionError
from plans.core.findings import Severity
from plans.core.kinds import Approval, Risk
from plans.core.names import uses_of
from plans.core.spec import Milestone, PlanSpec, TaskSpec
from plans.core.states import Autonomy
from plans.core.values import is_ref
from plans.engine import rows
from plans.models import Revision, Run
from plans.web.shown.costs import Estimated, Took, estimated
from plans.web.shown.states import RISKS
from plans.web.shown.values import Named, named_all, readable
from plans.wording import sentence

ASKING_SKILL = "ask_human"
SCOPES = {"inputs", "answers", "tasks"}
ON_FAILURE: dict[str, Promise] = {
    "retry_then_ask": _("tries again, then asks you"),
    "retry_then_stop": _("tries again, then fails; what does not need it goes on"),
    "retry_different": _("tries other parameters, then asks you"),
    "abort": _("tries again, then ends the run"),
    "skip": _("is skipped"),
    "fallback": _("another skill is tried"),
    "replan": _("the rest is planned anew"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShown:
    """One remark. `place` is its number in the revision, `key` its step; `has_fix`: a button can mend it."""

    severity: str
    text: str
    step: str
    key: str = ""
    place: int = 0
    has_fix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShown:
    """One step: `after` names the steps it waits for, `asks` tells that it will ask before it starts.

    `earlier` and `later` are the keys of its neighbours among the steps that may start with it.
    """

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
    undo: str
    reads: list[str]
    estimated: Estimated
    earlier: str = ""
    later: str = ""

    @property
    def warns_of_undo(self) -> bool:
        """Whether it matters that nobody knows how to undo this step."""
        return not self.undo and self.risk != Risk.LOW


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
    estimated: Estimated
    step_count: int
    edge_count: int
    asks: list[str]
    questions: list[str]
    reads: list[str]
    writes: list[str]

    @property
    def warnings(self) -> int:
        return sum(finding.severity == Severity.WARNING for finding in self.findings)

    @property
    def notes(self) -> list[FindingShown]:
        return [finding for finding in self.findings if finding.severity == Severity.INFO]


def plan_shown(run: Run, revision: Revision, catalogue: Catalogue, took: Mapping[str, Took] | None = None) -> PlanShown:
    """Return `revision` for display; `catalogue` gives the operator's word on risk and approval.

    `took` is what steps of a run that has started took, by key; the run as a whole is under the empty key.
    """
    plan = PlanSpec.model_validate(revision.plan)
    tasks = {task.id: task for task in plan.tasks}
    findings = [_finding(finding, tasks, place) for place, finding in enumerate(revision.findings)]
    reading = _Reading(run=run, tasks=tasks, catalogue=catalogue, compiled=revision.compiled, took=took or {})
    waves = _waves(reading, revision.compiled.get("levels") or [list(tasks)])
    asks = [step.name for wave in waves for step in wave if step.asks]
    asks += [item.name or item.id for item in plan.milestones if _milestone_asks(item, run.autonomy)]
    return PlanShown(
        summary=plan.intent.summary,
        expected=plan.intent.expected_output,
        assumptions=plan.intent.assumptions,
        risks=plan.risks,
        preconditions=[item.text for item in plan.preconditions],
        rollback=plan.rollback,
        waves=waves,
        findings=_sorted(findings),
        errors=sum(finding.severity == Severity.ERROR for finding in findings),
        estimated=estimated(revision.compiled.get("estimate") or {}, reading.took.get("")),
        step_count=len(tasks),
        edge_count=sum(len(set(task.depends_on) & set(tasks)) for task in plan.tasks),
        asks=asks,
        questions=[task.name or task.id for task in plan.tasks if task.skill == ASKING_SKILL],
        reads=[readable(value) for value in run.inputs.values() if is_ref(value)],
        writes=_writes(plan),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What is looked up for every step of a revision."""

    run: Run
    tasks: Mapping[str, TaskSpec]
    catalogue: Catalogue
    compiled: Mapping[str, Any]
    took: Mapping[str, Took]

    def estimated(self, task: TaskSpec) -> Estimated:
        known = (self.compiled.get("estimate") or {}).get("tasks") or {}
        return estimated(known.get(task.id) or task.estimate.model_dump(), self.took.get(task.id))


def _writes(plan: PlanSpec) -> list[str]:
    """Return what the run is asked for, with its kind: what `result` names, by default what the last steps make."""
    needed = {key for task in plan.tasks for key in task.depends_on}
    ends = [task for task in plan.tasks if task.id not in needed]
    made: dict[str, str] = {name: kind for task in ends for name, kind in task.outputs.items()}
    if plan.result:
        every: dict[str, str] = {name: kind for task in plan.tasks for name, kind in task.outputs.items()}
        made = {name.rpartition(".")[2]: every.get(name.rpartition(".")[2], "") for name in plan.result}
    return [f"{name} ({kind})" if kind else name for name, kind in made.items()]


def compiled_findings(compiled: Compiled) -> list[FindingShown]:
    """Return the compiler's findings in words, for a plan that has not become a revision."""
    tasks = {task.id: task for task in compiled.plan.tasks} if compiled.plan else {}
    return _sorted([_finding(finding.as_json(), tasks) for finding in compiled.findings])


def _sorted(findings: list[FindingShown]) -> list[FindingShown]:
    return sorted(findings, key=lambda finding: list(Severity).index(Severity(finding.severity)))


def _waves(reading: _Reading, levels: list[list[str]]) -> list[list[StepShown]]:
    tasks = reading.tasks
    known = [[key for key in level if key in tasks] for level in levels]
    # Steps the compiler could not place (a cycle, say) are shown all the same.
    placed = {key for level in known for key in level}
    if rest := [key for key in tasks if key not in placed]:
        known.append(rest)
    # Steps that may start together stand in the plan's order, which is the one they start in.
    order = {key: place for place, key in enumerate(tasks)}
    waves: list[list[StepShown]] = []
    count = 0
    for level in filter(None, known):
        keys = sorted(level, key=order.__getitem__)
        wave: list[StepShown] = []
        for n, key in enumerate(keys):
            beside = (keys[n - 1] if n else "", keys[n + 1] if n + 1 < len(keys) else "")
            wave.append(_step(reading, tasks[key], count + n + 1, beside))
        waves.append(wave)
        count += len(level)
    return waves


def _step(reading: _Reading, task: TaskSpec, number: int, beside: tuple[str, str]) -> StepShown:
    # A skill that is not there is a finding of its own; its step is still shown.
    info = reading.catalogue.get(task.skill) or SkillInfo(name=task.skill)
    risk = rows.effective_risk(task, info)
    return StepShown(
        number=number,
        key=task.id,
        name=task.name or task.id,
        skill=task.skill,
        description=task.description,
        expected=task.expected_output,
        params=named_all(task.params),
        outputs=[f"{name} ({kind})" for name, kind in task.outputs.items()],
        after=[reading.tasks[key].name or key for key in task.depends_on if key in reading.tasks],
        run_if=task.run_if,
        checks=task.expect,
        on_failure=ON_FAILURE[task.on_failure or _default_on_failure(reading.run)],
        risk=risk,
        risk_word=RISKS[risk],
        asks=rows.needs_approval(task, info, reading.run.autonomy),
        undo=readable(task.undo) if task.undo else "",
        reads=_reads(task, info.literal),
        estimated=reading.estimated(task),
        earlier=beside[0],
        later=beside[1],
    )


def _reads(task: TaskSpec, literal: frozenset[str]) -> list[str]:
    """Return the names a step takes its values from: outputs of other steps, inputs, answers."""
    try:
        uses = uses_of(task, literal)
    except ExpressionError:
        return []
    names = (f"{use.name}.{use.path[0]}" if use.name in SCOPES and use.path else use.name for use in uses)
    return list(dict.fromkeys(names))


def _default_on_failure(run: Run) -> str:
    return "retry_then_stop" if run.autonomy == Autonomy.UNATTENDED else "retry_then_ask"


def _finding(finding: Mapping[str, Any], tasks: Mapping[str, TaskSpec], place: int = 0) -> FindingShown:
    key = finding.get("task") or ""
    return FindingShown(
        severity=finding["severity"],
        text=sentence(finding["code"], finding.get("params")),
        step=tasks[key].name or key if key in tasks else key,
        key=key if key in tasks else "",
        place=place,
        # What was repaired while it was read is a note; its fix is already made.
        has_fix=bool(finding.get("fix")) and key in tasks and finding["code"] not in REPAIRS,
    )


def _milestone_asks(milestone: Milestone, autonomy: str) -> bool:
    return milestone.approval == Approval.ALWAYS and autonomy in {Autonomy.EVERY_STEP, Autonomy.RISKY_STEPS}
