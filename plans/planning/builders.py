"""Builders finish a playbook's template where text alone cannot: SQL from a file's columns, optional parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject
from plans.core.placeholders import escape
from plans.planning import looking

Builder = Callable[[JsonObject, Mapping[str, Any]], JsonObject]


def build(name: str, draft: JsonObject, inputs: Mapping[str, Any]) -> JsonObject:
    """Return the plan that builder `name` makes of `draft`, which it may change."""
    return BUILDERS[name](draft, inputs)


def _task(draft: JsonObject, key: str) -> JsonObject:
    return next(task for task in draft["tasks"] if task["id"] == key)


_BY_GROUP = """
SELECT coalesce(CAST(part AS VARCHAR), '(none)') AS part, round(CAST(sum(amount) AS DOUBLE), 4) AS sales, count(*) AS lines
FROM sales
WHERE TRY_CAST(day AS DATE) IS NOT NULL AND amount IS NOT NULL
  AND (CAST($first_day AS DATE) IS NULL OR TRY_CAST(day AS DATE) BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE))
GROUP BY 1 ORDER BY sales DESC, part LIMIT 50
"""


def sales_by_month(draft: JsonObject, inputs: Mapping[str, Any]) -> JsonObject:
    """Add the totals by a further column when one is chosen."""
    if not inputs.get("group_column"):
        return draft
    _task(draft, "read_sales")["params"]["columns"]["part"] = "{{ inputs.group_column }}"
    grouped = {
        "id": "add_up_groups",
        "name": "Add up by {{ inputs.group_column }}",
        "skill": "sql",
        "params": {
            "query": _BY_GROUP.strip(),
            "tables": {"sales": "{{ sales }}"},
            "inputs": {"first_day": "{{ inputs.period.from }}", "last_day": "{{ inputs.period.to }}"},
        },
        "outputs": {"grouped": "table"},
        "expected_output": "One row for each value, the largest first, at most 50.",
    }
    draft["tasks"].insert(len(draft["tasks"]) - 1, grouped)
    report = _task(draft, "write_report")["params"]
    report["tables"]["grouped"] = "{{ grouped }}"
    heading, section = "## How this was counted", "## By {{ inputs.group_column }}\n\n[[table:grouped]]\n\n"
    report["body"] = report["body"].replace(heading, section + heading)
    return draft


def look_at_table(draft: JsonObject, inputs: Mapping[str, Any]) -> JsonObject:
    """Write the queries for the columns the table has."""
    meta = inputs["file"]["meta"]
    rows = int(meta["row_count"] or 0)
    columns = looking.described(meta["columns"], rows)
    if not columns:
        raise InputError("file_no_columns", file=inputs["file"].get("filename", ""))
    columns = _without_braces(columns, _task(draft, "read_table")["params"])
    _task(draft, "describe_columns")["params"]["query"] = looking.overview(columns)
    _task(draft, "count_values")["params"]["query"] = looking.frequent(columns, rows)
    _task(draft, "find_oddities")["params"]["query"] = looking.oddities(columns)
    picture = looking.picture(columns, rows)
    _task(draft, "count_for_chart")["params"]["query"] = picture.query
    chart = _task(draft, "draw")["params"]
    chart.update(
        kind=picture.kind, title=escape(picture.title), x_label=escape(picture.x_label), y_label=escape(picture.y_label)
    )
    if meta["column_count"] > len(columns):
        left_out = f"Only the first {len(columns)} of {meta['column_count']} columns are described."
        draft["intent"]["assumptions"].append(left_out)
        report = _task(draft, "write_report")["params"]
        report["body"] = report["body"].replace("## Columns", f"## Columns\n\n{left_out}")
    return draft


def _without_braces(columns: list[JsonObject], load: JsonObject) -> list[JsonObject]:
    """Rename columns whose name looks like a placeholder: in a query it would be one that is never filled in."""
    if not any("{{" in column["name"] for column in columns):
        return columns
    renamed = [{**column, "name": column["name"].replace("{", "{ ").strip()} for column in columns]
    load["columns"] = {new["name"]: escape(old["name"]) for new, old in zip(renamed, columns, strict=True)}
    return renamed


BUILDERS: Mapping[str, Builder] = {"sales_by_month": sales_by_month, "look_at_table": look_at_table}
