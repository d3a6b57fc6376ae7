"""Log files in the data folder: the children's output and the supervisor's own lines; the terminal stays quiet."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import BinaryIO

from planner_site.logs import formatter

LIMIT_BYTES = 10 * 1024 * 1024


def rotate(path: Path, limit_bytes: int = LIMIT_BYTES) -> None:
    """Keep a log over `limit_bytes` as `NAME.1` and begin anew: copied and cut, for a child may be writing to it."""
    try:
        if path.stat().st_size <= limit_bytes:
            return
    except FileNotFoundError:
        return
    shutil.copyfile(path, path.with_name(f"{path.name}.1"))
    with path.open("r+b") as file:
        file.truncate()


def open_append(path: Path) -> BinaryIO:
    """Open for a child's output. In append mode a cut file goes on at its new end."""
    return path.open("ab", buffering=0)


def last_line(path: Path) -> str:
    """Return the last non-empty line, for a message that says why a child ended."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def write_own_lines_to(path: Path) -> None:
    """Send this process's log records to `path` instead of the terminal."""
    rotate(path)
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(formatter())
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
