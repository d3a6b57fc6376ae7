"""Banners of a run: what they say, that looking decides nothing, and what a late or stale decision meets."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from plans.core.hashing import digest
from plans.engine.failures import decide_failure
from plans.engine.requests import decide_approval
from plans.models import Request, Run, Task
from tests.web.factories import drained_run, request, review_run, simple_plan, world


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, run: Run, query: str = "") -> str:
    return " ".join(browser.get(reverse("run", args=[run.uuid]) + query).content.decode().split())


def risky_run(owner: User) -> Run:
    plan = simple_plan()
    plan["tasks"][1]["approval"] = "always"
    return drained_run(owner, plan)


def test_point_32_a_banner_states_effect_undo_waiting_time_deadline_and_default(browser: Client, owner: User) -> None:
    run = risky_run(owner)
    task = Task.objects.get(run=run, key="t2")
    Task.objects.filter(pk=task.pk).update(spec={**task.spec, "undo": "Take it back by hand"})
    Request.objects.filter(run=run, state="open").update(deadline_at=timezone.now() + timedelta(minutes=27))

    text = re.sub(r"<[^>]*>", " ", page(browser, run))

    for expected in ("Needs approval", "Exactly this will happen", "hello", "noop (version", "Undo: Take it back by hand",
                     "Waiting", "Until", "then the step is skipped"):  # fmt: skip
        assert expected in text, expected


def test_a_question_says_which_answer_counts_at_its_deadline(browser: Client, owner: User) -> None:
    made = world(owner)
    made.question.deadline_at, made.question.default = timezone.now() + timedelta(hours=1), {"number": 3}
    made.question.save()

    assert "then the answer is:" in page(browser, made.run)


def test_several_requests_queue_with_their_number_and_only_the_first_is_open(browser: Client, owner: User) -> None:
    text = page(browser, world(owner).run)

    assert all(f"{n} of 3" in text for n in (1, 2, 3))
    assert text.count('<details class="ask" data-ask open>') == 1
    assert text.count('<details class="ask" data-ask >') == 2


@pytest.mark.parametrize("method", ["get", "head"])
def test_c26_no_address_of_a_decision_decides_by_get_or_head(browser: Client, owner: User, method: str) -> None:
    made, review = world(owner), review_run(owner)
    plan_request = Request.objects.get(run=review)
    decide = {
        "decision": "approve",
        "choice": "stop",
        "digest": made.approval.digest,
        "graph_hash": plan_request.digest,
    }
    paths = [reverse("request", args=[one.uuid]) for one in (made.approval, made.question, made.failure, plan_request)]
    paths += [reverse(name, args=[review.uuid]) for name in ("approve_plan", "reject_plan", "cancel_run")]

    for path in paths:
        assert getattr(browser, method)(path, decide, HTTP_USER_AGENT="Slackbot-LinkExpanding 1.0").status_code < 400

    assert Request.objects.filter(state="open").count() == 4
    assert set(Run.objects.values_list("state", "cancel_requested_at")) == {("running", None), ("review", None)}


def test_point_31_a_decision_of_another_settles_with_the_name(browser: Client, owner: User, operator: User) -> None:
    run = risky_run(owner)
    asked = Request.objects.get(run=run, kind="task_approval")
    decide_approval(request=asked, approve=True, digest=asked.digest, by=operator, comment="Go on")

    for path in (reverse("live_requests", args=[run.uuid]), reverse("run", args=[run.uuid])):
        text = browser.get(path).content.decode()
        assert "Approved by operator" in text
        assert "Go on" in text
        assert f'data-request="{asked.uuid}"' not in text


def test_an_old_decision_is_not_told_again(browser: Client, owner: User, operator: User) -> None:
    run = risky_run(owner)
    asked = Request.objects.get(run=run, kind="task_approval")
    decide_approval(request=asked, approve=True, digest=asked.digest, by=operator)
    Request.objects.filter(pk=asked.pk).update(decided_at=timezone.now() - timedelta(minutes=2))

    assert "Approved by operator" not in page(browser, run)


@pytest.mark.parametrize("choice", ["retry", "skip", "stop"])
def test_point_34_a_second_decision_on_a_failure_says_who_was_first(
    browser: Client, owner: User, operator: User, choice: str
) -> None:
    plan = simple_plan()
    plan["tasks"][1] |= {"params": {"value": "{{ t1.word.missing }}"}, "retries": 0}
    asked = Request.objects.get(run=drained_run(owner, plan), kind="failure")
    decide_failure(of=asked, choice="skip", by=operator)

    response = browser.post(reverse("request", args=[asked.uuid]), {"choice": choice}, follow=True)

    assert response.status_code == 200
    assert "Already decided by operator." in response.content.decode()


def changed(asked: Request) -> Request:
    """Return the request that asks about another effect, the first one being void: as the engine leaves them."""
    effect = {**asked.content["effect"], "version": "9", "params": {"value": "good-bye", "added": 1}}
    Request.objects.filter(pk=asked.pk).update(state="void")
    task = Task.objects.get(pk=asked.task_id)
    return request(task, "task_approval", digest=digest(effect), content={"effect": effect, "task": task.key})


def test_a_stale_approval_is_409_with_what_was_shown_beside_what_would_happen_now(browser: Client, owner: User) -> None:
    old = Request.objects.get(run=risky_run(owner), kind="task_approval")
    new = changed(old)

    for path in (reverse("request", args=[old.uuid]), reverse("request", args=[new.uuid])):
        response = browser.post(path, {"decision": "approve", "digest": old.digest})
        text = response.content.decode()
        assert response.status_code == 409
        assert "<del>hello</del>" in text
        assert "<ins>good-bye</ins>" in text
        assert "Version of the skill" in text
        assert ">added</td>" in text
        assert "timeout" not in text
    assert Request.objects.get(pk=new.pk).state == "open"


def test_a_stale_plan_approval_is_409_with_the_steps_that_changed(browser: Client, owner: User) -> None:
    from plans.models import Revision

    run = review_run(owner)
    old = run.revision
    plan = {
        **old.plan,
        "tasks": [{**step, "name": "Another name"} if step["id"] == "t1" else step for step in old.plan["tasks"]],
    }
    new = Revision.objects.create(run=run, number=2, plan=plan, graph_hash="1" * 64, source="test")
    Run.objects.filter(pk=run.pk).update(revision=new)

    response = browser.post(reverse("approve_plan", args=[run.uuid]), {"graph_hash": old.graph_hash})

    text = response.content.decode()
    assert response.status_code == 409
    assert "<del>Take the greeting</del>" in text
    assert "<ins>Another name</ins>" in text


def test_what_nobody_knows_is_stale_without_a_difference(browser: Client, owner: User) -> None:
    asked = Request.objects.get(run=risky_run(owner), kind="task_approval")

    response = browser.post(reverse("request", args=[asked.uuid]), {"decision": "approve", "digest": "0" * 64})

    assert response.status_code == 409
    assert "<ins>" not in response.content.decode()
