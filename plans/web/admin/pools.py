"""Pools: named resources that only so many steps may use at once."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from plans.core.states import TaskState
from plans.models import Pool, Task
from plans.web.admin.readonly import AnyAdmin


@admin.register(Pool)
class PoolAdmin(AnyAdmin):
    list_display = ["name", "slots", "used", "description"]
    search_fields = ["name"]
    fields = ["name", "slots", "description"]

    def get_readonly_fields(self, request: HttpRequest, obj: Pool | None = None) -> list[str]:
        # Plans name it: under another name it would hold nothing back any more.
        return ["name"] if obj else []

    def get_queryset(self, request: HttpRequest) -> QuerySet[Pool]:
        running = Task.objects.filter(pool=OuterRef("name"), state=TaskState.RUNNING).order_by()
        used = running.values("pool").annotate(n=Sum("weight")).values("n")
        return Pool.objects.order_by("name").annotate(used_now=Coalesce(Subquery(used), 0))

    @admin.display(description=_("in use"), ordering="used_now")
    def used(self, row: Any) -> int:
        return int(row.used_now)
