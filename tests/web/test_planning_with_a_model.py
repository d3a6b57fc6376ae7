"""From a goal to a plan with a model, from the pages: progress, Ask for changes, alternatives, and without one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.core.kinds import EventKind
from plans.events import Line, append
from plans.models import Request, Run, Task
from tests.modelled.desk import answer, by_purpose, intent, step, wire
from tests.scripted_model import ScriptedModel, refusal
from tests.web.factories import drain, review_run
from tests.web.new_run_form import send as send_goal

GOAL = "pass a greeting on to somebody"
TAKE = step("take", "noop", {"value": "hello"}, outputs={"word": "json"})
PASS = step("pass", "noop", {"value": "ref:word"}, outputs={"said": "json"}, depends_on=["take"])
SHOUT = step("shout", "noop", {"value": "ref:word"}, outputs={"loud": "json"}, depends_on=["take"])


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def model(scripted_model: ScriptedModel, settings: Any) -> ScriptedModel:
    settings.PLANS_MODEL_API_KEY, settings.PLANS_MODEL_BASE_URL = "sk-test-scripted", scripted_model.url
    settings.PLANS_MODEL_MODE = "format"
    return scripted_model


@pytest.fixture
def run(browser: Client, model: ScriptedModel) -> Run:
    """Return a run whose plan the model made."""
    model.say(answer(intent("Greet.", assumptions=["It is English."])), answer(wire(TAKE, PASS)))
    send_goal(browser, goal=GOAL)
    run = Run.objects.get()
    drain(run)
    assert run.state == "review"
    return run


def page(browser: Client, run: Run, name: str = "plan", query: str = "") -> str:
    response = browser.get(reverse(name, args=[run.uuid]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def post(browser: Client, run: Run, route: str, /, **data: Any) -> str:
    run.refresh_from_db()
    sent = {"revision": str(run.revision.number), **data}
    return " ".join(browser.post(reverse(route, args=[run.uuid]), sent, follow=True).content.decode().split())


@pytest.mark.django_db(transaction=True)
def test_a_goal_that_fits_no_playbook_is_planned_by_the_model(browser: Client, run: Run) -> None:
    text = page(browser, run)

    for expected in ("Greet.", "It is English.", "Take", "Pass", "Approve and run", "Spent so far"):
        assert expected in text
    assert "Asking for changes needs a model" not in text
    assert "Understanding the goal" in page(browser, run, "model_calls")


@pytest.mark.django_db(transaction=True)
def test_asking_for_changes_brings_a_revision_that_says_what_it_changed(
    browser: Client, run: Run, model: ScriptedModel
) -> None:
    text = post(browser, run, "ask_for_changes", comment="Shout instead")
    assert "Planning…" in text
    assert "Cancel run" in text
    assert "asked for changes" in text
    model.say(answer(wire(TAKE, SHOUT)))

    drain(run)

    text = page(browser, run)
    assert (run.state, run.revision.number, run.revision.comment) == ("review", 2, "Shout instead")
    assert re.search(r"Added</span> <span[^>]*>“Shout”", text)
    assert re.search(r"Removed</span> <span[^>]*>“Pass”", text)
    assert "“Shout instead”" in page(browser, run, "revisions")
    assert "Shout instead" in model.calls[-1].prompt


@pytest.mark.django_db(transaction=True)
def test_asking_for_changes_without_a_comment_asks_for_one(browser: Client, run: Run) -> None:
    text = post(browser, run, "ask_for_changes", comment="  ")

    run.refresh_from_db()
    assert (run.state, run.tasks.count()) == ("review", 1)
    assert re.search(r"<details class=\"comment\" data-comment open", text)
    assert "id_comment_error" in text


@pytest.mark.django_db(transaction=True)
def test_planning_again_that_gives_nothing_says_why_and_keeps_the_plan(
    browser: Client, run: Run, model: ScriptedModel
) -> None:
    post(browser, run, "ask_for_changes", comment="Something forbidden")
    model.respond(lambda call: refusal())

    drain(run)

    text = page(browser, run)
    assert (run.state, run.revision.number) == ("review", 1)
    assert "Planning again gave no plan" in text
    assert "Approve and run" in text
    post(browser, run, "remove_step", step="pass")
    assert "Planning again gave no plan" not in page(browser, run)


@pytest.mark.django_db(transaction=True)
def test_alternatives_stand_beside_the_plan_and_one_can_be_chosen(
    browser: Client, run: Run, model: ScriptedModel
) -> None:
    text = post(browser, run, "alternatives")
    assert "Approve and run" in text
    model.respond(by_purpose(alternative=wire(TAKE, PASS, SHOUT)))

    drain(run)

    text = page(browser, run)
    assert (run.state, run.revision.number) == ("review", 1)
    assert "Plans to choose from" in text
    assert "Careful" in text
    number = re.search(r'name="number" value="(\d+)"', text)
    assert number is not None
    assert "This is revision" in page(browser, run, query=f"?revision={number[1]}")
    text = post(browser, run, "choose_revision", number=number[1])
    run.refresh_from_db()
    assert run.revision.label == "careful"
    assert "To be decided" in text
    browser.post(reverse("approve_plan", args=[run.uuid]), {"graph_hash": run.revision.graph_hash})
    drain(run)
    assert (run.state, Task.objects.filter(run=run, kind="step").count()) == ("succeeded", 3)


@pytest.mark.django_db(transaction=True)
def test_a_question_of_the_planner_is_answered_on_the_plan_page(browser: Client, model: ScriptedModel) -> None:
    question = {"id": "who", "text": "Whom should I greet?", "choices": ["Ann", "Bob"]}
    model.say(answer(intent(verdict="ask", confidence="low", questions=[question])))
    send_goal(browser, goal=GOAL)
    run = Run.objects.get()
    drain(run)
    text = page(browser, run)
    assert "Whom should I greet?" in text
    asked = Request.objects.get(run=run, kind="question")
    field = re.search(rf'name="(q{asked.uuid.hex[:12]}-f0)"', text)
    assert field is not None
    model.say(answer(intent()), answer(wire(TAKE, PASS)))

    browser.post(reverse("request", args=[asked.uuid]), {field[1]: '"Ann"'})

    drain(run)
    assert run.state == "review"


def test_while_a_model_writes_the_page_shows_what_it_thinks_and_the_steps_so_far(browser: Client, owner: User) -> None:
    run = Run.objects.create(goal=GOAL, owner=owner, state="planning", left=1)
    Task.objects.create(run=run, key="planning:1", kind="planning", skill="planning", state="ready")
    assert "It appears here by itself" in page(browser, run)
    data = {"stage": "draft", "thinking": "I need a <b>greeting</b>", "tasks": ["Take", "Pass"], "count": 5}
    append(run.pk, [Line(kind=EventKind.PLANNING_PROGRESS, task_key="planning:1", data=data)])

    for name in ("plan", "planning_progress", "run"):
        text = page(browser, run, name)
        for expected in (
            "Writing the plan…", "I need a &lt;b&gt;greeting&lt;/b&gt;", ">Take</li>", ">Pass</li>", "3 steps before these",
        ):  # fmt: skip
            assert expected in text


def test_planning_can_be_cancelled(browser: Client, owner: User) -> None:
    run = Run.objects.create(goal=GOAL, owner=owner, state="planning", left=1)
    Task.objects.create(run=run, key="planning:1", kind="planning", skill="planning", state="ready")

    browser.post(reverse("cancel_run", args=[run.uuid]))

    run.refresh_from_db()
    assert run.state == "cancelled"


@pytest.mark.parametrize("route", ["ask_for_changes", "alternatives"])
def test_without_a_model_the_buttons_say_what_to_do_and_nothing_happens(
    browser: Client, owner: User, route: str
) -> None:
    run = review_run(owner)
    text = page(browser, run)
    assert "Asking for changes needs a model; without one, edit the steps yourself." in text
    assert "ANTHROPIC_API_KEY" in text
    assert re.search(r'data-needs-comment disabled aria-describedby="no-model"', text)

    text = post(browser, run, route, comment="Shout")

    run.refresh_from_db()
    assert "This needs a model, and none is connected." in text
    assert (run.state, run.tasks.count()) == ("review", 0)
