"""What the history admins share: nobody adds, changes or deletes; rows link to each other both ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

Column: TypeAlias = Callable[[Any, Any], SafeString | str]
if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    Words: TypeAlias = str | _StrPromise
    AnyAdmin = admin.ModelAdmin[Any]
else:
    # Only the stubs make ModelAdmin generic.
    AnyAdmin = admin.ModelAdmin


class ReadOnlyAdmin(AnyAdmin):
    list_per_page = 50
    show_full_result_count = False
    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def link(obj: Model | None, text: Words = "") -> SafeString | str:
    """Return a link to the admin page of `obj`."""
    if obj is None:
        return "–"
    address = reverse(f"admin:plans_{obj._meta.model_name}_change", args=[obj.pk])
    return format_html('<a href="{}">{}</a>', address, text or str(obj))


def parent(name: str, words: Words) -> Column:
    """Return a column that links to the row a foreign key names."""

    @admin.display(description=words, ordering=name)
    def column(self: Any, obj: Any) -> SafeString | str:
        return link(getattr(obj, name))

    return column


def children(model: str, key: str, words: Words) -> Column:
    """Return a field that links to the list of rows of `model` whose `key` is this row; no row is counted or loaded."""

    @admin.display(description=words)
    def column(self: Any, obj: Any) -> SafeString | str:
        address = reverse(f"admin:plans_{model}_changelist")
        return format_html('<a href="{}?{}__id__exact={}">{}</a>', address, key, obj.pk, _("Show"))

    return column


def pretty(name: str, words: Words) -> Column:
    """Return a field that shows a JSON column on lines of its own."""

    @admin.display(description=words)
    def column(self: Any, obj: Any) -> SafeString | str:
        return format_html("<pre>{}</pre>", json.dumps(getattr(obj, name), ensure_ascii=False, indent=2))

    return column
