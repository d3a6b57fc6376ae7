"""The frame of every compute program: read params, work, write the result or the problem the user can mend."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject

Work: TypeAlias = Callable[[JsonObject, Path, Path], JsonObject]
"""(params, in_dir, out_dir) → value."""


def scratch() -> Path:
    """Return a new folder for intermediate files; it goes away with the sandbox."""
    return Path(tempfile.mkdtemp())


def serve(work: Work) -> None:
    """Run `work` on what the sandbox laid out. A BadInputError travels to the host as data, not as a traceback."""
    in_dir, out_dir = Path(os.environ["IN_DIR"]), Path(os.environ["OUT_DIR"])
    params = json.loads((in_dir / "params.json").read_text(encoding="utf-8"))
    try:
        result: JsonObject = {"value": work(params, in_dir, out_dir)}
    except BadInputError as error:
        result = {"problem": {"code": error.code, "params": dict(error.params)}}
    (out_dir / "result.json").write_text(json.dumps(result, allow_nan=False), encoding="utf-8")
