"""Sockets of a real daphne: who may look, what comes, and that a killed server costs nothing but a moment."""

from __future__ import annotations

import json
import socket as sockets
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed

from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.engine.control import cancel_run
from plans.engine.requests import decide_approval
from plans.models import Request, Run
from tests.engine.plant import Plant, states
from tests.processes import Site, Started, status, wait_for
from tests.web.factories import approved_run
from tests.web.live.rows import burst, move, path, seq_of
from tests.web.live.watcher import Watcher, headers, watching

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def has_all(run: Run) -> bool:
    return Run.objects.get(pk=run.pk).is_terminal


def long_plan(count: int = 40) -> dict[str, object]:
    """Steps one after the other: enough of them that the server can be killed in the middle."""
    tasks = [{"id": f"t{n}", "skill": "noop", "depends_on": [f"t{n - 1}"] if n else []} for n in range(count)]
    return {"schema": 1, "goal": "long", "tasks": tasks}


def restart(site: Site, port: int) -> Started:
    """Start daphne again on the port it had."""
    with sockets.create_server(("127.0.0.1", port)) as listener:
        fd = listener.fileno()
        command = ("-m", "daphne", "-v", "0", "--fd", str(fd), "planner_site.asgi:application")
        web = site.start(*command, pass_fds=(fd,))
    wait_for(lambda: status(f"http://127.0.0.1:{port}"), timeout=60, what="the web server to answer again")
    return web


def test_C40_closing_the_page_stops_nothing(site: Site, web: str, owner: User) -> None:
    run = approved_run(owner, long_plan(10))
    with watching(web, path(run), owner) as watcher:
        watcher.until(lambda w: w.run)

    site.worker()
    wait_for(lambda: has_all(run), what="the run to end without a page")

    assert set(states(run).values()) == {"succeeded"}


def test_C23_a_socket_closed_at_the_moment_of_approval_cancels_nothing(web: str, owner: User) -> None:
    run = approved_run(owner, {"schema": 1, "tasks": [{"id": "a", "skill": "noop", "approval": "always"}]})
    Plant().drain()
    request = Request.objects.get(run=run, kind="task_approval")
    with watching(web, path(run), owner) as watcher:
        watcher.until(lambda w: w.run)
        decide_approval(request=request, approve=True, digest=request.digest, by=owner)

    Plant().drain()
    run.refresh_from_db()
    assert run.state == "succeeded"


def test_two_clients_and_the_database_agree(site: Site, web: str, owner: User, operator: User) -> None:
    run = approved_run(owner, long_plan(30))
    with watching(web, path(run), owner) as one, watching(web, path(run), operator) as two:
        site.worker()
        for watcher in (one, two):
            watcher.until(lambda w: w.run.get("is_terminal"))

    end = seq_of(run)
    assert one.numbers == two.numbers == list(range(1, end + 1))
    assert one.states == two.states == states(run)
    assert one.run == two.run


def test_C39_a_killed_and_restarted_server_costs_no_event_and_doubles_none(site: Site, owner: User) -> None:
    """Reload and restart in mid-run: the page goes on with its number."""
    web, url = site.web()
    port = int(url.rpartition(":")[2])
    run = approved_run(owner, long_plan())
    done = threading.Event()

    def engine() -> None:
        for n in range(40):
            move(run, f"t{n}", TaskState.RUNNING, EventKind.TASK_RUNNING)
            move(run, f"t{n}", TaskState.SUCCEEDED, EventKind.TASK_SUCCEEDED)
            if n == 10:
                assert done.wait(60)

    cookie = headers(owner)
    writer = threading.Thread(target=in_thread(engine))
    with watching(url, path(run), seq=0, cookie=cookie) as before:
        writer.start()
        before.until(lambda w: w.states.get("t5") == "succeeded")
        web.kill()
        with pytest.raises(ConnectionClosed):
            before.until(lambda w: False)
    restart(site, port)
    with watching(url, path(run), seq=before.seq, cookie=cookie) as after:
        done.set()
        after.until(lambda w: w.states.get("t39") == "succeeded")
    writer.join()

    assert before.numbers + after.numbers[before.seq :] == list(range(1, seq_of(run) + 1))
    assert before.states | after.states == states(run)


def in_thread(function: object) -> object:
    """Close the thread's own connection at its end."""
    from django.db import connection

    def call() -> None:
        try:
            function()  # type: ignore[operator]
        finally:
            connection.close()

    return call


