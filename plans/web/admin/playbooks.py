"""Playbooks: what each asks for and does, and a switch."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from plans.core.errors import NoPlaybook
from plans.models import PlaybookRow
from plans.planning.playbooks import Playbook
from plans.planning.playbooks import get as shipped
from plans.web.admin.readonly import AnyAdmin


@admin.register(PlaybookRow)
class PlaybookRowAdmin(AnyAdmin):
    list_display = ["name", "enabled", "description"]
    list_filter = ["enabled"]
    search_fields = ["name"]
    actions = None
    fields = ["name", "enabled", "description", "asks_for", "steps"]
    readonly_fields = ["name", "description", "asks_for", "steps"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("description"))
    def description(self, row: PlaybookRow) -> str:
        found = _shipped(row)
        return str(found.description) if found else str(_("This playbook does not ship any more."))

    @admin.display(description=_("asks for"))
    def asks_for(self, row: PlaybookRow) -> str:
        found = _shipped(row)
        return ", ".join(parameter.name for parameter in found.parameters) if found else ""

    @admin.display(description=_("steps"))
    def steps(self, row: PlaybookRow) -> str:
        found = _shipped(row)
        return " → ".join(str(task.get("name") or task["id"]) for task in found.plan.get("tasks", [])) if found else ""


def _shipped(row: PlaybookRow) -> Playbook | None:
    try:
        return shipped(row.name)
    except NoPlaybook:
        return None
