"""Editing a plan before it runs: each edit is a revision of exactly the plan that was shown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from plans import tasks
from plans.engine.plans import approve_plan
from plans.models import Run
from tests.web.factories import review_run, simple_plan


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def run(owner: User) -> Run:
    return review_run(owner, simple_plan(intent={"assumptions": ["It is short.", "It is English."]}))


def page(browser: Client, run: Run, name: str = "plan", query: str = "") -> str:
    response = browser.get(reverse(name, args=[run.uuid]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def send(browser: Client, run: Run, route: str, query: str = "", /, **data: Any) -> HttpResponse:
    sent = {"revision": "1", **data}
    return browser.post(reverse(route, args=[run.uuid]) + query, sent, follow=True)


def text_of(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split())


def current(run: Run) -> dict[str, Any]:
    run.refresh_from_db()
    return run.revision.plan


def fields(browser: Client, run: Run, query: str) -> dict[str, Any]:
    """Return what a browser would send of the step's form if nothing was typed."""
    form = browser.get(reverse("edit_step", args=[run.uuid]) + query).context["form"]
    kept = {bound.html_name: bound.value() for bound in form if bound.value() not in (None, "")}
    return {**kept, "step": query.partition("step=")[2], "shown_skill": form.info.name}


def test_the_form_of_a_step_shows_it_and_sent_unchanged_changes_nothing(browser: Client, run: Run) -> None:
    text = page(browser, run, "edit_step", "?step=t2")
    assert 'value="Pass it on"' in text
    assert "{{ word }}" in text
    assert 'value="t1" id="id_after_0" checked' in text

    text = text_of(send(browser, run, "edit_step", **fields(browser, run, "?step=t2")))

    assert "Nothing was changed" in text
    assert run.revisions.count() == 1


def test_a_changed_step_is_a_new_revision_by_its_author(browser: Client, run: Run, owner: User) -> None:
    sent = fields(browser, run, "?step=t1") | {"name": "Take it", "p0": "[1, 2]", "retries": "1", "undo": "forget it"}

    text = text_of(send(browser, run, "edit_step", **sent))

    run.refresh_from_db()
    step = current(run)["tasks"][0]
    assert (step["name"], step["params"], step["retries"]) == ("Take it", {"value": [1, 2]}, 1)
    assert (run.revision.number, run.revision.author, run.state) == (2, owner, "review")
    assert "Changes in this revision" in text
    assert "“Take it”: retries is now 1" in text


@pytest.mark.parametrize(
    ("typed", "name", "words"),
    [
        ({"p0": "[1,"}, "p0", "This is not JSON"),
        ({"retries": "many"}, "retries", "whole number"),
        ({"outputs": "word of mouth"}, "outputs", "is not a name and a kind"),
        ({"name": ""}, "name", "required"),
    ],
)
def test_a_wrong_field_is_refused_in_place_with_everything_kept(
    browser: Client, run: Run, typed: dict[str, str], name: str, words: str
) -> None:
    sent = fields(browser, run, "?step=t1") | {"description": "kept text", **typed}

    text = text_of(send(browser, run, "edit_step", **sent))

    assert re.search(rf'id="id_{name}_error"[^>]*><li>[^<]*{words}', text)
    assert "kept text" in text
    assert run.revisions.count() == 1


def test_another_skill_brings_its_own_fields_before_anything_is_saved(browser: Client, run: Run) -> None:
    sent = fields(browser, run, "?step=t1") | {"skill": "wait", "description": "kept text"}

    text = text_of(send(browser, run, "edit_step", **sent))

    assert ">seconds</bdi>" in text
    assert "kept text" in text
    assert run.revisions.count() == 1
    shown = {"shown_skill": "wait", "p0": "5", "outputs": "word text"}
    send(browser, run, "edit_step", **{**sent, **shown})
    assert current(run)["tasks"][0]["params"] == {"seconds": 5}


def test_an_added_step_stands_behind_the_one_it_was_put_after(browser: Client, run: Run) -> None:
    text = page(browser, run, "edit_step", "?after=t1")
    assert "Add step" in text
    sent = {"name": "Shout", "skill": "noop", "shown_skill": "noop", "approval": "auto", "place": "t1", "after": ["t1"]}

    send(browser, run, "edit_step", **sent)

    plan = current(run)
    assert [(step["id"], step["depends_on"]) for step in plan["tasks"]] == [("t1", []), ("t3", ["t1"]), ("t2", ["t1"])]


def test_a_step_is_removed_and_what_is_left_may_need_mending(browser: Client, run: Run) -> None:
    text = text_of(send(browser, run, "remove_step", step="t1"))

    assert [step["id"] for step in current(run)["tasks"]] == ["t2"]
    assert "Must be fixed" in text
    assert "Removed" in text


def test_steps_that_may_start_together_change_places(browser: Client, owner: User) -> None:
    plan = simple_plan()
    plan["tasks"].append({"id": "t3", "name": "Shout", "skill": "noop"})
    run = review_run(owner, plan)
    assert 'name="after" value="t3"' in page(browser, run)

    text = text_of(send(browser, run, "move_step", step="t3", before="t1"))

    assert [step["id"] for step in current(run)["tasks"]] == ["t3", "t1", "t2"]
    assert text.index(">Shout<") < text.index(">Take the greeting<")


