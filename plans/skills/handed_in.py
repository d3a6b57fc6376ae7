"""Files that a person gives in place of what a step should have made: tables are read in a child, others stay as they are."""

from __future__ import annotations

import mimetypes
import tempfile
from pathlib import Path, PurePath

from plans import storage
from plans.core.errors import BadInputError
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.core.values import ArtifactRef
from plans.skills.computing import call
from plans.skills.load_file import PARQUET

SECONDS = 60.0


def as_artifact(path: Path, filename: str, kind: ValueKind) -> ArtifactRef:
    """Store the file at `path` as an output of `kind`, one of the artifact kinds.

    Raises SkillError (what the reader says about a table), BadInputError `file_empty`.
    """
    if kind not in ARTIFACT_KINDS:
        raise ValueError(kind)
    if not path.stat().st_size:
        raise BadInputError("file_empty", file=filename)
    if kind == ValueKind.TABLE:
        return _table(path, filename)
    sha256, size = storage.put_file(path)
    media_type = mimetypes.guess_type(filename)[0] or "application/octet-stream"
    return ArtifactRef(sha256=sha256, kind=kind, name="", filename=filename, media_type=media_type, size=size)


def _table(path: Path, filename: str) -> ArtifactRef:
    options = {"format": "auto", "suffix": PurePath(filename).suffix.lower()}
    given = {"options": {**options, "encoding": None, "delimiter": None, "decimal": None, "header": None}}
    with tempfile.TemporaryDirectory(prefix="given-") as folder:
        done = call(
            "load_file",
            {**given, "columns": None},
            {"file": path},
            seconds=SECONDS,
            cancelled=lambda: False,
            artifacts_dir=Path(folder),
        )
        sha256, size = storage.put_file(done.files["table.parquet"])
        meta = done.value["meta"]
    name = f"{PurePath(filename).stem or 'table'}.parquet"
    return ArtifactRef(sha256=sha256, kind=ValueKind.TABLE, filename=name, media_type=PARQUET, size=size, meta=meta)
