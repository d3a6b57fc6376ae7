"""The run page's tabs, panel and parts: what each shows, what stays in its links, what never enters a page."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from plans.models import Attempt, Event, Request, Run, Task
from tests.web.factories import approved_run, drained_run, simple_plan, table, world


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def page(browser: Client, run: Run, query: str = "", name: str = "run") -> str:
    response = browser.get(reverse(name, args=[run.uuid]) + query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def many(n: int, milestones: int = 0) -> dict[str, Any]:
    groups = [{"id": f"m{k}", "name": f"Part {k}"} for k in range(milestones)]
    steps = [
        {"id": f"s{k}", "skill": "noop", "depends_on": [f"s{k - 10}"] if k >= 10 else []}
        | ({"milestone": f"m{k * milestones // n}"} if milestones else {})
        for k in range(n)
    ]
    return {"schema": 1, "goal": f"{n} steps", "milestones": groups, "tasks": steps}


def queries_of(browser: Client, run: Run, query: str) -> int:
    page(browser, run, query)
    with CaptureQueriesContext(connection) as captured:
        page(browser, run, query)
    return len(captured)


def test_point_14_the_first_paint_has_the_whole_drawing_and_the_list(browser: Client, owner: User) -> None:
    text = page(browser, drained_run(owner))

    assert text.count('<svg class="dag"') == 1
    for key in ("t1", "t2"):
        assert 'class="node st-succeeded" ' in text
        assert re.search(rf'<a class="srow s-success"[^>]*data-key="{key}"', text)


@pytest.mark.parametrize("query", ["", "?tab=tasks", "?tab=timeline", "?tab=events"])
def test_a_run_page_takes_the_same_number_of_queries_for_14_300_and_1000_tasks(
    browser: Client, owner: User, query: str
) -> None:
    runs = [approved_run(owner, many(n, milestones=n // 10)) for n in (14, 300, 1000)]

    assert len({queries_of(browser, run, query) for run in runs}) == 1


def test_tab_task_and_filters_stay_in_every_link(browser: Client, owner: User) -> None:
    made = world(owner)

    text = page(browser, made.run, "?tab=events&kind=task&task=t1")

    links = re.findall(r'href="(\?[^"]*)" data-tab-link="(\w+)"', text)
    assert {name for _, name in links} == {"graph", "tasks", "timeline", "events"}
    for link, name in links:
        assert f"tab={name}" in link
        assert "kind=task" in link
        assert "task=t1" in link
    close = re.search(r'href="(\?[^"]*)" data-panel-close', text)
    assert close is not None
    assert "task=" not in close[1].replace("kind=task", "")
    assert "tab=events" in close[1]


@pytest.mark.parametrize("tab", ["nonsense", "graph&tab=x", "%00", "events&before=x&kind=y"])
def test_an_address_made_up_still_shows_the_run(browser: Client, owner: User, tab: str) -> None:
    assert "data-run" in page(browser, world(owner).run, f"?tab={tab}")


def test_point_38_the_panel_shows_inputs_outputs_attempts_log_and_both_directions(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    Attempt.objects.filter(task__run=run, task__key="t2").update(log="a line\nanother")

    text = words(page(browser, run, "?task=t2", "run_panel"))

    for expected in ("Pass it on", "Waits for", "Take the greeting", "Then come nothing", "Inputs value hello",
                     "Outputs", "said", "Attempts 1. Succeeded", "Log of attempt 1", "another"):  # fmt: skip
        assert expected in text, expected


def test_a_step_that_has_not_started_shows_its_inputs_as_the_plan_has_them(browser: Client, owner: User) -> None:
    run = approved_run(owner)

    text = words(page(browser, run, "?task=t2", "run_panel"))

    assert "values are filled in when the step starts" in text
    assert "{{ word }}" in text


def test_point_39_a_log_of_10000_lines_is_a_tail_with_older_parts_by_link(browser: Client, owner: User) -> None:
    made = world(owner)
    Attempt.objects.filter(pk=made.attempt.pk).update(log="\n".join(f"line {n}" for n in range(1, 10_001)))

    text = page(browser, made.run, "?task=t1", "run_panel")
    assert ("line 10000" in text, "line 9801" in text, "line 9800 " in text) == (True, True, False)
    assert "Lines 9801 to 10000 of 10000." in text
    link = re.search(r'href="([^"]*before=9801)"', text)
    assert link is not None
    older = browser.get(link[1].replace("&amp;", "&")).content.decode()
    assert ("line 9800" in older, "line 8801" in older, "line 8800\n" in older) == (True, True, False)
    whole = browser.get(reverse("log", args=[made.run.uuid]) + "?task=t1&attempt=1&download=1")
    assert len(whole.content.splitlines()) == 10_000


def test_escape_codes_and_html_in_a_log_are_inert(browser: Client, owner: User) -> None:
    made = world(owner)
    Attempt.objects.filter(pk=made.attempt.pk).update(log="\x1b[31mred\x1b[0m \x07 <b>x</b>\x9b \r over")

    text = page(browser, made.run, "?task=t1", "run_panel")

    assert "␛[31mred␛[0m ␇ &lt;b&gt;x&lt;/b&gt;" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]", text)


def test_c49_a_large_output_is_cut_and_whole_by_link(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    Task.objects.filter(run=run, key="t2").update(outputs={"said": "界" * 60_000})

    text = page(browser, run, "?task=t2", "run_panel")

    assert len(text) < 30_000
    link = re.search(r'href="([^"]*/output\?[^"]*)">Show all', text)
    assert link is not None
    response = browser.get(link[1].replace("&amp;", "&"))
    assert response.content.decode() == "界" * 60_000
    assert response["Content-Type"] == "text/plain; charset=utf-8"


def test_c51_cjk_text_in_values_and_exports_is_not_escaped(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    Task.objects.filter(run=run, key="t2").update(outputs={"said": {"msg": "你好"}})
    Event.objects.filter(run=run, seq=1).update(data={"comment": "你好"})

    assert "你好" in page(browser, run, "?task=t2", "run_panel")
    assert "你好" in browser.get(reverse("output", args=[run.uuid]) + "?task=t2&name=said").content.decode()
    assert "你好" in b"".join(browser.get(reverse("events_export", args=[run.uuid]))).decode()


def test_a_value_that_does_not_exist_is_404(browser: Client, owner: User) -> None:
    path = reverse("output", args=[drained_run(owner).uuid])

    assert browser.get(path + "?task=t2&name=nope").status_code == 404
    assert browser.get(path + "?task=nope&name=said").status_code == 404


def test_a_table_is_paged_by_link(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    task = Task.objects.get(run=run, key="t2")
    made = table(task, [{"page": f"/{n}", "views": n} for n in range(250)])
    path = reverse("artifact_rows", args=[made.uuid])

    first, last = browser.get(path).content.decode(), browser.get(path + "?from=200").content.decode()

    assert "Rows 1 to 100 of 250." in first
    assert "?from=100" in first
    assert ("/99</td>" in first, "/100</td>" in first) == (True, False)
    assert "Rows 201 to 250 of 250." in last
    assert 'rel="next"' not in last


def test_point_41_events_are_newest_first_filtered_and_paged_by_key(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    first = words(page(browser, run, "?tab=events"))
    assert first.index("Run succeeded.") < first.index("Run created.")
    assert "Pass it on" in first
    only = words(page(browser, run, "?tab=events&kind=plan"))
    assert ("Plan approved." in only, "Run created." in only, "owner" in only) == (True, False, True)

    now, last = timezone.now(), Event.objects.filter(run=run).count()
    Event.objects.bulk_create(
        Event(run=run, seq=last + n, at=now, kind="task.running", task_key="t1", attempt=n) for n in range(1, 121)
    )
    older = re.search(r'href="(\?[^"]*before=\d+)"', page(browser, run, "?tab=events"))
    assert older is not None
    assert "Run created." in page(browser, run, older[1].replace("&amp;", "&"))


def test_the_old_address_of_the_events_leads_to_the_tab(browser: Client, owner: User) -> None:
    run = drained_run(owner)

    response = browser.get(reverse("events", args=[run.uuid]) + "?before=5")

    assert response["Location"] == reverse("run", args=[run.uuid]) + "?tab=events&before=5"


def test_every_kind_of_event_has_a_sentence(browser: Client, owner: User) -> None:
    from plans.core.kinds import EventKind

    made = world(owner)
    now = timezone.now()
    Event.objects.bulk_create(
        Event(run=made.run, seq=n, at=now, kind=kind, task_key="t1", attempt=1, data={"keys": ["t1"], "items": 3})
        for n, kind in enumerate(EventKind, 3)
    )

    text = page(browser, made.run, "?tab=events", "run_tab")

    assert "Something went wrong (" not in text
    assert "%(" not in text


def test_events_are_exported_as_json_lines_in_order_and_whole(browser: Client, owner: User) -> None:
    run = drained_run(owner)
    now, last = timezone.now(), Event.objects.filter(run=run).count()
    Event.objects.bulk_create(
        Event(run=run, seq=last + n, at=now, kind="task.running", task_key="t1") for n in range(1, 1201)
    )

    response = browser.get(reverse("events_export", args=[run.uuid]))
    lines = [json.loads(line) for line in b"".join(response).splitlines()]

    assert response.streaming
    assert [line["seq"] for line in lines] == list(range(1, last + 1201))
    assert lines[0] == {**lines[0], "kind": "run.created", "actor": "owner", "task": None}
    only = browser.get(reverse("events_export", args=[run.uuid]) + "?kind=plan")
    assert {json.loads(line)["kind"].partition(".")[0] for line in b"".join(only).splitlines()} == {"plan"}


def test_point_40_the_timeline_has_a_bar_per_attempt_waits_now_and_the_critical_path(
    browser: Client, owner: User
) -> None:
    made = world(owner)
    start = timezone.now() - timedelta(seconds=100)
    Run.objects.filter(pk=made.run.pk).update(started_at=start)
    Attempt.objects.filter(pk=made.attempt.pk).update(started_at=start, ended_at=start + timedelta(seconds=30))
    Attempt.objects.create(
        task=made.first, number=2, state="succeeded", worker="w2", started_at=start + timedelta(seconds=50),
        ended_at=start + timedelta(seconds=60),
    )  # fmt: skip

    text = page(browser, made.run, "?tab=timeline")

    assert text.count('class="gbar"') == 2
    assert text.count('class="gbar is-wait"') == 3
    assert "Attempt 1: Failed, 30 s, worker w1." in text
    assert 'class="nowl"' in text
    assert "is-critical" in text
    assert "style=" not in text


def test_c47_a_late_retry_does_not_squeeze_the_timeline(browser: Client, owner: User) -> None:
    made = world(owner)
    start = timezone.now() - timedelta(days=2, seconds=60)
    Request.objects.filter(run=made.run).delete()
    Run.objects.filter(pk=made.run.pk).update(
        started_at=start, ended_at=start + timedelta(days=2, seconds=60), state="failed"
    )
    Attempt.objects.filter(pk=made.attempt.pk).update(started_at=start, ended_at=start + timedelta(seconds=30))
    Attempt.objects.create(
        task=made.first, number=2, state="failed", started_at=start + timedelta(days=2),
        ended_at=start + timedelta(days=2, seconds=60),
    )  # fmt: skip

    text = page(browser, made.run, "?tab=timeline")

    widths = [float(width) for width in re.findall(r'class="gbar" x="[\d.]+%" width="([\d.]+)%"', text)]
    assert len(widths) == 2
    assert min(widths) > 20
    assert "idle 47h 59m" in text or "idle 48h" in text or "idle 2d" in text


def test_a_timeline_before_the_start_says_so(browser: Client, owner: User) -> None:
    assert "Nothing has started yet." in page(browser, approved_run(owner), "?tab=timeline")


def test_milestones_head_the_tasks_of_every_tab(browser: Client, owner: User) -> None:
    plan = simple_plan(milestones=[{"id": "m1", "name": "Collect words"}])
    plan["tasks"][0]["milestone"] = "m1"
    run = drained_run(owner, plan)

    for tab in ("tasks", "timeline"):
        assert "Collect words" in page(browser, run, f"?tab={tab}")
