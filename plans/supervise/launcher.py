"""Become another program that is told to stop (SIGTERM) when the process that started it dies.

Run as `python -I -S launcher.py PARENT_PID PROGRAM ARGUMENT…`. A program of its own and not a `preexec_fn`: that one
runs Python between fork and exec, where a lock held by another thread of the parent hangs the child for ever.
Standard library only: the program it becomes may live in another environment.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Ask the kernel for the signal, then exec. Ends at once when the parent is already gone."""
    parent, program = int(arguments[0]), arguments[1:]
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    # The parent may have died before the kernel was asked; then no signal would ever come.
    if os.getppid() != parent:
        sys.exit(0)
    os.execvp(program[0], program)  # noqa: S606 - the point of this file; no shell is wanted


if __name__ == "__main__":
    main(sys.argv[1:])
