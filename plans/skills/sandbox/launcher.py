"""First code in the child: bind our life to the parent's, take on the limits, then become the program.

Runs as `python -I -S launcher.py SPEC`, in an empty environment, before anything of the product is importable.
It does by itself what `preexec_fn` would do: that hook is unsafe in a process that has threads.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
MEMORY_EXIT = 86
ORPHAN_EXIT = 87


def bind_to_parent(parent: int) -> None:
    """Ask the kernel to kill us when the thread that started us ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((PR_SET_PDEATHSIG, signal.SIGKILL), (PR_SET_NO_NEW_PRIVS, 1)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl {option}")
    # The parent may have died before the call above: then nobody would ever end us.
    if os.getppid() != parent:
        os._exit(ORPHAN_EXIT)


def take_limits(limits: dict[str, int]) -> None:
    """Set the rlimits named in the spec, soft and hard alike."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))
    # When memory runs out the kernel takes this process, not the worker.
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    bind_to_parent(spec["parent"])
    take_limits(spec["rlimits"])
    sys.argv = ["program"]
    sys.path.extend(spec["path"])
    program = compile(spec["code"], "program", "exec")
    try:
        exec(program, {"__name__": "__main__", "__builtins__": __builtins__})  # noqa: S102  (running it is the job)
    except MemoryError:
        os._exit(MEMORY_EXIT)
    sys.stdout.flush()
    sys.stderr.flush()
    # Tearing down big libraries costs more than many a program; the kernel frees all there is.
    os._exit(0)


main()
