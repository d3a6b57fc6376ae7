"""`bench live`: milliseconds from a commit to its frame at socket clients of a real daphne, and how fast a burst settles."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.db import transaction

from plans import events
from plans.core.kinds import EventKind
from plans.events import Line
from plans.models import Run, Task
from plans.supervise import prepare
from plans.supervise.bench.figures import Figure, cpu_seconds, figure

REPETITIONS = 5
SINGLE_EVENTS = 30
BURST_EVENTS = 1000
EVENTS_PER_COMMIT = 10
WAIT_SECONDS = 60


@dataclass
class Watchers:
    """Socket clients on a loop of their own thread; `arrived[n]` holds when client n had each event number."""

    address: str
    origin: str
    cookie: str
    count: int
    arrived: list[dict[int, float]] = field(default_factory=list)
    round_trips_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.arrived = [{} for _ in range(self.count)]
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.watch(),), daemon=True)
        self.thread.start()
        if not self.ready.wait(WAIT_SECONDS):
            raise TimeoutError("the watchers could not connect")

    async def watch(self) -> None:
        connect = client().connect
        self.stop = asyncio.Event()
        async with AsyncExitStack() as stack:
            head = {"Cookie": self.cookie}
            sockets = [
                await stack.enter_async_context(
                    connect(self.address, origin=self.origin, additional_headers=head, proxy=None, max_size=None)
                )
                for _ in range(self.count)
            ]
            for each in sockets:
                self.round_trips_ms.append(await (await each.ping()) * 1000)
            tasks = [asyncio.create_task(self.follow(each, n)) for n, each in enumerate(sockets)]
            await self.stop.wait()
            for task in tasks:
                task.cancel()

    async def follow(self, connection: Any, n: int) -> None:
        async for text in connection:
            now = time.perf_counter()
            frame = json.loads(text)
            if frame["type"] in {"events", "snapshot"}:
                self.arrived[n].update(dict.fromkeys((event["seq"] for event in frame["events"]), now))
                self.arrived[n][frame["to"]] = now
                await connection.send(json.dumps({"type": "seen", "seq": frame["to"]}))
            elif frame["type"] == "inbox" and n == self.count - 1:
                self.ready.set()

    def have(self, seq: int) -> None:
        """Wait until every client has had event `seq`. Raises TimeoutError."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not all(seq in each for each in self.arrived):
            if time.monotonic() > deadline:
                raise TimeoutError(f"event {seq} did not reach every watcher")
            time.sleep(0.005)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join(WAIT_SECONDS)


def client() -> Any:
    """Return the socket client. It is a development dependency, so an installation may lack it."""
    try:
        return import_module("websockets.asyncio.client")
    except ImportError as error:
        raise SystemExit("bench live needs the package websockets: make develop installs it.") from error


@dataclass
class Bench:
    """One run, its owner's session and the server that shows it."""

    owner: User
    pid: int
    port: int

    def watchers(self, run: Run, count: int) -> Watchers:
        host = f"127.0.0.1:{self.port}"
        cookie = f"{settings.SESSION_COOKIE_NAME}={session_of(self.owner)}"
        path = f"ws://{host}/ws/runs/{run.uuid}/?seq=0"
        return Watchers(address=path, origin=f"http://{host}", cookie=cookie, count=count)

    def latency(self, count: int) -> list[Figure]:
        """Measure single events, as a run with a person's attention has them, with `count` watchers."""
        run = make_run(self.owner)
        watchers = self.watchers(run, count)
        halves, tails, cpus = [], [], []
        for _number in range(REPETITIONS):
            cpu = cpu_seconds(self.pid)
            found = sorted(self.singles(run, watchers))
            halves.append(statistics.median(found))
            tails.append(found[int(len(found) * 0.95)])
            cpus.append((cpu_seconds(self.pid) - cpu) * 1000 / SINGLE_EVENTS)
        watchers.close()
        floors = watchers.round_trips_ms
        return [
            figure(f"live.commit_to_frame.p50.{count}", "ms", halves, floors, cpus),
            figure(f"live.commit_to_frame.p95.{count}", "ms", tails, floors, cpus),
        ]

    def singles(self, run: Run, watchers: Watchers) -> list[float]:
        """Commit events at random moments; return milliseconds from each commit to each watcher."""
        draw = random.Random(20_261_130)  # noqa: S311
        committed = {}
        for _number in range(SINGLE_EVENTS):
            time.sleep(draw.uniform(0.12, 0.3))
            seq = commit(run, 1)
            committed[seq] = time.perf_counter()
        watchers.have(seq)
        return [(each[seq] - at) * 1000 for seq, at in committed.items() for each in watchers.arrived]

    def burst(self, count: int) -> Figure:
        """Measure how long after the last commit of a burst every watcher has all of it."""
        run = make_run(self.owner)
        watchers = self.watchers(run, count)
        values, cpus = [], []
        for _number in range(REPETITIONS):
            cpu = cpu_seconds(self.pid)
            for _commit in range(BURST_EVENTS // EVENTS_PER_COMMIT):
                seq = commit(run, EVENTS_PER_COMMIT)
            last = time.perf_counter()
            watchers.have(seq)
            values.append(max(max(each[seq] for each in watchers.arrived) - last, 0.0) * 1000)
            cpus.append((cpu_seconds(self.pid) - cpu) * 1000)
        watchers.close()
        return figure(f"live.burst{BURST_EVENTS}.{count}", "ms", values, watchers.round_trips_ms, cpus)


def commit(run: Run, count: int) -> int:
    """Write `count` events of the run's task as the engine does; return the last number."""
    with transaction.atomic():
        Task.objects.filter(run=run).update(attempt=1)
        events.append(run.pk, [Line(kind=EventKind.TASK_CHECKPOINT, task_key="a", attempt=1)] * count)
        seq: int = Run.objects.values_list("seq", flat=True).get(pk=run.pk)
    return seq


def make_run(owner: User) -> Run:
    run = Run.objects.create(goal="live", owner=owner, state="running", left=1)
    Task.objects.create(run=run, key="a", skill="noop")
    return run


def session_of(user: User) -> str:
    """Return the key of a signed-in session."""
    engine: Any = import_module(settings.SESSION_ENGINE)
    session = engine.SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


@contextmanager
def server() -> Iterator[tuple[int, int]]:
    """Run daphne on a free loopback port; yield its pid (its session's id as well) and port."""
    # whitenoise warns about a folder that is not there
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, descriptor = listener.getsockname()[1], listener.fileno()
        command = [sys.executable, "-m", "daphne", "-v", "0", "--fd", str(descriptor), "planner_site.asgi:application"]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen(
            command, env=environment, cwd=settings.BASE_DIR, pass_fds=(descriptor,), start_new_session=True
        )
    try:
        yield process.pid, port
    finally:
        process.terminate()
        process.wait(60)


def measure() -> list[Figure]:
    """Measure on the settings' (empty, throw-away) database with 1 and 20 watchers."""
    # it measures on what this module makes
    from plans.supervise.bench import dom

    client()
    # pages name hashed files, and the server reads their list when it starts
    prepare.static_files()
    owner = User.objects.create_user("bench", is_active=True)
    with server() as (pid, port):
        bench = Bench(owner=owner, pid=pid, port=port)
        return [
            *bench.latency(1),
            *bench.latency(20),
            bench.burst(1),
            bench.burst(20),
            *dom.measure(bench),
        ]
