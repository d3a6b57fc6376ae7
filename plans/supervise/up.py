"""`manage.py up`: web server and workers of this host under one supervisor; `make run` ends here."""

from __future__ import annotations

import argparse
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from plans.engine import sweeper
from plans.supervise import first_user, locks, logs, prepare, presence, readiness
from plans.supervise.child import Program
from plans.supervise.listen import address, listen
from plans.supervise.model_line import ModelLine
from plans.supervise.refusals import CannotStart, from_database_error, from_os_error
from plans.supervise.signals import Signals
from plans.supervise.supervisor import Supervisor
from plans.supervise.sweep import SweepLoop
from plans.supervise.watchdog import Watchdog
from plans.wording import sentence

HELP = "Run the web server and the workers of this host until Ctrl-C."
WEB, WORKER = "web server", "worker"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; without --web and --workers both run."""
    parser.add_argument("--web", action="store_true", help="run the web server only")
    parser.add_argument("--workers", action="store_true", help="run the workers only")
    parser.add_argument("--host", default=settings.PLANS_HOST, help="IPv4 address to listen on (PLANS_HOST)")
    parser.add_argument("--port", type=int, default=settings.PLANS_PORT, help="port, 0 for a free one (PLANS_PORT)")
    parser.add_argument(
        "--prepare", action="store_true", help="first migrate, collect static files and make the first user"
    )


def run(options: Mapping[str, Any]) -> int:
    """Run to the end and return the exit code; a refusal is one line on the terminal."""
    signals = Signals()
    try:
        with ExitStack() as stack:
            Up(options, signals, stack).run()
    except CannotStart as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{from_os_error(error, error.filename or str(settings.PLANS_DATA_DIR))}\n")
        return 1
    say("up_stopped")
    return 0


def say(code: str, **params: object) -> None:
    """Write a sentence to the terminal, if one still listens; over the ^C it may have echoed."""
    start = "\r" if sys.stdout.isatty() else ""
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{start}{sentence(code, params)}\n")
        sys.stdout.flush()


class Up:
    """One start: takes locks and socket, then supervises. What it opens is closed by `stack`."""

    def __init__(self, options: Mapping[str, Any], signals: Signals, stack: ExitStack) -> None:
        both = options["web"] == options["workers"]
        self.has_web, self.has_workers = both or options["web"], both or options["workers"]
        self.prepares = options["prepare"]
        self.signals = signals
        self.folder = prepare.data_folder()
        for duty, wanted in (("web", self.has_web), ("workers", self.has_workers)):
            if wanted:
                stack.enter_context(locks.take(self.folder, duty))
        self.listener = stack.enter_context(listen(options["host"], options["port"])) if self.has_web else None
        self.model_line = ModelLine()
        self.ready_file = readiness.ReadyFile(self.folder / "worker.ready")

    def run(self) -> None:
        """Prepare, start and supervise until asked to stop. Raises CannotStart."""
        logs.write_own_lines_to(self.folder / "logs" / "supervisor.log")
        prepare.database(migrate=self.prepares)
        if self.has_web:
            prepare.static_files()
        programs = [self._web(self.listener)] if self.listener else []
        if self.has_workers:
            programs.append(self._worker())
        supervisor = Supervisor(programs, self.signals, stop_seconds=settings.PLANS_STOP_SECONDS)
        longest_gap = max(settings.PLANS_WATCHDOG_SECONDS / 2, 3 * settings.PLANS_SWEEP_SECONDS)
        watchdog = Watchdog(seconds=settings.PLANS_WATCHDOG_SECONDS, longest_gap_seconds=longest_gap)
        host = presence.Presence(has_web=self.has_web, has_workers=self.has_workers)
        memory = sweeper.Memory()

        def sweep_and_tell() -> sweeper.Pulse:
            host.tell()
            # Where another host sweeps, this host's watchdog still needs the figures.
            return (sweeper.sweep_once(memory) if self.has_workers else None) or sweeper.read_pulse()

        def kill_wedged() -> None:
            supervisor.kill_soon(WORKER)
            host.count_restart()

        sweep = SweepLoop(
            sweep_and_tell,
            seconds=settings.PLANS_SWEEP_SECONDS,
            watchdog=watchdog,
            is_working=lambda: self.has_workers and self.ready_file.is_there(),
            on_wedged=kill_wedged,
            on_end=host.leave,
        )
        sweep.start()
        self.model_line.start()
        try:
            supervisor.run(
                on_ready=self._tell_ready, on_start=lambda _name: watchdog.begin(time.monotonic()), on_stop=_tell_stop
            )
        finally:
            sweep.stop()

    def _web(self, listener: socket.socket) -> Program:
        host, port = listener.getsockname()
        descriptor = listener.fileno()
        return Program(
            name=WEB,
            arguments=("-m", "daphne", "-v", "0", "--fd", str(descriptor), "planner_site.asgi:application"),
            folder=Path(settings.BASE_DIR),
            log=self.folder / "logs" / "web.log",
            is_ready=lambda: readiness.web_answers(host, port),
            pass_fds=(descriptor,),
        )

    def _worker(self) -> Program:
        return Program(
            name=WORKER,
            arguments=("manage.py", "work"),
            folder=Path(settings.BASE_DIR),
            log=self.folder / "logs" / "worker.log",
            is_ready=self.ready_file.is_there,
            before_start=self.ready_file.forget,
            environment={"PLANS_WORKER_READY_FILE": str(self.ready_file.path)},
        )

    def _tell_ready(self) -> None:
        """Say where the site is and who may sign in; the last lines of a start."""
        for line in self.model_line.read():
            say("up_model", said=line)
        if not self.listener:
            say("up_workers_run")
            return
        say("up_address", address=address(self.listener))
        try:
            administrator = first_user.name_of_administrator()
            if administrator:
                say("up_user", user=administrator)
            elif self.prepares:
                first_user.make_first_user(_show_login)
            else:
                say("up_no_user")
        except DatabaseError as error:
            raise from_database_error(error, prepare.database_name(), str(self.folder)) from error
        finally:
            connection.close()


def _show_login(name: str, password: str) -> None:
    say("up_user", user=name)
    say("up_password", password=password)


def _tell_stop() -> None:
    say("up_stopping", seconds=f"{settings.PLANS_STOP_SECONDS:g}")
