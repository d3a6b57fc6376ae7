"""The plan for the rest of a run on the pages: what it changes, decided by POST alone, once."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.core.compile import compile_plan
from plans.core.errors import BadInputError
from plans.core.skill import Expand
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Request, Run
from tests.engine.plant import Plant, states

pytestmark = pytest.mark.django_db(transaction=True)


def fails(params: dict[str, Any], context: Any) -> Any:
    raise BadInputError("column_missing", name="x")


@pytest.fixture
def run(owner: User) -> Run:
    """A run whose second step failed; a plan for the rest has come and waits."""
    plant = Plant()
    plant.skill("fails", fails)
    plant.connect = lambda ledger: object()  # type: ignore[assignment]
    fresh = {"tasks": [{"id": "t3", "name": "Another way", "skill": "noop", "depends_on": ["t1"]}]}
    plant.skills["planning"] = lambda params, context: Expand(plan=fresh, notes={"is_good": True})
    tasks = [
        {"id": "t1", "skill": "noop"},
        {"id": "t2", "name": "First way", "skill": "fails", "depends_on": ["t1"], "on_failure": "replan"},
    ]
    made = create_run_from_plan(
        owner=owner, compiled=compile_plan({"goal": "go", "tasks": tasks}, plant.infos), inputs={}
    )
    assert made.revision is not None
    approve_plan(run=made, graph_hash=made.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    made.refresh_from_db()
    return made


def test_the_new_plan_is_shown_by_what_it_changes_and_approved_once(client: Client, owner: User, run: Run) -> None:
    client.force_login(owner)
    asked = Request.objects.get(run=run, state="open")
    address = reverse("request", args=[asked.uuid])
    assert address in client.get(reverse("run", args=[run.uuid])).content.decode()
    page = client.get(address).content.decode()
    assert "Another way" in page
    assert "First way" in page
    assert Request.objects.filter(state="open").count() == 1

    assert client.post(address, {"decision": "approve", "digest": "0" * 64}).status_code == 409
    assert client.post(address, {"decision": "approve", "digest": asked.digest}).status_code == 302
    assert {key: state for key, state in states(run).items() if key[0] == "t"} == {
        "t1": "succeeded", "t2": "cancelled", "t3": "ready",
    }  # fmt: skip
    again = client.post(address, {"decision": "reject", "digest": asked.digest}, follow=True)
    assert "Already decided" in again.content.decode()


def test_a_comment_asks_for_a_new_plan_and_others_may_not(
    client: Client, owner: User, outsider: User, run: Run
) -> None:
    asked = Request.objects.get(run=run, state="open")
    client.force_login(outsider)
    assert client.get(reverse("request", args=[asked.uuid])).status_code == 404
    assert client.post(reverse("replan", args=[run.uuid]), {"comment": "x"}).status_code == 404
    client.force_login(owner)
    assert "a planner is already at work" in (
        client.post(reverse("replan", args=[run.uuid]), {"comment": "Leave it out"}, follow=True)
        .content.decode()
        .lower()
    )
