"""A file on the command line as what a step should have made."""

from __future__ import annotations

import json
from pathlib import Path

from plans.core.errors import InputError, SkillError
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ARTIFACT_KINDS
from plans.core.values import ArtifactRef
from plans.engine.given import declared
from plans.models import Task
from plans.skills.handed_in import as_artifact


def given(task: Task, file: str) -> tuple[JsonObject, dict[str, ArtifactRef]]:
    """Return values and files by output: of a JSON object by its keys, else the file is the step's only output.

    Raises InputError `file_not_readable`, `output_not_named` (known), or what the reader of a table says.
    """
    path = Path(file)
    kinds = declared(task)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError("file_not_readable", file=file, problem=error.strerror or "") from error
    values = _json(data)
    if isinstance(values, dict) and set(values) <= set(kinds) and values:
        return values, {}
    if len(kinds) != 1:
        raise InputError("output_not_named", known=", ".join(kinds))
    name, kind = next(iter(kinds.items()))
    if kind in ARTIFACT_KINDS:
        try:
            return {}, {name: as_artifact(path, path.name, kind)}
        except SkillError as error:
            raise InputError(error.code, **{**error.params, "file": path.name}) from error
    return {name: data.decode("utf-8", "replace") if values is None else values}, {}


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return None
