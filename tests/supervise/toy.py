"""A supervisor of toy children, run as a program: `toy.py FOLDER STOP_SECONDS CODE…` (signals need a main thread).

Each CODE is Python for one child. A child is ready when it has made the file `FOLDER/N.ready`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "planner_site.settings"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
django.setup()

from plans.supervise import logs  # noqa: E402
from plans.supervise.child import Program  # noqa: E402
from plans.supervise.refusals import CannotStart  # noqa: E402
from plans.supervise.signals import Signals  # noqa: E402
from plans.supervise.supervisor import Supervisor  # noqa: E402


def program(number: int, code: str, folder: Path) -> Program:
    ready = folder / f"{number}.ready"
    return Program(
        name=f"child {number}",
        arguments=("-c", code),
        folder=folder,
        log=folder / f"{number}.log",
        is_ready=ready.exists,
        before_start=lambda: ready.unlink(missing_ok=True),
    )


def main() -> int:
    folder = Path(sys.argv[1])
    signals = Signals()
    logs.write_own_lines_to(folder / "supervisor.log")
    programs = [program(number, code, folder) for number, code in enumerate(sys.argv[3:])]
    supervisor = Supervisor(programs, signals, stop_seconds=float(sys.argv[2]))
    try:
        supervisor.run(
            on_ready=lambda: print("ready", flush=True),
            on_start=lambda name: print(f"started {name}", flush=True),
            on_stop=lambda: print("stopping", flush=True),
        )
    except CannotStart as refusal:
        print(refusal, flush=True)
        return 1
    print("stopped", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
