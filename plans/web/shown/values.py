"""JSON values as text a person reads: short ones in place, long ones cut, references by file name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from plans.core.jsontypes import Json
from plans.core.values import is_ref

SHORT = 120
LONGEST = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A named value; `is_block` asks for a block of its own, `cut` tells that there was more."""

    name: str
    text: str
    is_block: bool = False
    cut: bool = False


def readable(value: Json) -> str:
    """Return `value` as text: words for booleans and null, file names for references, JSON for the rest."""
    if value is None:
        return _("nothing")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if is_ref(value):
        return _reference(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(readable(item) for item in value)
    return json.dumps(_without_hashes(value), ensure_ascii=False, indent=2)


def named(name: str, value: Json) -> Named:
    text = readable(value)
    is_block = len(text) > SHORT or "\n" in text.strip()
    return Named(name=name, text=text[:LONGEST], is_block=is_block, cut=len(text) > LONGEST)


def named_all(values: Mapping[str, Json] | None) -> list[Named]:
    return [named(name, value) for name, value in (values or {}).items()]


def number(value: Any) -> str:
    """Return a number with the grouping and decimal sign of the page's language."""
    return number_format(value, use_l10n=True, force_grouping=True)


def duration(seconds: float | None) -> str:
    """Return a length of time in its two largest units: `3 ms`, `1.2 s`, `4m 05s`, `2h 10m`, `3d 4h`."""
    if seconds is None:
        return ""
    if seconds < 1:
        return _("%(n)d ms") % {"n": round(max(seconds, 0) * 1000)}
    if seconds < 60:
        return _("%(n)s s") % {"n": f"{seconds:.1f}".removesuffix(".0")}
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _("%(m)dm %(s)02ds") % {"m": minutes, "s": rest}
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return _("%(h)dh %(m)02dm") % {"h": hours, "m": minutes}
    days, hours = divmod(hours, 24)
    return _("%(d)dd %(h)dh") % {"d": days, "h": hours}


def _reference(ref: Any) -> str:
    name = ref.get("filename") or ref.get("name") or _("a file")
    rows = ref.get("meta", {}).get("row_count")
    if rows is None:
        return str(name)
    return ngettext("%(name)s (%(n)s row)", "%(name)s (%(n)s rows)", rows) % {"name": name, "n": number(rows)}


def _without_hashes(value: Any) -> Any:
    if is_ref(value):
        return _reference(value)
    if isinstance(value, dict):
        return {key: _without_hashes(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_hashes(inner) for inner in value]
    return value
