"""Become the parent of what children leave behind, so that a dead cluster's helpers can be found and ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
KILL_SECONDS = 5.0


def adopt() -> None:
    """Ask the kernel to hand orphaned descendants to this process (Linux; elsewhere process groups must do)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap(known: Collection[int]) -> None:
    """Collect ended processes that were handed to us; the `known` children are left to their owners."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid in known:
            return
        with suppress(ChildProcessError):
            os.waitpid(ended.si_pid, 0)


def kill_group(leader: int) -> None:
    """Kill the process group that `leader` made, with or without `leader` in it."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def kill_orphans(known: Collection[int]) -> None:
    """Kill every child of this process that is not `known`, then what those leave behind, until none is left."""
    deadline = time.monotonic() + KILL_SECONDS
    while time.monotonic() < deadline:
        orphans = [pid for pid in _children() if pid not in known]
        if not orphans:
            return
        for pid in orphans:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)


def _children() -> list[int]:
    """Return the pids whose parent is this process, from /proc (none on systems without it)."""
    mine = str(os.getpid())
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended while we looked
        if fields[1] == mine:
            found.append(int(entry.parent.name))
    return found