def test_an_assumption_is_corrected_or_dropped(browser: Client, run: Run) -> None:
    send(browser, run, "correct_assumption", place="1", text="It is Czech.")
    assert current(run)["intent"]["assumptions"] == ["It is short.", "It is Czech."]

    send(browser, run, "correct_assumption", revision="2", place="0", text="It is short.", drop="1")
    assert current(run)["intent"]["assumptions"] == ["It is Czech."]


def test_a_finding_with_a_mechanical_fix_has_a_button_that_mends_it(browser: Client, owner: User) -> None:
    plan = simple_plan()
    plan["tasks"][1]["depends_on"] = ["t1", "nowhere"]
    run = review_run(owner, plan)
    text = page(browser, run)
    place = re.search(r'name="finding" value="(\d+)"', text)
    assert place is not None
    assert not run.revision.is_acceptable

    text = text_of(send(browser, run, "apply_fix", finding=place[1]))

    assert current(run)["tasks"][1]["depends_on"] == ["t1"]
    assert run.revision.is_acceptable
    assert "Apply fix" not in text


@pytest.mark.parametrize("finding", ["", "99", "x"])
def test_a_fix_that_is_not_there_is_a_404(browser: Client, run: Run, finding: str) -> None:
    assert send(browser, run, "apply_fix", finding=finding).status_code == 404


def test_a_step_can_be_edited_as_json(browser: Client, run: Run) -> None:
    text = page(browser, run, "edit_step", "?step=t1&as=json")
    assert "&quot;Take the greeting&quot;" in text
    step = {**current(run)["tasks"][0], "params": {"value": {"a": 1}}, "priority": 5}
    del step["description"]

    send(browser, run, "edit_step", "?as=json", step="t1", text=json.dumps(step))

    assert current(run)["tasks"][0] == {**step, "description": ""}


@pytest.mark.parametrize(
    ("typed", "words"),
    [("{", "This is not JSON"), ("[]", "not an object"), ('{"skill": "noop", "colour": 1}', "colour")],
)
def test_json_that_is_no_step_is_refused_in_words(browser: Client, run: Run, typed: str, words: str) -> None:
    text = text_of(send(browser, run, "edit_step", "?as=json", step="t1", text=typed))

    assert words in text
    assert run.revisions.count() == 1


def test_the_whole_plan_can_be_edited_as_json(browser: Client, run: Run) -> None:
    assert "&quot;t2&quot;" in page(browser, run, "edit_plan")
    plan = {**current(run), "milestones": [{"id": "m1", "name": "All"}]}

    send(browser, run, "edit_plan", text=json.dumps(plan))

    assert [row["name"] for row in current(run)["milestones"]] == ["All"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("remove_step", {"step": "t1"}),
        ("correct_assumption", {"place": "0", "text": "x"}),
        ("edit_plan", {"text": "{}"}),
        ("choose_revision", {"number": "1"}),
    ],
)
def test_an_edit_of_an_older_revision_answers_409_with_the_difference(
    browser: Client, run: Run, name: str, data: dict[str, str]
) -> None:
    """field case: two people edit one plan, and the later one silently undoes the earlier."""
    send(browser, run, "remove_step", step="t2")

    response = send(browser, run, name, **data)

    assert response.status_code == 409
    assert "your change was not made" in text_of(response)
    assert "Pass it on" in text_of(response)
    assert run.revisions.count() == 2


def test_a_form_that_names_no_revision_changes_nothing(browser: Client, run: Run) -> None:
    assert send(browser, run, "remove_step", step="t1", revision="").status_code == 409
    assert run.revisions.count() == 1


def test_a_decided_plan_is_not_edited(browser: Client, run: Run, owner: User) -> None:
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=tasks.catalogue())

    text = page(browser, run)
    assert not re.search(r"Add step|Move up|Correct<|Apply fix", text)
    for name in ("edit_step", "edit_plan"):
        assert browser.get(reverse(name, args=[run.uuid]))["Location"] == reverse("plan", args=[run.uuid])
    assert "Already decided by owner" in text_of(send(browser, run, "remove_step", step="t1"))
    assert run.revisions.count() == 1


def test_who_may_only_look_is_offered_no_edit_and_cannot_make_one(
    client: Client, run: Run, owner: User, operator: User, outsider: User
) -> None:
    client.force_login(outsider)
    assert send(client, run, "remove_step", step="t1").status_code == 404
    client.force_login(operator)
    assert "Add step" in page(client, run)


def test_an_earlier_revision_can_be_looked_at_compared_and_chosen_again(browser: Client, run: Run) -> None:
    send(browser, run, "remove_step", step="t2")

    text = page(browser, run, query="?revision=1")
    assert "This is revision 1. Revision 2 is the one to decide on." in text
    assert "Approve and run" not in text
    assert "Add step" not in text
    text = page(browser, run, "revisions")
    assert re.search(r"Removed</span> <span[^>]*>“Pass it on”", text)
    assert re.search(r"Removed</span> <span[^>]*>“Pass it on”", page(browser, run, "revision_diff"))
    assert re.search(r"Added</span> <span[^>]*>“Pass it on”", page(browser, run, "revision_diff", "?from=2&to=1"))

    send(browser, run, "choose_revision", revision="2", number="1")

    run.refresh_from_db()
    assert (run.revision.number, run.revisions.count()) == (1, 2)
    assert "Approve and run" in page(browser, run)


@pytest.mark.parametrize(("name", "query"), [("plan", "?revision=9"), ("revision_diff", "?from=9")])
def test_a_revision_that_is_not_there_is_a_404(browser: Client, run: Run, name: str, query: str) -> None:
    assert browser.get(reverse(name, args=[run.uuid]) + query).status_code == 404
