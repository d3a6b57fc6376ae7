"""A run that failed says how it is taken back, and makes a plan of its undo steps that waits for approval."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.models import Run
from tests.web.factories import drained_run

pytestmark = pytest.mark.django_db(transaction=True)


def failed(owner: User, **more: Any) -> Run:
    first = {"id": "t1", "name": "Book it", "skill": "noop", "params": {"value": 1}, "undo": "Call and cancel"}
    last = {"id": "t2", "skill": "noop", "params": {"value": "{{ inputs.nowhere }}"}, "depends_on": ["t1"],
            "on_failure": "retry_then_stop"}  # fmt: skip
    return drained_run(
        owner, {"schema": 1, "goal": "Travel", "rollback": "Ask the office", "tasks": [first, last], **more}
    )


def test_a_failed_run_shows_the_rollback_and_makes_an_undo_plan_by_post_alone(client: Client, owner: User) -> None:
    client.force_login(owner)
    run = failed(owner)
    page = client.get(reverse("run", args=[run.uuid])).content.decode()
    assert "Ask the office" in page
    assert "Undo finished steps" in page

    asked = client.get(reverse("undo_steps", args=[run.uuid])).content.decode()
    assert "Book it" in asked
    assert Run.objects.count() == 1
    for _ in range(2):
        made = client.post(reverse("undo_steps", args=[run.uuid]), {"token": "once"})
        assert made["Location"].endswith("/plan")
    new = Run.objects.exclude(pk=run.pk).get()
    assert (new.state, new.origin) == ("review", run)
    assert "Call and cancel" in client.get(made["Location"]).content.decode()


def test_others_cannot_undo(client: Client, owner: User, outsider: User) -> None:
    run = failed(owner)
    client.force_login(outsider)
    assert client.post(reverse("undo_steps", args=[run.uuid]), {"token": "x"}).status_code == 404
    assert Run.objects.count() == 1
