"""The live page without a socket: the same frames by GET."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.models import Request, Run
from plans.web.live import reading
from tests.engine.plant import Plant, states
from tests.web.factories import drained_run, world
from tests.web.live.rows import burst, move

pytestmark = pytest.mark.django_db


def ask(client: Client, user: User, run: Run, seq: object = None) -> Any:
    client.force_login(user)
    return client.get(f"/runs/{run.uuid}/live", {} if seq is None else {"seq": seq})


def test_a_poll_gives_the_frame_a_socket_would(client: Client, owner: User) -> None:
    run = Plant().run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    run.refresh_from_db()
    move(run, "a", TaskState.RUNNING, EventKind.TASK_RUNNING)

    frame = ask(client, owner, run, run.seq).json()
    part = reading.catch_up(run.pk, run.seq, "en")

    assert part is not None
    assert (frame["type"], frame["from"], frame["to"]) == ("events", run.seq + 1, run.seq + 1)
    assert frame["tasks"] == list(part.tasks.values())
    assert frame["events"] == part.events
    assert frame["inbox"] == {"type": "inbox", "open": 0, "label": ""}


@pytest.mark.parametrize("seq", [None, "", "x", "-1", "9" * 40, 99])
def test_an_unknown_number_gets_everything(client: Client, owner: User, seq: object) -> None:
    run = Plant().run({"id": "a"}, {"id": "b", "depends_on": ["a"]})

    frame = ask(client, owner, run, seq).json()

    assert frame["type"] == "snapshot"
    assert {task["key"]: task["state"] for task in frame["tasks"]} == states(run)


def test_nothing_new_is_a_beat(client: Client, owner: User) -> None:
    run = Plant().run({"id": "a"})
    run.refresh_from_db()

    answer = ask(client, owner, run, run.seq)

    assert answer.json()["type"] == "beat"
    assert "no-store" in answer["Cache-Control"]


def test_who_may_not_see_the_run_gets_404_and_a_guest_is_sent_to_the_login(
    client: Client, outsider: User, member: User, operator: User
) -> None:
    run = Plant().run({"id": "a"})
    paths = [f"/runs/{run.uuid}/{name}" for name in ("live", "requests", "result")]
    assert {client.get(path).status_code for path in [*paths, "/inbox/live"]} == {302}
    client.force_login(outsider)
    assert {client.get(path).status_code for path in paths} == {404}
    request = Request.objects.create(run=run, task=run.tasks.get(), kind="question", schema={})
    request.assignees.add(member)
    for user in (member, operator):
        client.force_login(user)
        assert {client.get(path).status_code for path in paths} == {200}


@pytest.mark.parametrize("seq", [0, None])
def test_the_number_of_queries_does_not_grow(client: Client, owner: User, seq: int | None) -> None:
    counts = []
    for size in (2, 40):
        run = Plant().run(*({"id": f"t{n}"} for n in range(size)))
        for task in run.tasks.all():
            Request.objects.create(run=run, task=task, kind="question", schema={}).assignees.add(owner)
        burst(run, size, key="t1")
        client.force_login(owner)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(f"/runs/{run.uuid}/live", {} if seq is None else {"seq": seq})
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] <= 14


def test_the_requests_area_shows_only_what_this_person_may_decide(client: Client, owner: User, member: User) -> None:
    made = world(owner)
    made.question.assignees.add(member)

    client.force_login(owner)
    assert client.get(f"/runs/{made.run.uuid}/requests").content.count(b"data-request=") == 3
    client.force_login(member)
    assert client.get(f"/runs/{made.run.uuid}/requests").content.count(b"data-request=") == 1


def test_C26_looking_live_decides_nothing(client: Client, owner: User) -> None:
    made = world(owner)
    client.force_login(owner)

    for name in ("live", "requests", "result"):
        for method in (client.get, client.head):
            assert method(f"/runs/{made.run.uuid}/{name}").status_code == 200
        assert client.post(f"/runs/{made.run.uuid}/{name}").status_code == 405

    assert set(Request.objects.values_list("state", flat=True)) == {"open"}


def test_the_result_area_is_there_after_the_end(client: Client, owner: User) -> None:
    run = drained_run(owner)
    client.force_login(owner)

    assert b"Result" in client.get(f"/runs/{run.uuid}/result").content
