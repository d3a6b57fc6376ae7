"""What the compiler says about a plan: code, severity, place, params and, where one exists, a mechanical fix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from plans.core.jsontypes import JsonObject


class Severity(StrEnum):
    """`error` blocks approval, `warning` shows, `info` advises."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One remark. The sentence is made in `plans.wording` from `code` and `params`."""

    code: str
    severity: Severity = Severity.ERROR
    task: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    fix: JsonObject | None = None

    def as_json(self) -> JsonObject:
        """Return the stored form: every key present."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "task": self.task,
            "params": dict(self.params),
            "fix": self.fix,
        }
