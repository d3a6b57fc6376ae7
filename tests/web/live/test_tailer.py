"""The tailer on a real database: what clients are given, when it reads, and how it survives."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from plans import events
from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.events import Line
from plans.models import Request, Run
from plans.web.live import feed as feeds
from plans.web.live.feed import Feed
from plans.web.live.parts import Viewer
from plans.web.live.tailer import Tailer, tailer
from tests.engine.plant import Plant, states
from tests.web.live.conftest import Loop
from tests.web.live.rows import burst, move, seq_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(90)]


class Client:
    """A feed and what it gave out."""

    def __init__(self, loop: Loop, run: Run | None, seq: int | None = None, user_id: int = 0, **viewer: Any) -> None:
        self.loop, self.seq, self.frames = loop, seq or 0, []
        self.viewer = Viewer(user_id=user_id, run_id=run.pk if run else None, **viewer)
        self.feed: Feed = loop.run(self._begin(seq))

    async def _begin(self, seq: int | None) -> Feed:
        feed = Feed(self.viewer, "en")
        tailer().join(feed)
        if self.viewer.run_id is not None:
            await tailer().catch_up(feed, seq)
        return feed

    def take(self) -> list[dict[str, Any]]:
        """Wait for what comes next and take it."""

        async def next_frames() -> list[dict[str, Any]]:
            assert await self.feed.wait(20)
            return self.feed.take()

        taken = self.loop.run(next_frames())
        self.frames += taken
        return taken

    def take_run(self) -> dict[str, Any]:
        """Wait for the next frame of the run and take it."""
        while True:
            for frame in self.take():
                if frame["type"] in {"events", "snapshot"}:
                    return frame

    def until_seq(self, seq: int) -> list[int]:
        """Take frames up to event `seq`; return the numbers of all events taken."""
        while max([frame["to"] for frame in self.frames if "to" in frame], default=self.seq) < seq:
            self.take()
        return [event["seq"] for frame in self.frames for event in frame.get("events", [])]

    def leave(self) -> None:
        self.loop.run(self._leave())

    async def _leave(self) -> None:
        tailer().leave(self.feed)


def the_tailer(loop: Loop) -> Tailer:
    async def get() -> Tailer:
        return tailer()

    return loop.run(get())


def test_every_event_after_the_pages_number_comes_once_and_in_order(loop: Loop) -> None:
    run = Plant().run({"id": "a"}, {"id": "b"})
    burst(run, 5)
    client = Client(loop, run, seq=2)

    burst(run, 40, per_commit=3)
    numbers = client.until_seq(seq_of(run))
    client.leave()

    assert numbers == list(range(3, seq_of(run) + 1))


def test_a_client_that_joins_in_the_middle_of_a_burst_misses_and_doubles_nothing(loop: Loop) -> None:
    run = Plant().run({"id": "a"})
    first = Client(loop, run, seq=seq_of(run))
    clients = []

    for _ in range(8):
        clients.append((seq_of(run), Client(loop, run, seq=seq_of(run))))
        burst(run, 30, per_commit=1)

    end = seq_of(run)
    for since, client in clients:
        assert client.until_seq(end) == list(range(since + 1, end + 1))
        client.leave()
    first.leave()


def test_an_unknown_or_far_number_gets_a_snapshot_of_all_tasks(loop: Loop) -> None:
    run = Plant().run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    burst(run, 600, per_commit=100)

    for seq in (None, 1, 10_000):
        client = Client(loop, run, seq=seq)
        frame = client.take_run()
        client.leave()
        assert frame["type"] == "snapshot"
        assert frame["to"] == seq_of(run)
        assert {task["key"]: task["state"] for task in frame["tasks"]} == states(run)
        assert len(frame["events"]) == 20


def test_a_task_moves_in_words_and_the_run_counts_it(loop: Loop) -> None:
    run = Plant().run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    client = Client(loop, run, seq=seq_of(run))

    move(run, "a", TaskState.RUNNING, EventKind.TASK_RUNNING)
    frame = client.take_run()
    client.leave()

    (task,) = frame["tasks"]
    assert (task["key"], task["state"], task["label"], task["css"]) == ("a", "running", "Running", "s-running")
    assert frame["run"]["counts"] == {"running": 1, "pending": 1}
    assert frame["events"][0]["text"] == "a started (attempt 1)."


def test_a_ready_line_names_its_tasks_in_data_and_they_move_too(loop: Loop) -> None:
    run = Plant().run({"id": "a"}, {"id": "b"})
    client = Client(loop, run, seq=0)

    frame = client.take_run()
    client.leave()

    assert {task["key"] for task in frame["tasks"]} == {"a", "b"}


def test_a_slow_client_is_bounded_and_catches_up_from_the_database(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "PENDING_EVENTS", 200)
    run = Plant().run({"id": "a"})
    slow, quick = Client(loop, run, seq=seq_of(run)), Client(loop, run, seq=seq_of(run))

    for _ in range(10):
        burst(run, 100, per_commit=100)
        quick.until_seq(seq_of(run))

    assert slow.feed.is_behind
    assert slow.feed.pending_events == 0
    loop.run(tailer_catch_up(slow.feed))
    frame = slow.take_run()
    assert (frame["type"], frame["to"]) == ("snapshot", seq_of(run))
    slow.leave()
    quick.leave()


async def tailer_catch_up(feed: Feed) -> None:
    await tailer().catch_up(feed, None)


def test_a_burst_in_one_commit_is_cut_into_frames_of_five_hundred(loop: Loop) -> None:
    run = Plant().run({"id": "a"})
    client = Client(loop, run, seq=seq_of(run))

    burst(run, 1000, per_commit=1000)
    numbers = client.until_seq(seq_of(run))
    client.leave()

    assert numbers == list(range(seq_of(run) - 999, seq_of(run) + 1))
    assert max(len(frame.get("events", [])) for frame in client.frames) <= 500


def test_nobody_watching_means_no_task_and_no_connection(loop: Loop) -> None:
    run = Plant().run({"id": "a"})
    client = Client(loop, run, seq=0)
    assert the_tailer(loop).is_running

    client.leave()
    assert not the_tailer(loop).is_running

    again = Client(loop, run, seq=0)
    burst(run, 1)
    assert again.until_seq(seq_of(run)) == list(range(1, seq_of(run) + 1))
    again.leave()


def test_it_goes_on_after_a_database_error(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    run = Plant().run({"id": "a"})
    client = Client(loop, run, seq=seq_of(run))
    client.take()
    broken = the_tailer(loop)._reader
    loop.run(broken.run(break_connection))

    burst(run, 3)
    numbers = client.until_seq(seq_of(run))
    client.leave()

    assert numbers == [seq_of(run) - 2, seq_of(run) - 1, seq_of(run)]


def break_connection() -> None:
    """Close the connection under Django's feet, as a server that went away does."""
    connection.connection.close()


