"""Requests in the browser: approve, reject, answer, retry, skip, stop; twice, too late, and by the wrong person."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.engine.requests import answer_question, decide_approval
from plans.models import Request, Run, Task
from tests.web.factories import drain, drained_run, simple_plan

SCHEMA = {
    "type": "object",
    "required": ["number", "shown"],
    "properties": {
        "number": {"type": "integer", "minimum": 0, "maximum": 50, "title": "Number (0 to 50)"},
        "shown": {"type": "string", "enum": ["On", "Off"], "title": "The switch is"},
        "sure": {"type": "boolean"},
        "since": {"type": "string", "format": "date"},
        "more": {"type": "string", "maxLength": 1000},
    },
}


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def asking_run(owner: User) -> Run:
    ask = {
        "id": "ask", "name": "Ask about the list", "skill": "ask_human", "outputs": {"found": "object"},
        "params": {"question": "Which number is there?", "fields": SCHEMA},
    }  # fmt: skip
    after = {"id": "after", "skill": "noop", "params": {"value": "{{ found.number }}"}, "outputs": {"n": "number"}}
    return drained_run(owner, {"schema": 1, "goal": "Ask", "tasks": [ask, after]})


def risky_run(owner: User) -> Run:
    plan = simple_plan()
    plan["tasks"][1]["approval"] = "always"
    return drained_run(owner, plan)


def failing_run(owner: User) -> Run:
    plan = simple_plan()
    plan["tasks"][1] |= {"params": {"value": "{{ t1.word.missing }}"}, "retries": 0}
    return drained_run(owner, plan)


def open_request(run: Run) -> Request:
    return Request.objects.get(run=run, state="open")


def send(browser: Client, request: Request, **data: Any):
    return browser.post(reverse("request", args=[request.uuid]), data)


def fields(request: Request, **answers: Any) -> dict[str, Any]:
    names = list(request.schema["properties"])
    return {f"q{request.uuid.hex[:12]}-f{names.index(name)}": value for name, value in answers.items()}


def test_a_question_is_a_form_and_its_answer_goes_on_with_the_run(browser: Client, owner: User) -> None:
    run = asking_run(owner)
    request = open_request(run)
    text = browser.get(reverse("run", args=[run.uuid])).content.decode()
    assert "Needs an answer" in text
    assert "Which number is there?" in text

    response = send(browser, request, **fields(request, number="25", shown='"On"', sure="true", since="2026-11-30"))
    drain(run)

    assert response["Location"] == reverse("run", args=[run.uuid])
    request.refresh_from_db()
    assert request.answer == {"number": 25, "shown": "On", "sure": True, "since": "2026-11-30"}
    assert (run.state, Task.objects.get(run=run, key="after").outputs) == ("succeeded", {"n": 25})


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"number": "many", "shown": '"On"'}, "Enter a whole number, such as 12."),
        ({"number": "51", "shown": '"On"'}, "less than or equal to 50"),
        ({"number": "-1", "shown": '"On"'}, "greater than or equal to 0"),
        ({"number": "5"}, "Choose one of the answers."),
        ({"shown": '"On"'}, "This field needs an answer."),
        ({"number": "5", "shown": '"Maybe"'}, "Select a valid choice"),
        ({"number": "5", "shown": '"On"', "since": "30.11.2026"}, "Enter a date as YYYY-MM-DD."),
    ],
)
def test_a_wrong_answer_is_refused_next_to_its_field_and_kept(
    browser: Client, owner: User, answers: dict[str, str], sentence: str
) -> None:
    request = open_request(asking_run(owner))

    response = send(browser, request, **fields(request, more="typed text", **answers))

    text = response.content.decode()
    assert response.status_code == 200
    assert sentence in text
    assert "typed text" in text
    assert open_request(request.run) == request


def test_an_error_is_tied_to_its_field(browser: Client, owner: User) -> None:
    request = open_request(asking_run(owner))

    text = send(browser, request, **fields(request, number="x", shown='"On"')).content.decode()

    name = f"q{request.uuid.hex[:12]}-f0"
    assert f'aria-describedby="id_{name}_error"' in text
    assert f'id="id_{name}_error"' in text
    assert f'for="id_{name}"' in text
    assert 'value="x"' in text


def test_a_second_answer_says_who_was_first(browser: Client, owner: User, operator: User) -> None:
    request = open_request(asking_run(owner))
    answer_question(request=request, answer={"number": 1, "shown": "On"}, by=operator)

    response = browser.post(
        reverse("request", args=[request.uuid]), fields(request, number="2", shown='"Off"'), follow=True
    )

    assert "Already decided by operator." in response.content.decode()
    request.refresh_from_db()
    assert request.answer == {"number": 1, "shown": "On"}


def test_the_page_of_a_decided_request_says_who_decided(browser: Client, owner: User, operator: User) -> None:
    request = open_request(asking_run(owner))
    answer_question(request=request, answer={"number": 1, "shown": "On"}, by=operator)

    text = browser.get(reverse("request", args=[request.uuid])).content.decode()

    assert "Already decided by operator." in text
    assert '<form class="stack"' not in text


def test_a_task_approval_shows_the_exact_effect_and_starts_the_step(browser: Client, owner: User) -> None:
    run = risky_run(owner)
    request = open_request(run)
    text = browser.get(reverse("run", args=[run.uuid])).content.decode()
    for expected in ("Needs approval", "Exactly this will happen", "hello", request.digest):
        assert expected in text

    send(browser, request, decision="approve", digest=request.digest, comment="Go")
    drain(run)

    request.refresh_from_db()
    assert (run.state, request.decision, request.comment) == ("succeeded", "approve", "Go")


def test_a_rejected_step_is_skipped_and_the_run_has_a_gap(browser: Client, owner: User) -> None:
    run = risky_run(owner)

    send(browser, open_request(run), decision="reject", digest=open_request(run).digest)
    drain(run)

    text = browser.get(reverse("run", args=[run.uuid])).content.decode()
    assert "Succeeded with gaps" in text
    assert "Skipped: a person said so" in text


def test_an_approval_of_something_else_is_refused_with_409(browser: Client, owner: User) -> None:
    request = open_request(risky_run(owner))

    response = send(browser, request, decision="approve", digest="0" * 64)

    assert response.status_code == 409
    assert "What this step would do has changed" in response.content.decode()
    assert open_request(request.run) == request


@pytest.mark.parametrize(
    "data", [{}, {"decision": "perhaps"}, {"decision": "approve"}, {"decision": "approve", "digest": "x"}]
)
def test_a_malformed_approval_decides_nothing(browser: Client, owner: User, data: dict[str, str]) -> None:
    request = open_request(risky_run(owner))

    assert send(browser, request, **data).status_code == 200
    assert open_request(request.run) == request


def test_a_second_approval_says_who_was_first(browser: Client, owner: User, operator: User) -> None:
    request = open_request(risky_run(owner))
    decide_approval(request=request, approve=False, digest=request.digest, by=operator)

    response = browser.post(
        reverse("request", args=[request.uuid]), {"decision": "approve", "digest": request.digest}, follow=True
    )

    assert "Already decided by operator." in response.content.decode()


def test_a_failed_step_says_why_keeps_its_siblings_results_and_offers_three_ways(browser: Client, owner: User) -> None:
    run = failing_run(owner)

    text = browser.get(reverse("run", args=[run.uuid])).content.decode()

    assert "Needs a decision" in text
    assert "“Pass it on” did not work" in text
    for expected in ('value="retry"', 'value="skip"', 'value="stop"', "the result has a gap"):
        assert expected in text
    assert Task.objects.get(run=run, key="t1").outputs == {"word": "hello"}


@pytest.mark.parametrize(("choice", "state"), [("retry", "waiting"), ("skip", "skipped"), ("stop", "failed")])
def test_each_way_out_of_a_failure_does_what_it_says(browser: Client, owner: User, choice: str, state: str) -> None:
    run = failing_run(owner)

    send(browser, open_request(run), choice=choice)
    drain(run)

    assert Task.objects.get(run=run, key="t2").state == state


def test_an_assignee_answers_and_is_led_to_the_inbox(client: Client, owner: User, member: User) -> None:
    request = open_request(asking_run(owner))
    request.assignees.add(member)
    client.force_login(member)

    response = send(client, request, **fields(request, number="3", shown='"Off"'))

    request.refresh_from_db()
    assert (response["Location"], request.decided_by) == (reverse("inbox"), member)


def test_the_inbox_holds_what_this_person_may_decide(client: Client, owner: User, member: User) -> None:
    asked, other = open_request(asking_run(owner)), open_request(risky_run(owner))
    asked.assignees.add(member)
    client.force_login(member)

    text = client.get(reverse("inbox")).content.decode()

    assert reverse("request", args=[asked.uuid]) in text
    assert reverse("request", args=[other.uuid]) not in text


def test_the_inbox_is_empty_when_nothing_waits(browser: Client) -> None:
    assert "Nothing waits for you." in browser.get(reverse("inbox")).content.decode()


def test_a_plan_approval_in_the_inbox_leads_to_the_plan(browser: Client, owner: User) -> None:
    from tests.web.factories import review_run

    run = review_run(owner)

    response = browser.get(reverse("request", args=[open_request(run).uuid]))

    assert response["Location"] == reverse("plan", args=[run.uuid])