def test_C43_a_thousand_events_come_in_few_frames_and_end_with_the_truth(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, path(run), owner, seq=seq_of(run)) as watcher:
        watcher.until(lambda w: w.inbox is not None)
        before = len(watcher.frames)
        burst(run, 1000, per_commit=5)
        move(run, "a", TaskState.RUNNING, EventKind.TASK_RUNNING)
        end = seq_of(run)
        watcher.until(lambda w: w.seq == end)

    assert watcher.numbers == list(range(1, end + 1))
    assert watcher.states == {"a": "running"}
    assert len(watcher.frames) - before < 100
    assert most_in_a_second(watcher) <= 10


def most_in_a_second(watcher: Watcher) -> int:
    """Return the largest number of frames of events that came within one second."""
    times = [at for at, frame in zip(watcher.times, watcher.frames, strict=True) if frame["type"] == "events"]
    return max(sum(start <= at < start + 1 for at in times) for start in times)


def test_C45_a_reader_that_says_nothing_gets_few_frames_then_one_that_has_everything(web: str, owner: User) -> None:
    """What a slow client has not seen is not queued up for it: the table has it."""
    run = Plant().run({"id": "a"})
    with watching(web, path(run), owner, seq=seq_of(run)) as slow, watching(web, path(run), owner) as quick:
        slow.sees = False
        for _ in range(40):
            burst(run, 100, per_commit=50)
            end = seq_of(run)
            quick.until(lambda w, end=end: w.seq >= end)
        move(run, "a", TaskState.RUNNING, EventKind.TASK_RUNNING)
        end = seq_of(run)
        quick.until(lambda w: w.seq == end)
        got = drained(slow)
        assert len([frame for frame in got if "to" in frame]) == 8

        slow.sees = True
        slow.say(type="seen", seq=slow.seq)
        slow.until(lambda w: w.seq == end)

    assert slow.frames[-1]["type"] == "snapshot"
    assert slow.states == quick.states == {"a": "running"}


def drained(watcher: Watcher) -> list[dict[str, object]]:
    """Take what is already there."""
    while True:
        try:
            watcher.take(timeout=0.5)
        except TimeoutError:
            return watcher.frames


def test_a_gap_is_answered_with_a_snapshot(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, path(run), owner, seq=seq_of(run)) as watcher:
        watcher.say(type="snapshot")
        watcher.until(lambda w: w.run)

    assert watcher.states == {"a": "ready"}


def test_messages_change_nothing_and_unknown_ones_are_answered_with_an_error(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    before = seq_of(run)
    hostile = ['{"type":"cancel"}', "[]", "no json", "", '{"type":"seen","seq":"1"}', '{"type":"approve","id":"x"}']
    with watching(web, path(run), owner, seq=before) as watcher:
        for text in hostile:
            watcher.socket.send(text)
        watcher.socket.send(b"\x00\xff")
        watcher.until(lambda w: sum(f["type"] == "error" for f in w.frames) == len(hostile) + 1)
        watcher.socket.send(json.dumps({"type": "seen", "seq": 1, "more": "x" * 2000}))
        assert watcher.closed_with() == 4413

    with watching(web, path(run), owner, seq=before) as flood:
        with suppress(ConnectionClosed):
            for _ in range(100):
                flood.socket.send("{}")
        assert flood.closed_with() == 4429
    run.refresh_from_db()
    assert (run.seq, run.state) == (before, "running")


def test_a_quiet_run_beats(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, path(run), owner, seq=seq_of(run)) as watcher:
        watcher.until(lambda w: sum(f["type"] == "beat" for f in w.frames) >= 2)


def test_the_inbox_counts_on_every_page(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, "/ws/inbox/", owner) as watcher:
        watcher.until(lambda w: w.inbox == 0)
        request = Request.objects.create(run=run, task=run.tasks.get(), kind="question")
        watcher.until(lambda w: w.inbox == 1)
        cancel_run(run=run, by=owner)
        Request.objects.filter(pk=request.pk).update(state="void")
        watcher.until(lambda w: w.inbox == 0)


def test_twenty_watchers_are_fed_by_one_reader(site: Site, owner: User) -> None:
    web, url = site.web()
    run = Plant().run({"id": "a"})
    cookie = headers(owner)
    with ExitStack() as stack:
        watchers = [stack.enter_context(watching(url, path(run), cookie=cookie)) for _ in range(20)]
        for watcher in watchers:
            watcher.until(lambda w: w.run)
        names = [task.joinpath("comm").read_text().strip() for task in Path(f"/proc/{web.pid}/task").iterdir()]
        burst(run, 50)
        end = seq_of(run)
        for watcher in watchers:
            watcher.until(lambda w: w.seq == end)

    assert all(watcher.numbers == watchers[0].numbers for watcher in watchers)
    assert sum(name.startswith("tailer") for name in names) <= 1
