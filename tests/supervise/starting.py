"""Start `manage.py up` for real, press Ctrl-C, and look at its processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.processes import Site, Started, processes_with, wait_for


def start(site: Site, *arguments: str, until: str = "User: ", **more: str) -> Started:
    """Start the product as `make run` does and wait until it has said where it is."""
    up = site.manage("up", "--prepare", "--port", "0", *arguments, **more)
    wait_for(lambda: until in up.said() or up.process.poll() is not None, timeout=90, what="the start")
    assert up.process.poll() is None, up.said()
    return up


def interrupt(up: Started) -> int:
    """Press Ctrl-C."""
    os.killpg(up.pid, signal.SIGINT)
    return up.wait()


def survivors(site: Site) -> list[int]:
    return processes_with("PLANS_DATA_DIR", str(site.data_dir))


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(pid):
            found.append(int(entry.parent.name))
    return found


def worker_leader(site: Site) -> int:
    """Return the pid that the running worker announced."""
    ready = site.data_dir / "worker.ready"
    return int(wait_for(lambda: ready.exists() and ready.read_text(), what="a worker"))
