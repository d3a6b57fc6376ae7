"""Everything on a disk of 8 MB that fills up: clear words, nothing half-written, and work goes on when there is room."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.parts import need_program, skip_for
from tests.processes import ROOT

MOUNT = 'mount -t tmpfs -o size=8m none "$0" && exec "$@"'


def test_a_full_disk_is_said_and_leaves_nothing_half_written(tmp_path: Path):
    unshare = [need_program("unshare"), "--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, str(tmp_path)]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        skip_for("a mount of one's own (unshare)")
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PLANS_", "PYTEST_", "DATABASE_", "REDIS_"))
    }
    done = subprocess.run(
        [*unshare, sys.executable, "-m", "tests.engine.full_disk", str(tmp_path)],
        cwd=ROOT,
        env=clean,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    facts = json.loads(done.stdout.splitlines()[-1])

    large = facts["large_output"]
    assert large == {
        "states": {"a": "failed", "b": "succeeded"},
        "code": "disk_full",
        "class": "transient",
        "stored": [],
        "rows": 0,
    }

    full = facts["full_database"]
    assert (full["refused"], full["unchanged"], full["then"], full["stored"]) == (True, True, {"a": "succeeded"}, [])
    assert "There is no room left to store this." in full["page"]

    assert facts["full_at_finish"] == {"states": {"a": "succeeded", "b": "succeeded"}, "calls": 1}
    assert "database_trouble" in done.stdout + done.stderr
