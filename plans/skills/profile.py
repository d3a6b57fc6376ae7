"""Look into an attached file before any plan is made: its kind, columns and period, or the problem with it."""

from __future__ import annotations

from pathlib import Path, PurePath

from plans.core.errors import BadInputError, SkillError
from plans.core.jsontypes import JsonObject
from plans.skills.computing import call

SECONDS = 30.0


def profile_file(path: Path, filename: str) -> JsonObject:
    """Return the profile of a file; never raises for what is in it.

    Keys: kind (table, access_log, text, unknown), problem ({code, params} or null), encoding, delimiter, decimal,
    header_row, columns ([{name, type, samples, min, max, distinct, missing}]), row_count, dropped, notes, period,
    sample_rows, partial (true: only the first 10 MB were looked at, counts are of those).
    """
    suffix = PurePath(filename).suffix.lower()
    try:
        done = call("profile_file", {"suffix": suffix}, {"file": path}, seconds=SECONDS, cancelled=lambda: False)
    except BadInputError as error:
        return _unknown(error.code, dict(error.params))
    except SkillError as error:
        # Whatever kept the program from ending well, the person learns that the file was not looked into.
        return _unknown("file_not_profiled", {"reason": error.code})
    profile: JsonObject = done.value
    return profile


def _unknown(code: str, params: JsonObject) -> JsonObject:
    return {
        "kind": "unknown",
        "problem": {"code": code, "params": params},
        "encoding": None,
        "delimiter": None,
        "decimal": None,
        "header_row": None,
        "columns": [],
        "row_count": 0,
        "dropped": [],
        "rows_dropped": 0,
        "notes": [],
        "period": None,
        "sample_rows": [],
        "partial": False,
    }
