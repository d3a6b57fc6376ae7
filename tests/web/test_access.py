"""Who may see what: every address of the site, for strangers and for people without a part in a run."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.models import Request
from plans.web.urls import urlpatterns
from tests.web.factories import World, world

OPEN = {"login", "logout", "theme", "csp_report", "favicon", "healthz", "readyz"}
FOR_OPERATORS = {"system", "hold", "release"}
WITH_ID = {route.name for route in urlpatterns if "<uuid:uuid>" in str(route.pattern)}
WITHOUT_ID = {route.name for route in urlpatterns} - WITH_ID - OPEN


def address(name: str, made: World) -> str:
    """Return the address of a route on this world's objects."""
    by_name = {
        "request": made.approval.uuid,
        "edit_request": made.approval.uuid,
        "artifact": made.artifact.uuid,
        "artifact_view": made.artifact.uuid,
        "artifact_csv": made.table.uuid,
        "artifact_rows": made.table.uuid,
    }
    if name == "example":
        return reverse(name, args=["busiest_pages"])
    if name == "model_call":
        return reverse(name, args=[made.run.uuid, made.call.pk])
    queries = {
        "log": "?task=t1&attempt=1",
        "run": "?task=t1",
        "run_panel": "?task=t1",
        "run_tab": "?tab=events",
        "output": "?task=t1&name=word",
        "edit_step": "?step=t1",
    }
    return reverse(name, args=[by_name.get(name, made.run.uuid)]) + queries.get(name, "")


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("name", sorted(WITH_ID))
def test_a_stranger_gets_404_on_every_object_of_others(name: str, method: str, owner: User, outsider: User) -> None:
    made = world(owner)

    response = getattr(as_user(outsider), method)(address(name, made), follow=True)

    assert response.status_code in {404, 405}
    assert Request.objects.filter(state="open").count() == 3
    made.run.refresh_from_db()
    assert made.run.cancel_requested_at is None


@pytest.mark.parametrize("name", sorted(WITH_ID | WITHOUT_ID))
def test_without_a_session_every_page_leads_to_the_login(name: str, owner: User) -> None:
    path = address(name, world(owner)) if name in WITH_ID | {"example"} else reverse(name)

    response = Client().get(path)

    assert (response.status_code, response["Location"].partition("?")[0]) == (302, reverse("login"))


@pytest.mark.parametrize("name", sorted((WITH_ID | WITHOUT_ID) - FOR_OPERATORS))
def test_the_owner_sees_every_page(name: str, owner: User) -> None:
    path = address(name, world(owner)) if name in WITH_ID | {"example"} else reverse(name)

    assert as_user(owner).get(path, follow=True).status_code == 200


@pytest.mark.parametrize("name", sorted(WITH_ID))
def test_no_get_changes_anything(name: str, owner: User) -> None:
    made = world(owner)

    as_user(owner).get(address(name, made), {"decision": "approve", "choice": "stop", "digest": made.approval.digest})

    made.run.refresh_from_db()
    assert (made.run.state, made.run.cancel_requested_at, made.run.seq) == ("running", None, 2)
    assert Request.objects.filter(state="open").count() == 3


def test_an_assignee_sees_the_run_but_may_not_cancel_it(owner: User, member: User) -> None:
    made = world(owner)
    made.question.assignees.add(member)
    client = as_user(member)

    assert client.get(reverse("run", args=[made.run.uuid])).status_code == 200
    assert client.post(reverse("cancel_run", args=[made.run.uuid])).status_code == 404
    assert client.post(reverse("approve_plan", args=[made.run.uuid])).status_code == 404
    assert client.post(reverse("request", args=[made.failure.uuid]), {"choice": "stop"}).status_code == 404


def test_an_operator_sees_every_run(owner: User, operator: User) -> None:
    made = world(owner)

    assert as_user(operator).get(reverse("run", args=[made.run.uuid])).status_code == 200


def test_a_deactivated_person_is_signed_out(owner: User) -> None:
    made = world(owner)
    client = as_user(owner)
    User.objects.filter(pk=owner.pk).update(is_active=False)

    assert client.get(reverse("run", args=[made.run.uuid])).status_code == 302


def test_login_leads_back_to_the_page_that_was_asked_for(owner: User) -> None:
    made = world(owner)
    path = reverse("run", args=[made.run.uuid])
    credentials = {"username": "owner", "password": "owner-password", "next": path}

    response = Client().post(reverse("login"), credentials)

    assert response["Location"] == path
