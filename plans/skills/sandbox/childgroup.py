"""Today's back-end: a child process in a group of its own, with rlimits and an empty environment.

It ends work for certain and keeps a crash away from the worker; it does not hide the file system or the network.
So it runs only programs of ours (DESIGN §6); what the model writes waits for the bubblewrap back-end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from plans.skills.sandbox.collect import PLAIN_NAME, Collected, collect
from plans.skills.sandbox.job import Job, Outcome, Usage
from plans.skills.sandbox.watch import Ending, watch

BACKEND = "childgroup"
LAUNCHER = Path(__file__).with_name("launcher.py")
PRODUCT_ROOT = Path(__file__).resolve().parents[3]
PARAMS_NAME = "params.json"


def run(job: Job, *, cancelled: Callable[[], bool]) -> Outcome:
    """Run the program to its end, the limits' end or `cancelled()`; nothing it started outlives the call.

    `cancelled` is asked about every 50 ms, in the calling thread. The thread must live until the call returns:
    the kernel kills the child when the thread that started it ends.
    """
    with tempfile.TemporaryDirectory(prefix="work-", dir=job.scratch_dir, ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        _furnish(work, job)
        started = time.monotonic()
        try:
            child = _start(work)
        except OSError as error:
            return Outcome(status="sandbox_unavailable", stderr=str(error), backend=BACKEND)
        ending = watch(child, job.limits, cancelled)
        wall = time.monotonic() - started
        found = Collected()
        if ending.status == "ok":
            found = collect(work / "out", job.artifacts_dir, job.limits)
        return _outcome(ending, found, wall)


def _furnish(work: Path, job: Job) -> None:
    for name in ("in", "out", "tmp", "mpl"):
        (work / name).mkdir(mode=0o700)
    for entry in job.inputs:
        if not PLAIN_NAME.fullmatch(entry.name) or entry.name == PARAMS_NAME:
            raise ValueError(f"not a name for an input: {entry.name!r}")
        (work / "in" / entry.name).symlink_to(entry.path.resolve(strict=True))
    (work / "in" / PARAMS_NAME).write_text(json.dumps(job.params), encoding="utf-8")
    (work / "spec.json").write_text(json.dumps(_spec(job)), encoding="utf-8")


def _spec(job: Job) -> dict[str, object]:
    paths = sysconfig.get_paths()
    limits = job.limits
    return {
        "parent": os.getpid(),
        "code": job.code,
        "path": list(dict.fromkeys([paths["purelib"], paths["platlib"], str(PRODUCT_ROOT)])),
        "rlimits": {
            # A second line behind the wall clock; threads count together.
            "CPU": int(limits.wall_seconds * (os.cpu_count() or 1)) + 5,
            "FSIZE": limits.file_bytes,
            "NOFILE": limits.open_files,
            "CORE": 0,
        },
    }


def _start(work: Path) -> subprocess.Popen[bytes]:
    environment = {
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": str(work),
        "TMPDIR": str(work / "tmp"),
        "MPLCONFIGDIR": str(work / "mpl"),
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "IN_DIR": str(work / "in"),
        "OUT_DIR": str(work / "out"),
    }
    # No -B: byte code of our own programs is worth keeping, they are imported nowhere else.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-X", "utf8", str(LAUNCHER), str(work / "spec.json")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=work,
        env=environment,
        start_new_session=True,
        close_fds=True,
    )


def _outcome(ending: Ending, found: Collected, wall: float) -> Outcome:
    status = ending.status
    if status == "ok" and found.result_error is not None:
        status, found.artifacts = "bad_result", []
    return Outcome(
        status=status,
        exit_code=ending.exit_code,
        stdout=ending.stdout.decode("utf-8", "replace"),
        stderr=ending.stderr.decode("utf-8", "replace"),
        truncated=ending.truncated,
        result=found.result,
        result_error=found.result_error,
        artifacts=tuple(found.artifacts),
        rejected=tuple(found.rejected),
        usage=Usage(wall_seconds=wall, cpu_seconds=ending.cpu_seconds, memory_bytes=ending.memory_bytes),
        backend=BACKEND,
    )
