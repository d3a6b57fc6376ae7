"""Faults that users of comparable systems reported, as pages here must answer them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from plans.core.states import RunState
from plans.models import Event, Request, Run, Task
from tests.web.factories import approved_run, drained_run, review_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def test_c22_the_same_approval_sent_twice_starts_one_run(browser: Client, owner: User) -> None:
    run = review_run(owner)
    assert run.revision is not None
    address, data = reverse("approve_plan", args=[run.uuid]), {"graph_hash": run.revision.graph_hash}
    answers = [browser.post(address, data) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert Task.objects.filter(run=run).count() == 2
    assert Event.objects.filter(run=run, kind="run.started").count() == 1
    assert Request.objects.get(run=run).decided_by == owner


def test_c22_the_same_step_approval_sent_twice_is_one_decision(browser: Client, owner: User) -> None:
    plan = {"goal": "g", "tasks": [{"id": "a", "skill": "noop", "approval": "always"}]}
    run = drained_run(owner, plan)
    request = Request.objects.get(run=run, kind="task_approval")
    data = {"digest": request.digest, "decision": "approve"}
    for _ in range(2):
        assert browser.post(reverse("request", args=[request.uuid]), data).status_code == 302
    assert Event.objects.filter(run=run, kind="request.decided", task_key="a").count() == 1


def test_c46_a_graph_of_300_tasks_and_600_edges_is_in_the_first_paint(browser: Client, owner: User) -> None:
    tasks = [
        {"id": f"t{n}", "skill": "noop", "depends_on": sorted({f"t{max(0, n - k)}" for k in (1, 7)} if n else set())}
        for n in range(301)
    ]
    run = approved_run(owner, {"goal": "wide", "tasks": tasks})
    page = browser.get(reverse("run", args=[run.uuid]) + "?draw=all").content.decode()
    assert "<svg" in page
    assert all(f'data-task-row data-key="t{n}"' in page or f'data-key="t{n}"' in page for n in (0, 150, 300))


def test_c46_history_costs_the_same_queries_for_3_and_for_200_runs(browser: Client, owner: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert browser.get(reverse("runs")).status_code == 200
        return len(captured)

    _runs(owner, 3)
    queries()
    few = queries()
    _runs(owner, 197)
    assert queries() == few


def _runs(owner: User, count: int) -> None:
    Run.objects.bulk_create(Run(goal=f"goal {n}", owner=owner, state=RunState.SUCCEEDED) for n in range(count))
