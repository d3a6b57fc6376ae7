"""The site is updated and started again while runs are under way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from plans.core.kinds import Approval
from plans.engine.requests import decide_approval
from plans.models import Attempt, Request, Run
from tests.engine.plant import Plant, check_history, noop, states, task

pytestmark = pytest.mark.django_db(transaction=True)

TWO = ({"id": "a", "skill": "send"}, {"id": "b"})


def approve(run: Run, by: User) -> None:
    request = Request.objects.get(run=run, state="open")
    decide_approval(request=request, approve=True, digest=request.digest, by=by)


def test_an_approval_for_the_old_code_is_no_approval_for_the_new(plant: Plant):
    plant.skill("send", noop, approval=Approval.ALWAYS, idempotent=False)
    run = plant.run(*TWO)
    plant.drain()
    approve(run, run.owner)
    plant.infos["send"] = replace(plant.infos["send"], version="2")

    plant.drain()
    assert states(run) == {"a": "waiting", "b": "succeeded"}
    assert not Attempt.objects.filter(task=task(run, "a")).exists()
    assert list(run.request_rows.order_by("pk").values_list("state", flat=True)) == ["void", "open"]
    assert Request.objects.get(run=run, state="open").content["effect"]["version"] == "2"

    approve(run, run.owner)
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    check_history(run)
