"""The run page and its neighbours: words for every state, counts, result, events, logs, cancelling."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from plans.core.states import AttemptState, RequestState, RunState, SkipReason, TaskState
from plans.models import Run, Task
from plans.web.shown.states import REASONS, STATES
from tests.web.factories import approved_run, artifact, drained_run, review_run, simple_plan, table, world

STRANGE = ["界" * 400, "نص عربي طويل", "👩‍💻" * 50, "w" * 5000, "<script>alert(1)</script>", "{{ 7*7 }}", "a\u202eb"]


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, run: Run, query: str = "") -> str:
    response = browser.get(reverse("run", args=[run.uuid]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def words(text: str) -> str:
    """Return the page without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_every_state_has_a_word_an_icon_and_a_colour() -> None:
    for enum in (RunState, TaskState, AttemptState, RequestState):
        assert {state.value for state in enum} <= set(STATES)
    assert {reason.value for reason in SkipReason} <= set(REASONS)
    assert all(shown.word and shown.icon and shown.css.startswith("s-") for shown in STATES.values())


def test_a_finished_run_shows_its_result_and_its_steps(browser: Client, owner: User) -> None:
    run = drained_run(owner)

    text = words(page(browser, run))

    for expected in ("Say hello", "Succeeded", "2 of 2 steps done", "Take the greeting", "Result", "said", "hello"):
        assert expected in text
    assert "Cancel run" not in text
    assert "Reload" not in text


def test_a_running_run_can_be_reloaded_and_cancelled(browser: Client, owner: User) -> None:
    text = page(browser, approved_run(owner))

    assert "Reload" in text
    assert "Cancel run" in text
    assert "http-equiv" not in text


def test_cancelling_asks_first_and_then_cancels(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    path = reverse("cancel_run", args=[run.uuid])
    assert "Cancel this run?" in browser.get(path).content.decode()

    response = browser.post(path)

    run.refresh_from_db()
    assert (response["Location"], run.state) == (reverse("run", args=[run.uuid]), "cancelled")
    assert "Cancelled with the run" in page(browser, run)


def test_cancelling_twice_is_a_sentence(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    path = reverse("cancel_run", args=[run.uuid])
    browser.post(path)

    response = browser.post(path, follow=True)

    assert response.status_code == 200
    assert "(run_ended)" not in response.content.decode()


def test_a_task_panel_shows_outputs_attempts_and_dependencies(browser: Client, owner: User) -> None:
    run = drained_run(owner)

    text = page(browser, run, "?task=t2")

    assert 'id="task"' in text
    for expected in ("Outputs", "Attempts", "Waits for", "Take the greeting", "Succeeded"):
        assert expected in text


def test_an_odd_task_key_has_a_panel_of_its_own(browser: Client, owner: User) -> None:
    made = world(owner)

    text = page(browser, made.run)
    link = re.search(r'href="(\?task=odd[^"#]*)#task"', text)

    assert link is not None
    assert "Not started yet." in page(browser, made.run, link[1])


def test_an_unknown_task_is_404(browser: Client, owner: User) -> None:
    assert browser.get(reverse("run", args=[world(owner).run.uuid]) + "?task=nope").status_code == 404


@pytest.mark.parametrize("text", STRANGE)
def test_text_of_any_kind_is_shown_as_text(browser: Client, owner: User, text: str) -> None:
    made = world(owner, goal=text, text=text[:500])

    for query in ("", "?task=t1"):
        shown = page(browser, made.run, query)
        assert "<script>alert" not in shown
        assert ">49<" not in shown
    for query in ("?tab=events", "?tab=timeline", "?tab=tasks"):
        assert "<script>alert" not in page(browser, made.run, query)
    assert "<script>alert" not in browser.get(reverse("plan", args=[made.run.uuid])).content.decode()
    log = reverse("log", args=[made.run.uuid]) + "?task=t1&attempt=1"
    assert "<script>alert" not in browser.get(log).content.decode()


def test_a_run_page_takes_the_same_number_of_queries_for_two_steps_and_for_thirty(browser: Client, owner: User) -> None:
    small = approved_run(owner)
    steps = [{"id": f"s{n}", "skill": "noop"} for n in range(30)]
    large = approved_run(owner, {"schema": 1, "goal": "Many", "tasks": steps})
    page(browser, small)

    counts = []
    for run in (small, large):
        with CaptureQueriesContext(connection) as captured:
            page(browser, run)
        counts.append(len(captured))

    assert counts[0] == counts[1]


def test_the_list_of_runs_takes_the_same_number_of_queries_for_one_and_for_three(browser: Client, owner: User) -> None:
    counts = []
    for _round in range(3):
        drained_run(owner)
        with CaptureQueriesContext(connection) as captured:
            browser.get(reverse("runs"))
        counts.append(len(captured))

    assert counts[0] == counts[1] == counts[2]


def test_the_list_of_runs_pages_by_key_and_holds_only_what_one_may_see(
    client: Client, owner: User, outsider: User
) -> None:
    for number in range(35):
        Run.objects.create(goal=f"goal {number:02d}", owner=owner, state="cancelled")
    Run.objects.create(goal="not yours", owner=outsider, state="cancelled")
    client.force_login(owner)

    first = client.get(reverse("runs")).content.decode()
    older = re.search(r"\?before=\d+", first)
    assert older is not None
    second = client.get(reverse("runs") + older[0]).content.decode()

    assert "not yours" not in first + second
    assert ("goal 34" in first, "goal 05" in first, "goal 04" in second, "goal 00" in second) == (True,) * 4


@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 30, "²"])
def test_a_page_key_that_is_none_counts_as_absent(browser: Client, owner: User, before: str) -> None:
    assert browser.get(reverse("runs"), {"before": before}).status_code == 200


