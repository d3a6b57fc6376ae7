"""Files named on a command line become attachments, as an upload in the browser does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plans.core.errors import InputError, PlannerError
from plans.core.jsontypes import JsonObject
from plans.engine.attachments import store_attachment
from plans.models import Attachment
from plans.skills.profile import profile_file

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@contextmanager
def attached(paths: Sequence[str], owner: User) -> Iterator[dict[str, Attachment]]:
    """Store the files, keyed by file name; when anything is refused, no row of them stays. Raises InputError."""
    stored: dict[str, Attachment] = {}
    try:
        for path in paths:
            row = _store(Path(path), owner)
            stored[_free(row.filename, stored)] = row
        yield stored
    except PlannerError:
        Attachment.objects.filter(pk__in=[row.pk for row in stored.values()]).delete()
        raise


def _store(path: Path, owner: User) -> Attachment:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputError("file_not_readable", file=str(path), problem=error.strerror or "") from error
    with stream:
        return store_attachment(owner=owner, filename=path.name, stream=stream, profile=profile_file)


def _free(name: str, taken: dict[str, Attachment]) -> str:
    """Two files of one name are told apart by a number."""
    number, key = 2, name
    while key in taken:
        key, number = f"{name} ({number})", number + 1
    return key


def slug(filename: str) -> str:
    """Return a name an expression can use: `Sales Q4.csv` is `sales_q4_csv`."""
    words = re.sub(r"[^a-z0-9]+", "_", filename.lower()).strip("_") or "attachment"
    return words if words[0].isalpha() else f"f_{words}"


def plan_inputs(files: dict[str, Attachment]) -> JsonObject:
    """Return `inputs` for a plan file: the first attachment is `file`, and each is there by the slug of its name."""
    inputs: JsonObject = {}
    for key, row in files.items():
        inputs.setdefault("file", row.as_ref())
        name, number = slug(key), 2
        while name in inputs and name != "file":
            name, number = f"{slug(key)}_{number}", number + 1
        inputs.setdefault(name, row.as_ref())
    return inputs


def model_inputs(files: dict[str, Attachment]) -> tuple[JsonObject, JsonObject]:
    """Return references and profiles for a model that plans, by the slugs of the files' names."""
    inputs: JsonObject = {}
    profiles: JsonObject = {}
    for key, row in files.items():
        name, number = slug(key), 2
        while name in inputs:
            name, number = f"{slug(key)}_{number}", number + 1
        inputs[name], profiles[name] = row.as_ref(), row.profile
    return inputs, profiles
