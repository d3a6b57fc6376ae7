"""Sentences of the skills part: what is wrong with a file, a query or a step, what was dropped, what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _l
from django.utils.translation import ngettext

WHAT = {
    "HTML": _l("a web page (HTML)"),
    "XML": _l("an XML file"),
    "PDF": _l("a PDF document"),
    "RTF": _l("a word processor document"),
    "PNG": _l("a picture"),
    "JPEG": _l("a picture"),
    "GIF": _l("a picture"),
    "binary": _l("a file of another kind (not text)"),
}


def _what(params: Mapping[str, Any]) -> str:
    what = str(params.get("what", ""))
    return str(WHAT.get(what, what or _("a file of another kind")))


def _not_a_table(params: Mapping[str, Any]) -> str:
    return _("This is not a table: it looks like %(what)s. Attach the data itself, saved as CSV.") % {
        "what": _what(params)
    }


def _column_missing(params: Mapping[str, Any]) -> str:
    text = _("There is no column “%(name)s”.") % {"name": params.get("name", "")}
    if params.get("nearest"):
        text += " " + _("Did you mean “%(nearest)s”?") % {"nearest": params["nearest"]}
    elif params.get("columns"):
        text += " " + _("There are: %(columns)s.") % {"columns": params["columns"]}
    return text


def _lines(params: Mapping[str, Any]) -> str:
    """Return " (lines 4, 7 and more)", or nothing."""
    lines = params.get("lines") or []
    if not lines:
        return ""
    listed = ", ".join(map(str, lines))
    if int(params.get("count", 0)) > len(lines):
        return " " + _("(first at lines %(lines)s)") % {"lines": listed}
    return " " + ngettext("(line %(lines)s)", "(lines %(lines)s)", len(lines)) % {"lines": listed}


def _dropped(params: Mapping[str, Any]) -> str:
    count = int(params.get("count", 0))
    reason = str(DROP_REASONS[str(params["code"])]) % params
    if params.get("of") == "cells":
        head = ngettext("%(count)s cell left out", "%(count)s cells left out", count)
    elif params.get("of") == "characters":
        head = ngettext("%(count)s character left out", "%(count)s characters left out", count)
    else:
        head = ngettext("%(count)s row left out", "%(count)s rows left out", count)
    return f"{head % {'count': f'{count:,}'}}: {reason}{_lines(params)}."


def _not_a_value(params: Mapping[str, Any]) -> str:
    reason = DROP_VALUES[str(params["code"])]
    samples = ", ".join(f"“{sample}”" for sample in params.get("samples") or [])
    head = ngettext("%(count)s cell of column “%(column)s”", "%(count)s cells of column “%(column)s”", params["count"])
    named = head % {"count": params["count"], "column": params.get("column", "")}
    return f"{named}: {reason}{', ' + samples if samples else ''}{_lines(params)}."


def _columns(params: Mapping[str, Any]) -> str:
    return ", ".join(f"“{name}”" for name in params.get("columns") or [])


def _decimal_ambiguous(params: Mapping[str, Any]) -> str:
    text = (
        _("Amounts like 1.234 in %(columns)s: the comma was taken as the decimal mark.")
        if params.get("decimal") == ","
        else _("Amounts like 1,234 in %(columns)s: the comma was taken as a thousands separator.")
    )
    return text % {"columns": _columns(params)}


def _order(params: Mapping[str, Any]) -> str:
    return _("day before month") if params.get("order") == "day_first" else _("month before day")


def _date_order_ambiguous(params: Mapping[str, Any]) -> str:
    return _("The dates in %(columns)s could be read two ways; they were read with %(order)s.") % {
        "columns": _columns(params),
        "order": _order(params),
    }


def _date_order_mixed(params: Mapping[str, Any]) -> str:
    return _("The dates in “%(column)s” are written in both orders; where both fit they were read with %(order)s.") % {
        "column": params.get("column", ""),
        "order": _order(params),
    }


def _short_rows(params: Mapping[str, Any]) -> str:
    count = int(params.get("count", 0))
    text = ngettext(
        "%(count)s row has fewer cells than the table has columns; the rest of it is empty",
        "%(count)s rows have fewer cells than the table has columns; the rest of them is empty",
        count,
    )
    return text % {"count": f"{count:,}"} + _lines(params) + "."


DROP_REASONS = {
    "blank_rows": _l("empty"),
    "above_table": _l("above the table"),
    "below_table": _l("notes below the table"),
    "repeated_header": _l("the header again"),
    "total_row": _l("a total of the rows above, which would count everything twice"),
    "cut_off": _l("the file ends in the middle of it, a quote is never closed"),
    "extra_cells": _l("more cells than the table has columns"),
    "cell_cut": _l("too long, the end was cut"),
    "not_a_log_line": _l("not a line of an access log"),
    "not_a_request": _l("no request in it"),
    "impossible_time": _l("a time that does not exist"),
    "nul_characters": _l("NUL"),
    "damaged_characters": _l("damaged, no reading of them exists"),
}
DROP_VALUES = {"not_a_number": _l("not a number"), "not_a_date": _l("not a date")}

SENTENCES: dict[str, Any] = {
    # --- files ---
    "not_a_table": _not_a_table,
    "is_excel": _l("This is an Excel workbook. Excel files come later: save the sheet as CSV and attach that."),
    "is_zip": _l("This is a packed file (%(what)s). Unpack it and attach the file inside."),
    "is_json": _l("This is a JSON file. JSON comes later: save the data as CSV and attach that."),
    "no_log_lines": _l("Not one line of this file is a line of an access log in common or combined format."),
    "unknown_encoding": _l("There is no encoding called “%(encoding)s”."),
    "too_many_columns": _l("The file has %(count)s columns; more than %(limit)s cannot be read."),
    "column_missing": _column_missing,
    "file_not_profiled": _l("The file could not be looked into (%(reason)s); it may still be read when the plan runs."),
    # --- what was dropped ---
    **dict.fromkeys(DROP_REASONS, _dropped),
    **dict.fromkeys(DROP_VALUES, _not_a_value),
    # --- what was decided ---
    "header_only": _l("The file has a header but no rows."),
    "no_header": _l("The file has no header; the columns are called column_1, column_2 and so on."),
    "column_named": _l("Column %(number)s has no name; it is called “%(column)s”."),
    "column_renamed": _l("Column %(number)s is called “%(original)s” like another one; here it is “%(column)s”."),
    "empty_columns_left_out": _l("Columns without name and content were left out."),
    "short_rows": _short_rows,
    "stray_quote": _l("Line %(line)s has a quote that is never closed; it was read as an ordinary character."),
    "maybe_total_row": _l(
        "The last row (line %(line)s) looks like a total, but is not the sum of the rows; it was kept."
    ),
    "decimal_ambiguous": _decimal_ambiguous,
    "decimal_mixed": _l("Column “%(column)s” has numbers in both styles; doubtful ones were read with “%(decimal)s”."),
    "date_order_ambiguous": _date_order_ambiguous,
    "date_order_mixed": _date_order_mixed,
    "times_in_utc": _l("The times in “%(column)s” name a time zone; they are given in UTC."),
    "months_as_first_day": _l("The months in “%(column)s” stand as the first day of each month."),
    # --- params and queries ---
    "bad_params": _l("The step “%(skill)s” cannot start: %(problems)s."),
    "sql_not_one_statement": _l("The query must be exactly one SELECT; this text holds %(count)s statements."),
    "sql_not_a_select": _l("Only SELECT is allowed here, not %(kind)s."),
    "sql_input_missing": _l("The query names $%(name)s, but no such input was given."),
    "sql_failed": _l("The query failed: %(message)s"),
    "sql_failed_at": _l("The query failed at line %(line)s, column %(column)s: %(message)s"),
    "sql_too_big": _l("The query needs more memory than a step may use. Select fewer rows or group them."),
    "sql_too_many_rows": _l("The query gives %(count)s rows; %(limit)s are the most. Group them or add a LIMIT."),
    "chart_not_numeric": _l("Column “%(column)s” holds %(type)s, not numbers: it cannot be drawn as values."),
    "report_not_a_picture": _l("“%(name)s” is not a picture that a report can show (PNG, JPEG or GIF)."),
    "llm_input_cut": _l("“%(name)s” was too long for the model: its last %(characters)s characters were not read."),
    "llm_rows_left_out": _l("The model read the first %(shown)s of %(total)s rows of “%(name)s”."),
    "llm_table_among_inputs": _l("“%(name)s” is a table: hand it in by “tables”."),
    "llm_cannot_read": _l("“%(name)s” (%(file)s) is no text: the model cannot read it. Use load_file on it first."),
    # --- how a program ended ---
    "timeout": _l("The step took longer than %(seconds)s seconds and was stopped."),
    "out_of_memory": _l("The step needed more memory than it may use and was stopped."),
    "program_failed": _l("The step's program ended unexpectedly. This is our mistake, not yours."),
    "bad_output": _l("The step's program gave a result that cannot be used. This is our mistake, not yours."),
    "no_result": _l("The step's program ended without a result. This is our mistake, not yours."),
    "sandbox_unavailable": _l("The step could not be started on this machine (%(reason)s)."),
    "skill_not_installed": _l("The skill “%(name)s” is not installed here."),
    "skill_module_broken": _l("The skill file %(file)s cannot be loaded: %(reason)s."),
}
