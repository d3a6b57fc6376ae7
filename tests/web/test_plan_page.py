"""The Plan page: what it shows, and that nothing runs before an approval of exactly what was shown."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans import tasks
from plans.engine.plans import approve_plan
from plans.models import Event, Request, Run, Task
from tests.web.factories import review_run, simple_plan


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, run: Run) -> str:
    response = browser.get(reverse("plan", args=[run.uuid]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def approve(browser: Client, run: Run, graph_hash: str | None = None):
    return browser.post(reverse("approve_plan", args=[run.uuid]), {"graph_hash": graph_hash or run.revision.graph_hash})


def test_the_plan_says_what_was_understood_and_that_nothing_has_run(browser: Client, owner: User) -> None:
    intent = {
        "summary": "A greeting is passed on.",
        "assumptions": ["The greeting is English."],
        "expected_output": "One word",
    }
    run = review_run(owner, simple_plan(intent=intent, risks=["It may be rude."], rollback="Say sorry."))

    text = page(browser, run)

    for expected in (
        "Say hello", "A greeting is passed on.", "The greeting is English.", "One word", "Nothing runs before approval.",
        "Take the greeting", "Pass it on", "noop", "after Take the greeting", "It may be rude.", "Say sorry.",
        "Approve and run", "Reject", run.revision.graph_hash,
    ):  # fmt: skip
        assert expected in text
    assert Task.objects.filter(run=run).count() == 0


def test_steps_stand_in_waves_and_say_which_will_ask(browser: Client, owner: User) -> None:
    plan = simple_plan()
    plan["tasks"].append({"id": "t3", "name": "Shout", "skill": "noop", "approval": "always"})
    run = review_run(owner, plan)

    text = page(browser, run)

    assert "2 steps at the same time" in text
    assert text.count("Asks first") == 1
    assert '<dd dir="auto">Shout</dd>' in text


def test_approving_starts_the_run_and_leads_to_it(browser: Client, owner: User) -> None:
    run = review_run(owner)

    response = approve(browser, run)

    run.refresh_from_db()
    assert (response.status_code, response["Location"]) == (302, reverse("run", args=[run.uuid]))
    assert run.state == "running"
    assert Task.objects.filter(run=run).count() == 2


def test_a_stale_approval_is_refused_with_409_and_starts_nothing(browser: Client, owner: User) -> None:
    run = review_run(owner)

    response = approve(browser, run, "0" * 64)

    run.refresh_from_db()
    assert response.status_code == 409
    assert "The plan has changed since this page was shown, so nothing was approved." in response.content.decode()
    assert (run.state, Task.objects.filter(run=run).count()) == ("review", 0)


@pytest.mark.parametrize("sent", [{}, {"graph_hash": "not a hash"}])
def test_an_approval_that_names_no_plan_is_stale_too(browser: Client, owner: User, sent: dict[str, str]) -> None:
    run = review_run(owner)

    assert browser.post(reverse("approve_plan", args=[run.uuid]), sent).status_code == 409


def test_a_second_approval_says_who_was_first(browser: Client, owner: User, operator: User) -> None:
    run = review_run(owner)
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=operator, catalogue=tasks.catalogue())

    response = browser.post(
        reverse("approve_plan", args=[run.uuid]), {"graph_hash": run.revision.graph_hash}, follow=True
    )

    assert response.status_code == 200
    assert "Already decided by operator." in response.content.decode()
    assert Event.objects.filter(run=run, kind="plan.approved").count() == 1


def test_rejecting_keeps_the_comment_and_ends_the_run(browser: Client, owner: User) -> None:
    run = review_run(owner)

    browser.post(reverse("reject_plan", args=[run.uuid]), {"comment": "Not today"})

    run.refresh_from_db()
    decision = Request.objects.get(run=run)
    assert (run.state, decision.decision, decision.comment) == ("cancelled", "reject", "Not today")
    text = page(browser, run)
    assert "Rejected by owner." in text
    assert "Not today" in text


def test_a_second_rejection_is_no_error(browser: Client, owner: User) -> None:
    run = review_run(owner)
    browser.post(reverse("reject_plan", args=[run.uuid]), {})

    response = browser.post(reverse("reject_plan", args=[run.uuid]), {}, follow=True)

    assert "Already decided by owner." in response.content.decode()


def test_a_get_of_a_deciding_address_decides_nothing(browser: Client, owner: User) -> None:
    run = review_run(owner)

    for name in ("approve_plan", "reject_plan"):
        response = browser.get(reverse(name, args=[run.uuid]), {"graph_hash": run.revision.graph_hash})
        assert response["Location"] == reverse("plan", args=[run.uuid])

    run.refresh_from_db()
    assert run.state == "review"


def test_a_plan_with_errors_cannot_be_approved_and_the_page_says_why(browser: Client, owner: User) -> None:
    plan = simple_plan()
    plan["tasks"][0]["skill"] = "no_such_skill"
    run = review_run(owner, plan)

    text = page(browser, run)

    assert "Must be fixed" in text
    assert "must be fixed before this plan can be approved" in text
    assert re.search(r'disabled aria-describedby="why-not"> <svg.*?</svg> ?Approve and run', text)
    approve(browser, run)
    run.refresh_from_db()
    assert run.state == "review"


def test_while_it_is_planned_the_page_says_so(browser: Client, owner: User) -> None:
    run = Run.objects.create(goal="Anything", owner=owner, state="planning")

    text = page(browser, run)

    assert "Planning…" in text
    assert "Approve and run" not in text


def test_a_failed_planning_says_why(browser: Client, owner: User) -> None:
    run = Run.objects.create(goal="Anything", owner=owner, state="failed", error={"code": "no_playbook", "params": {}})

    text = page(browser, run)

    assert "No plan could be made" in text
    assert "Planning…" not in text
