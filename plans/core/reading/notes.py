"""What reading repaired: one finding for each kind of repair, however many tasks it touched."""

from __future__ import annotations

import json
from typing import Any

from plans.core.findings import Finding, Severity

_NAMED_TASKS = 10


class Notes:
    """Collects repairs and refusals in the order in which they were first made."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        self._made: dict[str, tuple[str, dict[str, Any], list[str | None]]] = {}

    def repaired(self, code: str, task: str | None = None, **params: Any) -> None:
        """Note a repair; the same with the same params counts its tasks."""
        key = json.dumps([code, params], sort_keys=True, default=str)
        self._made.setdefault(key, (code, params, []))[2].append(task)

    def refused(self, code: str, task: str | None = None, **params: Any) -> None:
        """Note what nobody can read for certain."""
        self.findings.append(Finding(code=code, task=task, params=params))

    def report(self) -> None:
        """Add a finding for each kind of repair."""
        for code, params, tasks in self._made.values():
            named = [task for task in dict.fromkeys(tasks) if task is not None]
            only = named[0] if len(named) == 1 else None
            more = {"count": len(tasks), "tasks": named[:_NAMED_TASKS]}
            self.findings.append(Finding(code=code, severity=Severity.INFO, task=only, params={**params, **more}))