def test_open_requests_are_counted_for_owner_assignee_and_operator_but_nobody_else(loop: Loop, owner: User) -> None:
    run = Plant().run({"id": "a"})
    assigned = User.objects.create_user("assigned")
    clients = {
        "owner": Client(loop, None, user_id=owner.pk),
        "assigned": Client(loop, None, user_id=assigned.pk),
        "operator": Client(loop, None, user_id=999, is_operator=True),
        "nobody": Client(loop, None, user_id=998),
    }
    for client in clients.values():
        assert client.take()[0]["open"] == 0

    request = Request.objects.create(run=run, task=run.tasks.get(), kind="question")
    request.assignees.add(assigned, owner)
    for name in ("owner", "assigned", "operator"):
        frame = clients[name].take()[0]
        while frame["open"] != 1:
            frame = clients[name].take()[0]
        assert frame["label"] == "Needs an answer"
    Request.objects.filter(pk=request.pk).update(state="void")
    for name in ("owner", "assigned", "operator"):
        assert clients[name].take()[0]["open"] == 0
    for client in clients.values():
        client.leave()
    assert [frame["open"] for frame in clients["nobody"].frames] == [0]


def test_a_decision_brings_the_name_of_who_decided(loop: Loop, owner: User) -> None:
    run = Plant().run({"id": "a"})
    client = Client(loop, run, seq=seq_of(run), user_id=owner.pk, decides_all=True)
    with transaction.atomic():
        request = Request.objects.create(run=run, task=run.tasks.get(), kind="task_approval")
        events.append(run.pk, [opened(request)])
    frame = client.take_run()
    assert [each["label"] for each in frame["requests"]["open"]] == ["Needs approval"]

    with transaction.atomic():
        Request.objects.filter(pk=request.pk).update(
            state="decided", decision="approve", decided_by=owner, decided_at=run.created_at
        )
        events.append(run.pk, [Line(kind=EventKind.REQUEST_DECIDED, data={"request": str(request.uuid)})])
    frame = client.take_run()
    client.leave()

    assert frame["requests"]["open"] == []
    (changed,) = frame["requests"]["changed"]
    assert (changed["id"], changed["by"], changed["decision"]) == (str(request.uuid), "owner", "approve")


def opened(request: Request) -> Line:
    return Line(kind=EventKind.REQUEST_OPENED, task_key="a", data={"request": str(request.uuid), "kind": request.kind})


def test_a_frame_never_carries_large_values(loop: Loop) -> None:
    run = Plant().run({"id": "a", "name": "n" * 400, "params": {"value": "v" * 50_000}})
    run.tasks.update(outputs={"value": "o" * 50_000}, error={"code": "e" * 3000, "params": {}, "class": "permanent"})
    client = Client(loop, run, seq=None)

    frame = client.take_run()
    client.leave()

    assert len(str(frame)) < 4000


def test_a_tailer_that_dies_of_a_bug_sends_its_clients_away_and_starts_anew(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Plant().run({"id": "a"})
    client = Client(loop, run, seq=0)
    client.take()

    async def kill() -> None:
        the = tailer()
        the._seen[run.pk] = "no number"  # type: ignore[assignment]
        the.wake()

    burst(run, 1)
    loop.run(kill())
    while not client.feed.has_failed:
        loop.run(asyncio.sleep(0.01))

    again = Client(loop, run, seq=0)
    assert again.until_seq(seq_of(run)) == list(range(1, seq_of(run) + 1))
    again.leave()
