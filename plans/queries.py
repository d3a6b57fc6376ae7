"""Reads for pages, commands and the engine's callers. Nothing here writes."""

from __future__ import annotations

from plans.core.catalogue import SkillSettings
from plans.core.kinds import Approval
from plans.models import SkillRow


def skill_settings() -> dict[str, SkillSettings]:
    """Return what operators set, by skill name."""
    return {
        row.name: SkillSettings(
            enabled=row.enabled,
            approval=Approval(row.approval),
            timeout_seconds=row.timeout_seconds,
            retries=row.retries,
        )
        for row in SkillRow.objects.all()
    }
