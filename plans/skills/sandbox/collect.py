"""Take over what a program left in its out folder: the result and regular files with plain names, nothing else."""

from __future__ import annotations

import os
import re
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path

from plans.core.jsontypes import Json
from plans.skills.sandbox import strictjson
from plans.skills.sandbox.job import Artifact, Limits

RESULT_NAME = "result.json"
MAX_ENTRIES = 500
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,99}")


@dataclass(slots=True)
class Collected:
    """What was found. `result_error` is set when there is a result that cannot be accepted."""

    result: Json = None
    result_error: str | None = None
    artifacts: list[Artifact] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)


def collect(out_dir: Path, target: Path | None, limits: Limits) -> Collected:
    """Read the result and copy the artifacts to `target` (none are taken when it is None)."""
    found = Collected()
    # By descriptor and without following links: the program may have put a link in the folder's place.
    try:
        folder = os.open(out_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        found.result_error = f"the out folder is gone: {error.strerror}"
        return found
    try:
        names = sorted(os.listdir(folder))[:MAX_ENTRIES]
        if RESULT_NAME in names:
            _read_result(folder, limits, found)
        if target is not None:
            for name in names:
                if name != RESULT_NAME:
                    _take(folder, name, target, limits, found)
    finally:
        os.close(folder)
    return found


def _read_result(folder: int, limits: Limits, found: Collected) -> None:
    opened = _open_regular(folder, RESULT_NAME)
    if isinstance(opened, str):
        found.result_error = opened
        return
    with os.fdopen(opened, "rb") as stream:
        data = stream.read(limits.result_bytes + 1)
    if len(data) > limits.result_bytes:
        found.result_error = f"larger than {limits.result_bytes} bytes"
        return
    try:
        found.result = strictjson.parse(data)
    except (ValueError, RecursionError) as error:
        found.result_error = str(error)[:200]


def _open_regular(folder: int, name: str) -> int | str:
    """Return a descriptor, or the reason why the entry is not taken."""
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer that will never come.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        return f"cannot be opened: {error.strerror}"
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        os.close(descriptor)
        return "not an ordinary file"
    return descriptor


def _take(folder: int, name: str, target: Path, limits: Limits, found: Collected) -> None:
    reason = _refusal(name, found, limits)
    opened = reason or _open_regular(folder, name)
    if isinstance(opened, str):
        found.rejected.append((ascii(name)[:120], opened))
        return
    with os.fdopen(opened, "rb") as source:
        size = os.fstat(source.fileno()).st_size
        room = limits.artifacts_bytes - sum(artifact.size for artifact in found.artifacts)
        if size > min(limits.artifact_bytes, room):
            found.rejected.append((name, "too large"))
            return
        path = target / name
        copy = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(copy, "wb") as sink:
            shutil.copyfileobj(source, sink, 1024 * 1024)
    found.artifacts.append(Artifact(name=name, path=path, size=size))


def _refusal(name: str, found: Collected, limits: Limits) -> str | None:
    if not PLAIN_NAME.fullmatch(name):
        return "not a plain name"
    if any(artifact.name.casefold() == name.casefold() for artifact in found.artifacts):
        return "differs from another file only by case"
    if len(found.artifacts) >= limits.artifact_count:
        return "too many files"
    return None
