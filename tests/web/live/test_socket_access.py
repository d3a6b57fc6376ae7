"""Who may look through a socket of a real daphne, at connect and later."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from plans.engine.requests import decide_approval
from plans.models import Request
from tests.engine.plant import Plant
from tests.web.factories import approved_run
from tests.web.live.rows import burst, path, seq_of
from tests.web.live.watcher import headers, refusal, watching

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def test_a_handshake_without_or_with_a_foreign_origin_is_refused(web: str, owner: User) -> None:
    run = Plant().run({"id": "a"})
    port = int(web.rpartition(":")[2])
    foreign = [
        None,
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{port + 1}",
        f"http://localhost:{port}",
        "file://",
    ]

    answers = {origin: refusal(web, path(run), origin=origin, head=headers(owner)) for origin in foreign}

    assert answers == dict.fromkeys(foreign, 403)
    assert refusal(web, path(run), origin=web, head=headers(owner)) == 101
    assert refusal(web, "/ws/nothing/", origin=web, head=headers(owner)) == 403


def test_only_owner_assignee_and_operator_may_look(
    web: str, owner: User, member: User, outsider: User, operator: User
) -> None:
    run = Plant().run({"id": "a"})
    request = Request.objects.create(run=run, task=run.tasks.get(), kind="question")
    request.assignees.add(member)

    for user in (owner, member, operator):
        with watching(web, path(run), user) as watcher:
            assert watcher.until(lambda w: w.run).states == {"a": "ready"}
    for user, code in ((outsider, 4404), (None, 4403)):
        with watching(web, path(run), user) as watcher:
            assert watcher.closed_with() == code
            assert watcher.frames == []
    with watching(web, "/ws/runs/00000000-0000-4000-8000-000000000000/", owner) as watcher:
        assert watcher.closed_with() == 4404


def test_a_request_is_open_only_for_those_who_may_decide_it(web: str, owner: User, member: User) -> None:
    run = Plant().run({"id": "a"}, {"id": "b"})
    for key, who in (("a", member), ("b", owner)):
        Request.objects.create(run=run, task=run.tasks.get(key=key), kind="question").assignees.add(who)

    with watching(web, path(run), owner) as mine, watching(web, path(run), member) as theirs:
        seen = [w.until(lambda w: w.run and w.inbox is not None) for w in (mine, theirs)]
        opens = [next(f for f in w.frames if f["type"] == "snapshot")["requests"]["open"] for w in seen]

    assert [[each["task"] for each in found] for found in opens] == [["a", "b"], ["a"]]
    assert [w.inbox for w in seen] == [2, 1]


@pytest.mark.parametrize("how", ["logout", "deactivated", "password"])
def test_an_ended_login_closes_the_socket_within_seconds(web: str, owner: User, how: str) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, path(run), owner) as watcher:
        watcher.until(lambda w: w.run)
        if how == "logout":
            Session.objects.all().delete()
        elif how == "deactivated":
            User.objects.filter(pk=owner.pk).update(is_active=False)
        else:
            owner.set_password("another one")
            owner.save()

        assert watcher.closed_with() == 4403


def test_a_permission_lost_in_mid_run_closes_the_socket(web: str, owner: User, operator: User) -> None:
    run = Plant().run({"id": "a"})
    with watching(web, path(run), operator) as watcher:
        watcher.until(lambda w: w.run)
        operator.user_permissions.clear()
        burst(run, 3)

        assert watcher.closed_with() == 4404


def test_an_assignee_whose_request_was_decided_sees_nothing_further(web: str, owner: User, member: User) -> None:
    run = approved_run(owner, {"schema": 1, "tasks": [{"id": "a", "skill": "noop", "approval": "always"}]})
    Plant().drain()
    request = Request.objects.get(run=run, kind="task_approval")
    request.assignees.add(member)
    with watching(web, path(run), member) as watcher:
        watcher.until(lambda w: w.run)
        seen = seq_of(run)
        decide_approval(request=request, approve=True, digest=request.digest, by=owner)

        assert watcher.closed_with() == 4404
        assert watcher.seq == seen
