"""The sentence for every code: made here, with gettext, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

Sentence = str | Promise | Callable[[Mapping[str, Any]], str]
PARTS = (
    "reading",
    "failures",
    "findings",
    "advice",
    "skills",
    "planning",
    "modelled",
    "llm",
    "engine",
    "web",
    "changes",
    "overview",
    "checkup",
    "supervise",
)


def _catalogue() -> dict[str, Sentence]:
    merged: dict[str, Sentence] = {}
    for part in PARTS:
        merged.update(import_module(f"plans.wording.{part}").SENTENCES)
    return merged


_SENTENCES: dict[str, Sentence] = {}


def sentence(code: str, params: Mapping[str, Any] | None = None) -> str:
    """Return the user's sentence for `code`; an unknown code gives one that names it, never an exception."""
    if not _SENTENCES:
        _SENTENCES.update(_catalogue())
    found = _SENTENCES.get(code)
    values = params or {}
    if found is None:
        return _("Something went wrong (%(code)s).") % {"code": code}
    try:
        if callable(found) and not isinstance(found, Promise):
            return found(values)
        return str(found) % values
    except (KeyError, TypeError, ValueError):
        # A missing param must not hide the message: the raw text, or at least the code, still says what happened.
        return _("Something went wrong (%(code)s).") % {"code": code} if callable(found) else str(found)
