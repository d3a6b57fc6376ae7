"""Deciding about a failed step on the pages: every way with what it leads to, plain forms, nothing by GET."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from plans.models import Artifact, Correction, Request, Run, Task
from tests.web.factories import drain, drained_run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def failed(owner: User, **more: Any) -> Run:
    """Return a run whose first step could not take its value, with two steps after it."""
    first = {"id": "t1", "name": "Take it", "skill": "noop", "params": {"value": "{{ inputs.nowhere }}"},
             "outputs": {"word": "json"}, **more}  # fmt: skip
    after = [{"id": f"t{n}", "skill": "noop", "params": {"value": "{{ word }}"}, "depends_on": ["t1"]} for n in (2, 3)]
    return drained_run(owner, {"schema": 1, "goal": "Say hello", "tasks": [first, *after]})


def way(run: Run, name: str = "") -> str:
    return reverse("failed_step", args=[run.uuid]) + "?task=t1" + (f"&way={name}" if name else "")


def text_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def test_the_banner_offers_every_way_and_says_what_it_leads_to(browser: Client, owner: User) -> None:
    run = failed(owner)
    text = text_of(browser.get(reverse("run", args=[run.uuid])))
    for label, leads_to in [
        ("Retry", "starts again from its first try"),
        ("Retry with changes", "change its parameters first"),
        ("Retry with a hint", "what it should mind"),
        ("Mark done", "2 steps after it go on"),
        ("Skip", "the result has a gap. 2 steps after it go on"),
        ("Stop run", "everything unfinished is cancelled"),
    ]:
        assert label in text
        assert leads_to in text, leads_to


def test_retry_with_changes_from_the_form(browser: Client, owner: User) -> None:
    run = failed(owner)
    shown = browser.get(way(run, "retry_with_changes")).content.decode()
    assert "{{ inputs.nowhere }}" in shown
    digest = Request.objects.get(run=run, kind="failure").digest

    refused = browser.post(way(run, "retry_with_changes"), {"p0": "{{ nowhere }}", "digest": digest})
    assert (refused.status_code, Correction.objects.count()) == (200, 0)
    assert "nothing is called “nowhere”" in text_of(refused)

    taken = browser.post(way(run, "retry_with_changes"), {"p0": '"hi"', "digest": digest})
    assert taken.status_code == 302
    drain(run)
    assert run.state == "succeeded"
    assert Task.objects.get(run=run, key="t2").outputs == {"result": "hi"}


def test_a_hint_from_the_form(browser: Client, owner: User) -> None:
    run = failed(owner)
    assert "Say in a sentence" in text_of(browser.post(way(run, "retry_with_hint"), {"hint": " "}))
    assert browser.post(way(run, "retry_with_hint"), {"hint": "Look again"}).status_code == 302
    assert Correction.objects.get(run=run).hint == "Look again"


@pytest.mark.parametrize(
    ("kind", "typed", "output"),
    [
        ("json", '{"a": [1]}', {"a": [1]}),
        ("number", "1.5", 1.5),
        ("text", "two\r\nlines", "two\nlines"),
        ("boolean", "false", False),
        ("list", "[1, 2]", [1, 2]),
        ("number", "", None),
    ],
)
def test_mark_done_takes_each_kind_of_output(browser: Client, owner: User, kind: str, typed: str, output: Any) -> None:
    run = failed(owner, outputs={"word": kind})
    assert browser.post(way(run, "mark_done"), {"o0": typed}).status_code == 302
    drain(run)
    assert (run.state, Task.objects.get(run=run, key="t1").outputs) == ("succeeded", {"word": output})


@pytest.mark.parametrize(
    ("kind", "typed", "words"),
    [("number", "many", "Enter a number"), ("number", "NaN", "Enter a number"), ("list", "{}", "has to be list"),
     ("json", "{", "not JSON")],
)  # fmt: skip
def test_what_does_not_fit_stays_in_the_form(browser: Client, owner: User, kind: str, typed: str, words: str) -> None:
    run = failed(owner, outputs={"word": kind})
    response = browser.post(way(run, "mark_done"), {"o0": typed})
    assert response.status_code == 200
    assert words in text_of(response)
    assert Task.objects.get(run=run, key="t1").state == "waiting"


def test_a_failed_run_can_be_taken_up_from_the_panel(browser: Client, owner: User) -> None:
    run = failed(owner, on_failure="retry_then_stop")
    assert run.state == "failed"
    panel = browser.get(reverse("run_panel", args=[run.uuid]) + "?task=t1").content.decode()
    assert all(f">{label}</" in panel for label in ("Retry", "Mark done", "Skip"))
    assert "Stop run" not in panel

    assert browser.get(way(run)).status_code == 302
    run.refresh_from_db()
    assert run.state == "failed"
    assert browser.post(way(run), {"choice": "skip"}).status_code == 302
    drain(run)
    assert (run.state, run.has_gaps) == ("succeeded", True)
    assert "has not failed" in text_of(browser.post(way(run), {"choice": "skip"}, follow=True))


def test_a_file_is_taken_as_the_file_the_step_makes(browser: Client, owner: User) -> None:
    run = failed(owner)
    Task.objects.filter(run=run, key="t1").update(
        spec={**Task.objects.get(run=run, key="t1").spec, "outputs": {"word": "file"}}
    )
    assert 'enctype="multipart/form-data"' in browser.get(way(run, "mark_done")).content.decode()
    upload = SimpleUploadedFile("paper.txt", b"by hand", content_type="text/plain")
    assert browser.post(way(run, "mark_done"), {"o0": upload, "comment": ""}).status_code == 302
    artifact = Artifact.objects.get(run=run)
    assert (artifact.name, artifact.filename, artifact.kind) == ("word", "paper.txt", "file")


def test_others_get_404_and_looking_decides_nothing(client: Client, owner: User, outsider: User) -> None:
    run = failed(owner)
    client.force_login(outsider)
    for name in ("", "mark_done", "retry_with_hint", "retry_with_changes"):
        assert client.get(way(run, name)).status_code == 404
        assert client.post(way(run, name), {"choice": "skip", "hint": "x", "o0": "1"}).status_code == 404
    client.force_login(owner)
    for name in ("", "mark_done", "retry_with_hint", "retry_with_changes"):
        assert client.get(way(run, name) + "&choice=skip").status_code < 400
    assert Task.objects.get(run=run, key="t1").state == "waiting"


def test_a_choice_about_another_failure_is_refused_with_409(browser: Client, owner: User) -> None:
    run = failed(owner)
    request = Request.objects.get(run=run, kind="failure")
    response = browser.post(reverse("request", args=[request.uuid]), {"choice": "retry", "digest": "0" * 64})
    assert response.status_code == 409
    request.refresh_from_db()
    assert request.state == "open"
