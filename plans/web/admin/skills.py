"""Skill settings: enabled, approval, longest run time, retries. Rows come and go with the skills themselves."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from plans.engine import limits
from plans.models import SkillRow
from plans.skills import registry
from plans.skills.registry import UnknownSkill
from plans.web.admin.readonly import AnyAdmin


@admin.register(SkillRow)
class SkillRowAdmin(AnyAdmin):
    list_display = ["name", "enabled", "approval", "timeout_seconds", "retries"]
    list_filter = ["enabled", "approval"]
    search_fields = ["name"]
    actions = None
    fields = ["name", "description", "enabled", "approval", "timeout_seconds", "retries"]
    fields += ["concurrency", "calls_per_minute"]
    readonly_fields = ["name", "description"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: SkillRow, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if obj.concurrency or obj.calls_per_minute:
            limits.limit_skill(obj.name)

    @admin.display(description=_("description"))
    def description(self, row: SkillRow) -> str:
        """Say what the skill does and what its own values are."""
        try:
            found = registry.get(row.name)
        except UnknownSkill:
            return str(_("This skill is not installed now; its settings hold when it comes back."))
        return str(
            _("%(text)s Risk: %(risk)s. Own values: %(seconds)s s, %(retries)s retries.")
            % {
                "text": found.description,
                "risk": found.risk,
                "seconds": found.timeout_seconds,
                "retries": found.retries,
            }
        )
