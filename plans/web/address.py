"""The query string of the run page: what is open, selected and filtered stays in every link."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import QueryDict

TABS = ("graph", "tasks", "timeline", "events")
KEPT = ("tab", "fold", "open", "draw", "kind", "task")


def tab_of(query: QueryDict) -> str:
    """Return the tab the address names; empty: the page decides by its width."""
    return query.get("tab", "") if query.get("tab") in TABS else ""


def with_changes(query: QueryDict, **changes: str | list[str] | None) -> str:
    """Return the query string with these parameters set anew, None removes one; page keys never travel along."""
    values = {name: query.getlist(name) for name in KEPT if name in query}
    for name, value in changes.items():
        values[name] = [] if value is None else value if isinstance(value, list) else [value]
    return "?" + urlencode([(name, value) for name, all_of in values.items() for value in all_of])


def number_of(query: QueryDict, name: str) -> int | None:
    """Return a number of the query string; anything that is none counts as absent."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
