"""Light, dark or the system's: kept in a cookie the server reads, so that the first paint is already right."""

from __future__ import annotations

from django.http import HttpRequest

COOKIE = "theme"
COOKIE_SECONDS = 365 * 24 * 3600
THEMES = ("light", "dark")


def chosen(request: HttpRequest) -> str:
    """Return `light` or `dark`, or an empty text for whatever the system prefers."""
    name = request.COOKIES.get(COOKIE, "")
    return name if name in THEMES else ""
