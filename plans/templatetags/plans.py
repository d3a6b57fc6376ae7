"""Template tags of the pages: sentences, lengths of time, moments, the inbox count."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser, User

from plans import queries
from plans.web import themes
from plans.web.shown import asks, values
from plans.wording import sentence

register = template.Library()
register.filter("duration", values.duration)
register.filter("decided_text", asks.decided_text)


@register.filter
def said(problem: Mapping[str, Any] | None) -> str:
    """Return the sentence of a stored `{"code", "params"}`."""
    return sentence(str(problem["code"]), problem.get("params")) if problem else ""


@register.simple_tag
def open_requests(user: User | AnonymousUser) -> int:
    """Return how many requests `user` may decide."""
    return queries.open_requests(user).count()


@register.simple_tag(takes_context=True)
def theme(context: Mapping[str, Any]) -> str:
    """Return the theme this browser chose, empty for the system's; error pages may have no request."""
    request = context.get("request")
    return themes.chosen(request) if request else ""


@register.inclusion_tag("plans/_icon.html")
def icon(name: str) -> dict[str, str]:
    """Show a symbol of icons.svg; the words beside it say the same."""
    return {"name": name}


@register.inclusion_tag("plans/_moment.html")
def moment(at: datetime | None, length: str = "long") -> dict[str, Any]:
    """Show a time, `long` or `short`: UTC without JavaScript, the viewer's zone with it."""
    return {"at": at, "length": length}


@register.inclusion_tag("plans/_field.html")
def field(bound: Any) -> dict[str, Any]:
    """Show a form field with its label, hint and errors."""
    return {"field": bound}
