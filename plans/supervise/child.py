"""One supervised program: started through the launcher in its own session, stopped by its leader, then swept up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from plans.supervise import logs, orphans
from plans.supervise.restarts import Restarts

LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What to run. `is_ready` is asked again and again after a start until it says yes."""

    name: str
    arguments: tuple[str, ...]
    folder: Path
    log: Path
    is_ready: Callable[[], bool]
    before_start: Callable[[], None] = lambda: None
    environment: Mapping[str, str] = field(default_factory=dict)
    pass_fds: tuple[int, ...] = ()


@dataclass(kw_only=True)
class Child:
    """A program with its present process. Times are monotonic seconds, given by the caller."""

    program: Program
    restarts: Restarts = field(default_factory=Restarts)
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0
    start_at: float | None = None
    was_ready: bool = False

    def start(self, now: float) -> None:
        """Start it. Call this from the main thread only: the kernel's death signal follows the thread that forked."""
        self.program.before_start()
        logs.rotate(self.program.log)
        command = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), sys.executable, *self.program.arguments]
        with logs.open_append(self.program.log) as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.program.folder,
                env={**os.environ, **self.program.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=self.program.pass_fds,
                start_new_session=True,
            )
        self.started_at, self.start_at, self.was_ready = now, None, False

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def has_ended(self) -> bool:
        """Tell whether the leader is gone (or was never started)."""
        return self.process is None or self.process.poll() is not None

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the leader only: a cluster whose whole group is told to stop kills running work and hangs."""
        if self.process and not self.has_ended():
            self.process.terminate()

    def kill(self) -> None:
        """Kill the leader and its group, a gone leader's too: a dead sentinel leaves its workers running."""
        if self.process:
            orphans.kill_group(self.process.pid)
            self.process.wait()

    def clear(self) -> int | None:
        """Kill what a gone leader left in its group, forget the process and return its exit code."""
        self.kill()
        code = self.process.returncode if self.process else None
        self.process = None
        return code
