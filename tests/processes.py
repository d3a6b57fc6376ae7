"""Start the product's real processes on a test's own database and stop them by their pid.

A test that uses these needs committed rows: `@pytest.mark.django_db(transaction=True)`. The processes run with
`planner_site.settings`, so sign in with `session_cookie(user)`: the suite's quick password hashes mean nothing to them.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
Found = TypeVar("Found")


def wait_for(condition: Callable[[], Found], *, timeout: float = 30, what: str = "") -> Found:
    """Poll until `condition()` is true and return its value. Raises AssertionError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout:g} s: {what or getattr(condition, '__name__', condition)}")
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Tell whether a process exists and is more than a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def processes_with(variable: str, value: str) -> list[int]:
    """Return the pids of live processes whose environment says `variable=value`: what a start left behind."""
    wanted = f"{variable}={value}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in environment and is_alive(int(entry.name)):
            found.append(int(entry.name))
    return found


def database_url() -> str:
    """Return the URL of the test's database, for other processes."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    login = f"{database['USER']}:{database['PASSWORD']}@" if database["USER"] else ""
    return f"postgres://{login}{database['HOST'] or 'localhost'}:{database['PORT'] or 5432}/{database['NAME']}"


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process that shares this test's database, blobs, key and queue name."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTEST_", "PLANS_", "PYTHON", "COV_")) and key != "DJANGO_SETTINGS_MODULE"
    }
    return clean | {
        "ANTHROPIC_API_KEY": "",
        "ANTHROPIC_AUTH_TOKEN": "",
        "ANTHROPIC_BASE_URL": "",
        "DATABASE_URL": database_url(),
        "STORAGE_URL": settings.STORAGE_URL,
        "SECRET_KEY": settings.SECRET_KEY,
        "Q_CLUSTER_NAME": os.environ["Q_CLUSTER_NAME"],
        "PLANS_DATA_DIR": str(data_dir),
        **more,
    }


@dataclass
class Started:
    """One process the test started, with what it said."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        """Return everything it has written so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def wait(self, timeout: float = 60) -> int:
        """Wait for its end and return the exit code."""
        return self.process.wait(timeout)

    def stop(self, timeout: float = 60) -> int:
        """Ask it to stop and return the exit code; what is left of its group is killed."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(timeout)
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill it and its group now."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait(30)


@dataclass
class Site:
    """Starts processes of the product on the test's database; `data_dir` is theirs alone.

    With `is_fresh` they get nothing of the test's: database, blobs and key are made in `data_dir`, as on a new machine.
    """

    data_dir: Path
    is_fresh: bool = False
    servers: Servers | None = None
    started: list[Started] = field(default_factory=list)

    def start(self, *command: str, pass_fds: tuple[int, ...] = (), **more: str) -> Started:
        """Start `python COMMAND…` in its own session; `more` goes into its environment."""
        output = self.data_dir.parent / f"process-{len(self.started)}.log"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                pass_fds=pass_fds,
                start_new_session=True,
            )
        self.started.append(Started(process, output))
        return self.started[-1]

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment its processes get."""
        shared = ("DATABASE_URL", "STORAGE_URL", "SECRET_KEY") if self.is_fresh else ()
        values = environment(self.data_dir)
        if self.servers is not None and (folder := self.servers.site.data_dir / "static").is_dir():
            values["PLANS_STATIC_DIR"] = str(folder)
        return {key: value for key, value in values.items() if key not in shared} | more

    def manage(self, *arguments: str, **more: str) -> Started:
        """Start a management command."""
        return self.start("manage.py", *arguments, **more)

    def worker(self, *, workers: int = 2, **more: str) -> Started:
        """Start `manage.py work` and wait until its cluster runs."""
        ready = self.data_dir / f"worker-ready-{len(self.started)}"
        worker = self.manage("work", PLANS_WORKERS=str(workers), PLANS_WORKER_READY_FILE=str(ready), **more)
        wait_for(lambda: ready.exists() or worker.process.poll() is not None, timeout=60, what="the worker to be ready")
        assert worker.process.poll() is None, worker.said()
        return worker

    def web(self, **more: str) -> tuple[Started, str]:
        """Return a daphne on a free loopback port and its address: one that serves this database already, if it answers.

        A server keeps nothing of a run but by its id, and ids are never used twice; so tests share one for each set of
        settings. One that a test has killed or stopped is replaced.
        """
        if self.is_fresh or self.servers is None:
            return self.start_web(**more)
        key = tuple(sorted(more.items()))
        known = self.servers.known.get(key)
        if known is None or not status(known[1], timeout=5):
            if known is not None:
                known[0].kill()
            known = self.servers.known[key] = self.servers.site.start_web(**more)
        return known

    def start_web(self, **more: str) -> tuple[Started, str]:
        """Start a daphne of this site's own and wait until it answers."""
        if "PLANS_STATIC_DIR" not in more:
            more["PLANS_STATIC_DIR"] = str(self.collected())
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            descriptor = listener.fileno()
            command = ("-m", "daphne", "-v", "0", "--fd", str(descriptor), "planner_site.asgi:application")
            web = self.start(*command, pass_fds=(descriptor,), **more)
        wait_for(lambda: status(url) or web.process.poll() is not None, timeout=60, what="the web server to answer")
        assert web.process.poll() is None, web.said()
        return web, url

    def collected(self) -> Path:
        """Collect the static files, once, and return their folder."""
        folder = self.data_dir / "static"
        if not folder.is_dir():
            assert self.manage("collectstatic", "--noinput", "-v", "0", PLANS_STATIC_DIR=str(folder)).wait() == 0
        return folder

    def stop_all(self) -> None:
        """Stop what still runs, the newest first; a process that does not listen is killed."""
        for started in reversed(self.started):
            if started.process.poll() is None:
                started.process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    started.wait(30)
            started.kill()


@dataclass
class Servers:
    """The web servers that tests of one session share, by the settings they were started with."""

    site: Site
    known: dict[tuple[tuple[str, str], ...], tuple[Started, str]] = field(default_factory=dict)


@pytest.fixture(scope="session")
def servers(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Keep web servers from test to test; all are stopped before the database goes."""
    data_dir = tmp_path_factory.mktemp("servers") / "data"
    data_dir.mkdir(mode=0o700)
    servers = Servers(Site(data_dir))
    yield servers
    servers.site.stop_all()


@pytest.fixture
def fresh_site(tmp_path: Path) -> Iterator[Site]:
    """Start real processes as on a new machine; all are stopped at the end."""
    site = Site(tmp_path / "data", is_fresh=True)
    yield site
    site.stop_all()


@pytest.fixture
def site(transactional_db: None, servers: Servers, tmp_path: Path) -> Iterator[Site]:
    """Start real processes on this test's database; all are stopped at the end."""
    data_dir = tmp_path / "data"
    data_dir.mkdir(mode=0o700)
    site = Site(data_dir, servers=servers)
    yield site
    site.stop_all()


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: object) -> None:
        return None


def status(url: str, timeout: float = 10) -> int:
    """Return the HTTP status of `url` (redirects are not followed), or 0 when nothing answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Stay())
    try:
        with opener.open(url, timeout=timeout) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


def session_cookie(user: User) -> dict[str, str]:
    """Return the cookie of a signed-in session of `user`, valid for the started processes as well."""
    from django.test import Client

    client = Client()
    client.force_login(user)
    return {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
