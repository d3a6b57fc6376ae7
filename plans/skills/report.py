"""Skill `report`: Markdown with tables and pictures to one self-contained, sanitised HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import Field, JsonValue

from plans.core.kinds import ValueKind
from plans.core.skill import Context, Outputs
from plans.core.values import ImageRef, TableRef
from plans.skills.base import BasicSkill, Params
from plans.skills.computing import compute
from plans.skills.registry import skill
from plans.wording import sentence

MAX_NOTES = 50


class ReportParams(Params):
    title: str = Field(min_length=1, max_length=300)
    body: str = Field(
        default="",
        max_length=200_000,
        description="Markdown. A line [[table:name]] or [[image:name]] is where that table or picture goes; "
        "those not named come at the end.",
    )
    tables: dict[str, TableRef] = Field(default_factory=dict, description="Name → table.")
    images: dict[str, ImageRef] = Field(default_factory=dict, description="Name → picture.")
    notes: list[JsonValue] = Field(
        default_factory=list,
        description="Remarks at the end: texts, or what a skill reports as {code, …}, e.g. {{ found.dropped }}.",
    )


@skill
class Report(BasicSkill):
    name = "report"
    description = (
        "Write a report as one HTML file: Markdown text with tables and pictures of the run. A line [[table:name]] or "
        "[[image:name]] in the body says where each goes."
    )
    params = ReportParams
    outputs = {"report": ValueKind.HTML}

    def run(self, params: ReportParams, context: Context) -> Outputs:
        files = {f"table{number}": context.path(ref) for number, ref in enumerate(params.tables.values())}
        files |= {f"image{number}": context.path(ref) for number, ref in enumerate(params.images.values())}
        given = {
            "title": params.title,
            "body": params.body,
            "tables": list(params.tables),
            "images": {name: str(ref.meta.get("alt", "")) for name, ref in params.images.items()},
            "notes": list(_sentences(params.notes))[:MAX_NOTES],
            "lang": get_language() or "en",
            "words": {
                "notes": _("Notes"),
                "missing": _("There is no “%(name)s” here."),
                "first_of": _("First %(shown)s of %(total)s rows"),
                "no_rows": _("No rows"),
                "yes": _("yes"),
                "no": _("no"),
            },
        }
        done = compute("report", given, files, context)
        html = context.store(
            done.files["report.html"],
            kind=ValueKind.HTML,
            name="report",
            filename="report.html",
            media_type="text/html; charset=utf-8",
            meta={"title": params.title},
        )
        return Outputs(values={"report": html})


def _sentences(notes: JsonValue) -> Iterator[str]:
    """Flatten notes to texts: a {code, …} is what a skill found, and becomes its sentence here."""
    if isinstance(notes, list):
        for note in notes:
            yield from _sentences(note)
    elif isinstance(notes, dict) and isinstance(notes.get("code"), str):
        yield sentence(str(notes["code"]), notes)
    elif notes is not None and str(notes).strip():
        yield str(notes)
