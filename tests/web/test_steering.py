"""The buttons that steer a run: they show when they can be pressed, and only a POST does anything."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from plans import tasks
from plans.engine.drain import drain
from plans.models import Run
from tests.web.factories import approved_run, world

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def test_pause_and_resume_by_button_without_javascript(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    browser.get(reverse("pause_run", args=[run.uuid]))
    run.refresh_from_db()
    assert run.state == "running", "a GET changes nothing"

    page = browser.post(reverse("pause_run", args=[run.uuid]), follow=True).content.decode()
    run.refresh_from_db()
    assert run.state == "paused"
    assert "Paused" in page

    browser.post(reverse("resume_run", args=[run.uuid]))
    run.refresh_from_db()
    assert run.state == "running"


def test_a_person_runs_a_finished_plan_again_from_a_step(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    drain(tasks.runner())
    address = reverse("rerun", args=[run.uuid])
    panel = browser.get(reverse("run_panel", args=[run.uuid]) + "?task=t2").content.decode()
    assert f"{address}?from=t2" in panel
    asked = browser.get(f"{address}?from=t2")
    assert Run.objects.count() == 1

    form = {"from": "t2", "token": asked.context["token"]}
    for _ in range(2):
        answer = browser.post(address, form)

    new = Run.objects.exclude(pk=run.pk).get()
    assert answer.url == reverse("run", args=[new.uuid])
    assert new.tasks.get(key="t1").state == "succeeded"


def test_a_fork_opens_its_plan_page(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    address = reverse("fork", args=[run.uuid])
    token = browser.get(address).context["token"]

    answer = browser.post(address, {"revision": "1", "token": token})

    new = Run.objects.exclude(pk=run.pk).get()
    assert answer.url == reverse("plan", args=[new.uuid])
    assert browser.get(answer.url).status_code == 200


def test_a_member_who_was_only_asked_cannot_pause(client: Client, owner: User, outsider: User) -> None:
    run = approved_run(owner)
    client.force_login(outsider)
    assert client.post(reverse("pause_run", args=[run.uuid])).status_code == 404


def test_who_only_may_look_is_offered_no_new_run(client: Client, owner: User, member: User) -> None:
    run = world(owner).run
    run.request_rows.first().assignees.add(member)
    client.force_login(member)
    page = client.get(reverse("run", args=[run.uuid])).content.decode()
    assert reverse("rerun", args=[run.uuid]) not in page
    for name in ("rerun", "fork"):
        assert client.post(reverse(name, args=[run.uuid])).status_code == 404
    assert Run.objects.count() == 1


def command(*arguments: str) -> tuple[dict, int]:
    out = io.StringIO()
    try:
        call_command("control", *arguments, "--json", stdout=out)
    except SystemExit as stop:
        return json.loads(out.getvalue()), int(stop.code or 0)
    return json.loads(out.getvalue()), 0


def test_the_command_steers_by_the_same_services_and_says_what_is_wrong(owner: User) -> None:
    owner.is_superuser = True
    owner.save()
    run = approved_run(owner)
    uuid = str(run.uuid)

    assert command(uuid, "pause")[0]["state"] == "paused"
    assert command(uuid, "resume") == ({"run": uuid, "state": "running", "action": "resume"}, 0)
    assert command(uuid, "retry", "t9")[0]["error"]["code"] == "task_unknown"
    assert command(uuid, "skip", "t1")[0]["error"]["code"] == "task_asks_nothing"
    assert command("no-such-run", "cancel")[1] == 1
    drain(tasks.runner())
    new, code = command(uuid, "rerun", "--from", "t2")
    assert code == 0
    assert Run.objects.get(uuid=new["run"]).origin == run
