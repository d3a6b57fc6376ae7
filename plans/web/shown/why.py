"""Why a run does not move, as sentences that lead to their step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from plans.engine import overview
from plans.models import Run
from plans.wording import sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyShown:
    text: str
    task_key: str


def why_shown(run: Run, now: datetime) -> list[WhyShown]:
    return [
        WhyShown(text=sentence(reason.code, reason.params), task_key=reason.task_key)
        for reason in overview.explain(run, now)
    ]
