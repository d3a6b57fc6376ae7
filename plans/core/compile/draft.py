"""The plan under judgement, with the indexes that every check reads and the findings they add to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from plans.core.catalogue import Catalogue as Skills
from plans.core.catalogue import SkillInfo, find
from plans.core.cel_text import Use
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.diagnostics import CATALOGUE
from plans.core.findings import Finding, Severity
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.core.names import Target, producers_of
from plans.core.nearest import nearest
from plans.core.spec import Milestone, PlanSpec, TaskSpec

_NEAREST_ASKED = 50
"""Suggestions made for one plan: time must grow with the edges, not with their square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A place where a task reads what another makes."""

    task: str
    field: str
    use: Use
    aim: Target


@dataclass(slots=True, kw_only=True)
class Draft:
    """Where ids repeat, the first one counts, so that the rest of the plan can still be judged."""

    plan: PlanSpec
    catalogue: Skills
    circumstances: Circumstances = NOTHING_KNOWN
    findings: list[Finding]
    tasks: dict[str, TaskSpec] = field(init=False)
    milestones: dict[str, Milestone] = field(init=False)
    producers: dict[str, str] = field(init=False)
    upstream: dict[str, list[str]] = field(default_factory=dict)
    """Step -> steps it waits for, milestones expanded; set by `dependencies.check`, added to by `references.check`."""
    added: dict[str, list[str]] = field(default_factory=dict)
    """Step -> dependencies that its references make."""
    reads: list[Read] = field(default_factory=list)
    """Every reading of an output; set by `references.check`."""
    _asked: int = 0
    _infos: dict[str, SkillInfo | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tasks, self.milestones = {}, {}
        for task in self.plan.tasks:
            self.tasks.setdefault(task.id, task)
        for milestone in self.plan.milestones:
            self.milestones.setdefault(milestone.id, milestone)
        self.producers = producers_of(self.tasks.values())

    def say(
        self,
        code: str,
        severity: Severity | None = None,
        task: str | None = None,
        fix: JsonObject | None = None,
        **params: Any,
    ) -> None:
        """Add a finding; its severity is that of the catalogue."""
        severity = severity or CATALOGUE[code].severity
        self.findings.append(Finding(code=code, severity=severity, task=task, fix=fix, params=params))

    def nearest(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name most like `name`, for the first few that ask: each looks at every known name."""
        self._asked += 1
        return nearest(name, known) if self._asked <= _NEAREST_ASKED else None

    def info(self, task: TaskSpec) -> SkillInfo | None:
        """Return the task's skill, None when it is unknown."""
        if task.skill not in self._infos:
            self._infos[task.skill] = find(self.catalogue, task.skill) if task.skill else None
        return self._infos[task.skill]

    def outputs(self, task: TaskSpec) -> dict[str, ValueKind] | None:
        """Return the outputs others read: those of one call, each a list of them when the task is fanned out."""
        found = self.item_outputs(task)
        return found if found is None or task.for_each is None else dict.fromkeys(found, ValueKind.LIST)

    def item_outputs(self, task: TaskSpec) -> dict[str, ValueKind] | None:
        """Return the outputs of one call: as declared, else the skill's own; None when nobody can say."""
        if task.outputs:
            return dict(task.outputs)
        info = self.info(task)
        return dict(info.outputs) if info and (info.outputs or not info.free_params) else None
