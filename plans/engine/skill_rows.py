"""One settings row per skill and per playbook there is, so that operators find each in the admin."""

from __future__ import annotations

from collections.abc import Iterable

from plans.models import PlaybookRow, SkillRow


def sync_skill_rows(names: Iterable[str]) -> None:
    """Create the missing rows. Rows of skills that are gone stay: their settings hold when the skill comes back."""
    SkillRow.objects.bulk_create([SkillRow(name=name) for name in names], ignore_conflicts=True)


def sync_playbook_rows(names: Iterable[str]) -> None:
    """Create the missing rows of playbooks, switched on."""
    PlaybookRow.objects.bulk_create([PlaybookRow(name=name) for name in names], ignore_conflicts=True)
