"""Edit and approve in the browser: the form shows what would happen, and what is typed is what happens."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.models import Request, Run
from tests.web.factories import drain, drained_run

pytestmark = pytest.mark.django_db(transaction=True)

PLAN = {
    "schema": 1,
    "goal": "Wait a little",
    "tasks": [{"id": "w", "name": "Wait", "skill": "wait", "params": {"seconds": 500}, "approval": "always"}],
}


@pytest.fixture
def waiting(owner: User) -> Run:
    return drained_run(owner, PLAN)


def address(run: Run) -> str:
    return reverse("edit_request", args=[Request.objects.get(run=run, kind="task_approval").uuid])


def digest(run: Run) -> str:
    return Request.objects.get(run=run, kind="task_approval").digest


def test_the_form_shows_what_would_happen_and_looking_decides_nothing(
    client: Client, owner: User, waiting: Run
) -> None:
    client.force_login(owner)
    for look in (client.get, client.head):
        answer = look(address(waiting))
        assert answer.status_code == 200
    assert (
        'value="500"' in (page := client.get(address(waiting)).content.decode()) or ">\n500" in page or ">500" in page
    )
    assert Request.objects.get(run=waiting, kind="task_approval").state == "open"


def test_what_is_typed_is_what_happens(client: Client, owner: User, waiting: Run) -> None:
    client.force_login(owner)
    answer = client.post(address(waiting), {"digest": digest(waiting), "p0": "0.01"})
    assert answer.status_code == 302
    drain(waiting)
    request = Request.objects.get(run=waiting, kind="task_approval")
    assert (request.decision, request.content["effect"]["params"]) == ("edit_and_approve", {"seconds": 0.01})
    assert client.get(address(waiting)).status_code == 302
    page = client.get(address(waiting), follow=True).content.decode()
    assert f"Edited and approved by {owner.username}" in page


@pytest.mark.parametrize(("typed", "kept"), [("{nonsense", "{nonsense"), ('"long"', "&quot;long&quot;")])
def test_what_does_not_fit_is_said_and_kept(client: Client, owner: User, waiting: Run, typed: str, kept: str) -> None:
    client.force_login(owner)
    answer = client.post(address(waiting), {"digest": digest(waiting), "p0": typed})
    assert answer.status_code == 200
    assert kept in answer.content.decode()
    assert "errorlist" in answer.content.decode() or "error" in answer.content.decode()
    assert Request.objects.get(run=waiting, kind="task_approval").state == "open"


def test_a_stale_edit_answers_409_and_a_stranger_sees_nothing(
    client: Client, owner: User, outsider: User, waiting: Run
) -> None:
    client.force_login(owner)
    assert client.post(address(waiting), {"digest": "0" * 64, "p0": "1"}).status_code == 409
    client.force_login(outsider)
    assert client.get(address(waiting)).status_code == 404
    assert client.post(address(waiting), {"digest": digest(waiting), "p0": "1"}).status_code == 404