def test_a_log_is_shown_and_downloaded(browser: Client, owner: User) -> None:
    made = world(owner)
    path = reverse("log", args=[made.run.uuid]) + "?task=t1&attempt=1"

    assert "line one" in browser.get(path).content.decode()
    response = browser.get(path + "&download=1")
    assert (response["Content-Type"], response.content) == ("text/plain; charset=utf-8", made.attempt.log.encode())
    assert browser.get(reverse("log", args=[made.run.uuid]) + "?task=t1&attempt=7").status_code == 404


def test_a_large_value_is_cut_in_the_page(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    Task.objects.filter(run=run, key="t2").update(outputs={"said": "x" * 60_000})

    text = page(browser, run, "?task=t2")

    assert len(text) < 40_000
    assert "Cut here; there is more." in text


def test_a_result_report_stands_in_a_sandboxed_frame_with_a_download(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    task = Task.objects.get(run=run, key="t2")
    made = artifact(task, b"<h1>Hi</h1>", kind="html", filename="report.html", media_type="text/html")
    Task.objects.filter(pk=task.pk).update(outputs={"report": {"$artifact": made.blob_id, "kind": "html"}})

    text = page(browser, run)

    assert f'<iframe class="report" sandbox="" src="{reverse("artifact_view", args=[made.uuid])}"' in text
    assert f'href="{reverse("artifact", args=[made.uuid])}" download' in text


def test_waiting_and_retrying_tasks_say_until_when(browser: Client, owner: User) -> None:
    run = approved_run(owner)
    at = timezone.now() + timezone.timedelta(hours=1)
    Task.objects.filter(run=run, key="t1").update(state="waiting", ready_at=at)
    Task.objects.filter(run=run, key="t2").update(state="retrying", ready_at=at, attempt=1)

    text = page(browser, run)

    assert "Waits until" in text
    assert "Tries again at" in text
    assert text.count(f"{at:%Y-%m-%d %H:%M:%S} UTC") == 2


def test_milestones_head_their_steps(browser: Client, owner: User) -> None:
    plan = simple_plan(milestones=[{"id": "m1", "name": "Collect words"}])
    plan["tasks"][0]["milestone"] = "m1"

    text = page(browser, approved_run(owner, plan))

    assert text.index("Collect words") < text.index("Take the greeting")


def test_a_page_has_no_inline_script_or_style(browser: Client, owner: User) -> None:
    made = world(owner)
    review = review_run(owner)
    paths = [reverse("run", args=[made.run.uuid]) + "?task=t1", reverse("plan", args=[review.uuid]), reverse("new_run")]
    paths += [reverse(name) for name in ("runs", "inbox", "playbooks", "import")]

    for path in paths:
        text = browser.get(path).content.decode()
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), path
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), path
        assert '<html lang="en"' in text


def test_a_table_output_shows_its_first_rows_and_offers_csv(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    task = Task.objects.get(run=run, key="t2")
    made = table(task, [{"page": f"/{n}", "views": n, "long": "x" * 5000} for n in range(30)])
    Task.objects.filter(pk=task.pk).update(outputs={"pages": {"$artifact": made.blob_id, "kind": "table"}})

    text = page(browser, run)

    assert "First 10 of 30 rows." in text
    assert "/9</td>" in text
    assert "/10</td>" not in text
    assert "x" * 201 not in text
    assert reverse("artifact_csv", args=[made.uuid]) in text


def test_a_table_whose_bytes_cannot_be_read_does_not_break_the_page(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    task = Task.objects.get(run=run, key="t2")
    made = artifact(task, b"no parquet", kind="table", filename="pages.parquet", media_type="x/y")
    Task.objects.filter(pk=task.pk).update(outputs={"pages": {"$artifact": made.blob_id, "kind": "table"}})

    assert "pages.parquet" in page(browser, run)


def test_a_run_that_needs_a_person_says_so_in_its_state_and_in_lists(browser: Client, owner: User) -> None:
    made = world(owner)

    assert ">Needs approval" in page(browser, made.run)
    assert "Needs approval" in browser.get(reverse("runs")).content.decode()
