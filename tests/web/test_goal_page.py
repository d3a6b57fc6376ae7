"""The New run page while a goal is written: suggestions, short goals, radio cards, examples by one click."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.engine.local import drain_until_done
from plans.engine.plans import approve_plan
from plans.models import Artifact, Attachment, Run
from plans.tasks import catalogue, runner
from plans.web.examples import SAMPLES
from plans.web.forms.goal import said_length


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def suggest(browser: Client, goal: str) -> str:
    response = browser.get(reverse("suggestions"), {"goal": goal})
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(
    ("goal", "title"),
    [
        ("find the five pages with most traffic", "Busiest pages in an access log"),
        ("按月统计销售额并画出增长趋势", "Sales by month"),
    ],
)
def test_a_goal_that_is_being_written_is_met_with_playbooks_and_reasons(browser: Client, goal: str, title: str) -> None:
    text = suggest(browser, goal)

    assert title in text
    assert "The goal speaks of:" in text
    assert "<html" not in text


@pytest.mark.parametrize("goal", ["", "find", "   "])
def test_too_little_text_suggests_nothing(browser: Client, goal: str) -> None:
    assert suggest(browser, goal) == ""


def test_words_nothing_fits_are_told_so(browser: Client) -> None:
    assert "No playbook fits these words yet." in suggest(browser, "Write a poem about the sea")


@pytest.mark.parametrize(("text", "length"), [("abc", 3), ("画出每月销售额", 14), ("é", 1), ("한국어", 6), ("", 0)])
def test_wide_characters_count_double(text: str, length: int) -> None:
    assert said_length(text) == length


@pytest.mark.parametrize("goal", ["chart", "画图表", " a b c d  "])
def test_a_goal_that_says_too_little_is_refused_in_place_with_its_text_and_the_focus(
    browser: Client, goal: str
) -> None:
    response = browser.post(reverse("new_run"), {"goal": goal, "autonomy": "risky_steps", "plan": "1"})

    text = response.content.decode()
    assert "Write a little more" in text
    assert "autofocus" in text
    assert goal.strip() in text
    assert Run.objects.count() == 0


def test_a_short_chinese_goal_passes(browser: Client) -> None:
    response = browser.post(reverse("new_run"), {"goal": "画出每月销售额", "autonomy": "risky_steps", "plan": "1"})

    assert "Write a little more" not in response.content.decode()


def test_ways_to_run_are_cards_with_the_usual_one_chosen(browser: Client) -> None:
    text = " ".join(browser.get(reverse("new_run")).content.decode().split())

    assert 'value="risky_steps" checked' in text
    assert "I approve the plan, then it runs" in text


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_one_click_on_an_example_and_one_approval_end_in_a_report(browser: Client, owner: User, name: str) -> None:
    assert reverse("example", args=[name]) in browser.get(reverse("new_run")).content.decode()

    response = browser.post(reverse("example", args=[name]), {"token": "t" * 20, "time_zone": "Asia/Tokyo"})

    run = Run.objects.get()
    assert response["Location"] == reverse("plan", args=[run.uuid])
    assert (run.playbook, run.owner, run.time_zone) == (name, owner, "Asia/Tokyo")
    drain_until_done(run, runner(), 60, until=frozenset({"review"}))
    run.refresh_from_db()
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=catalogue())
    drain_until_done(run, runner(), 60)
    run.refresh_from_db()
    assert run.state == "succeeded"
    assert Artifact.objects.filter(run=run, kind="html").exists()


def test_an_example_pressed_twice_makes_one_run(browser: Client) -> None:
    for _again in range(2):
        browser.post(reverse("example", args=["busiest_pages"]), {"token": "t" * 20})

    assert Run.objects.count() == 1


def test_a_get_of_an_example_starts_nothing(browser: Client) -> None:
    response = browser.get(reverse("example", args=["busiest_pages"]))

    assert response["Location"] == reverse("new_run")
    assert (Run.objects.count(), Attachment.objects.count()) == (0, 0)


def test_an_unknown_example_is_404(browser: Client) -> None:
    assert browser.post(reverse("example", args=["recent_files"])).status_code == 404


def test_an_example_whose_sample_is_gone_is_a_sentence(browser: Client, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("plans.web.examples.FOLDER", tmp_path)

    response = browser.post(reverse("example", args=["busiest_pages"]), follow=True)

    assert "The sample file of this example is not there." in response.content.decode()
    assert Run.objects.count() == 0
