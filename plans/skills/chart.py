"""Skill `chart`: a bar or line chart of a table."""

from __future__ import annotations

from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from pydantic import Field, field_validator

from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.core.skill import Context, Outputs
from plans.core.values import TableRef
from plans.skills.base import BasicSkill, Params
from plans.skills.computing import compute
from plans.skills.registry import skill

MAX_SERIES = 6


class ChartParams(Params):
    table: TableRef = Field(description="The rows to draw, in the order to draw them.")
    kind: Literal["bar", "line"] = Field(default="bar", description="bar for categories, line for time.")
    x: str = Field(min_length=1, description="Column of the names, dates or numbers along the axis.")
    y: str | list[str] = Field(description="Column of the values, or up to six of them.")
    title: str = Field(default="", max_length=300)
    x_label: str | None = Field(default=None, max_length=200, description="Default: the column's name.")
    y_label: str | None = Field(default=None, max_length=200, description="Default: the column's name.")
    top: int | None = Field(default=None, ge=1, description="Draw only the first rows.")

    @field_validator("y")
    @classmethod
    def _one_to_six(cls, value: str | list[str]) -> str | list[str]:
        names = [value] if isinstance(value, str) else value
        if not 1 <= len(names) <= MAX_SERIES or len(set(names)) != len(names) or not all(names):
            raise ValueError(f"name one to {MAX_SERIES} different columns")
        return value


@skill
class Chart(BasicSkill):
    name = "chart"
    description = "Draw a bar or line chart of a table's columns as a PNG picture, rows in the table's order."
    params = ChartParams
    outputs = {"image": ValueKind.IMAGE}

    def run(self, params: ChartParams, context: Context) -> Outputs:
        given = params.model_dump(exclude={"table", "y"})
        given["y"] = [params.y] if isinstance(params.y, str) else params.y
        given["words"] = {
            "no_data": _("No data"),
            "skipped": _("Not shown: %(count)s without a value"),
            "first_of": _("First %(shown)s of %(total)s rows"),
        }
        done = compute("chart", given, {"table": context.path(params.table)}, context)
        facts = done.value
        meta = {key: facts[key] for key in ("width", "height", "points", "skipped", "total")}
        image = context.store(
            done.files["chart.png"],
            kind=ValueKind.IMAGE,
            name="image",
            filename="chart.png",
            media_type="image/png",
            meta={**meta, "alt": _alternative(params, facts)},
        )
        return Outputs(values={"image": image})


def _alternative(params: ChartParams, facts: JsonObject) -> str:
    """Say in words what the picture shows."""
    kind = _("Bar chart") if params.kind == "bar" else _("Line chart")
    head = f"{kind}: {params.title}." if params.title else f"{kind}."
    if "highest" not in facts:
        return f"{head} " + _("No data")
    text = ngettext(
        "%(points)s value of %(series)s by %(x)s: %(high)s (%(high_at)s).",
        "%(points)s values of %(series)s by %(x)s; highest %(high)s (%(high_at)s), lowest %(low)s (%(low_at)s).",
        facts["points"],
    )
    body = text % {
        "points": facts["points"],
        "series": facts["series"],
        "x": params.x,
        "high": f"{facts['highest']['value']:,.10g}",
        "high_at": facts["highest"]["label"],
        "low": f"{facts['lowest']['value']:,.10g}",
        "low_at": facts["lowest"]["label"],
    }
    return f"{head} {body}"
