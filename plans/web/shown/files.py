"""What the profiler found in an attached file, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from plans.core.jsontypes import JsonObject
from plans.models import Attachment
from plans.web.shown.values import number, readable
from plans.wording import sentence

KINDS: dict[str, Promise] = {
    "table": gettext_lazy("Table"),
    "access_log": gettext_lazy("Access log"),
    "text": gettext_lazy("Text"),
    "unknown": gettext_lazy("File"),
}
DELIMITERS: dict[str, Promise] = {
    ",": gettext_lazy("comma"),
    ";": gettext_lazy("semicolon"),
    "\t": gettext_lazy("tab"),
    "|": gettext_lazy("pipe"),
}
TYPES: dict[str, Promise] = {
    "text": gettext_lazy("text"),
    "integer": gettext_lazy("whole number"),
    "number": gettext_lazy("number"),
    "date": gettext_lazy("date"),
    "datetime": gettext_lazy("date and time"),
    "boolean": gettext_lazy("yes or no"),
}
MOST_COLUMNS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnShown:
    name: str
    type: str | Promise
    examples: str
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShown:
    attachment: Attachment
    found: str
    remarks: list[str]
    columns: list[ColumnShown]
    more_columns: int


def files_shown(attachments: Iterable[Attachment]) -> list[FileShown]:
    return [_shown(attachment) for attachment in attachments]


def _shown(attachment: Attachment) -> FileShown:
    profile = attachment.profile
    columns = profile.get("columns") or []
    return FileShown(
        attachment=attachment,
        found=", ".join(_found(profile)),
        remarks=[sentence(entry["code"], entry) for entry in _remarked(profile)],
        columns=[_column(column) for column in columns[:MOST_COLUMNS]],
        more_columns=max(len(columns) - MOST_COLUMNS, 0),
    )


def _remarked(profile: JsonObject) -> list[JsonObject]:
    """Return what was dropped and what was noticed, each entry with its params on its own level."""
    entries = [*(profile.get("dropped") or []), *(profile.get("notes") or [])]
    return [{**entry, **(entry.get("params") or {})} for entry in entries]


def _found(profile: JsonObject) -> list[str]:
    rows, kind = profile.get("row_count"), str(profile.get("kind"))
    parts = [str(KINDS.get(kind, KINDS["unknown"]))]
    if rows is not None:
        words = (
            ngettext("%(n)s line", "%(n)s lines", rows)
            if kind != "table"
            else ngettext("%(n)s row", "%(n)s rows", rows)
        )
        parts.append(words % {"n": number(rows)})
    if kind == "table" and profile.get("columns"):
        n = len(profile["columns"])
        parts.append(ngettext("%(n)d column", "%(n)d columns", n) % {"n": n})
    if profile.get("encoding"):
        parts.append(str(profile["encoding"]))
    if kind == "table" and profile.get("delimiter"):
        sign = profile["delimiter"]
        parts.append(_("separated by %(sign)s") % {"sign": DELIMITERS.get(sign, sign)})
    if kind == "table" and profile.get("decimal") == ",":
        parts.append(_("decimal comma"))
    if period := profile.get("period"):
        parts.append(
            _("from %(start)s to %(end)s") % {"start": str(period["from"])[:10], "end": str(period["to"])[:10]}
        )
    return parts


def _column(column: JsonObject) -> ColumnShown:
    missing = column.get("missing") or 0
    return ColumnShown(
        name=str(column["name"]),
        type=TYPES.get(str(column.get("type")), str(column.get("type") or "")),
        examples=", ".join(readable(value)[:40] for value in (column.get("samples") or [])[:3]),
        missing=number(missing) if missing else "",
    )
