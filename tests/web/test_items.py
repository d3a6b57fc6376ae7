"""Fan-outs on the pages: one node and one row with counts, the items paged in the panel."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from plans import items, queries, results
from plans.core.errors import InputError
from plans.engine.edits import edit_and_approve
from plans.models import Artifact, Blob, Dependency, Event, Request, Run, Task
from plans.web.graph.source import run_graph
from plans.web.live.reading import ITEMS_AT_ONCE, catch_up, changes
from tests.web.elements import Elements

GROUP = "fetch"


def fan_out(owner: User, states: list[str], *, state: str = "pending", **fields: Any) -> Run:
    """Return a running run whose step `fetch` stands for one item per state."""
    now = timezone.now()
    run = Run.objects.create(goal="Fetch all", owner=owner, state="running", started_at=now, left=len(states), seq=1)
    Event.objects.create(run=run, seq=1, at=now, kind="run.created", actor=owner)
    group = Task.objects.create(
        run=run, key=GROUP, name="Fetch", skill="noop", state=state, attempt=1, started_at=now,
        item_count=len(states), unmet=1, spec={"for_each": "inputs.names"}, **fields,
    )  # fmt: skip
    made = Task.objects.bulk_create(
        Task(
            run=run, key=f"{GROUP}[{index}]", name=f"Fetch: {index + 1}", skill="noop", state=each, group=GROUP,
            item_index=index, reason="on_failure" if each == "skipped" else "", started_at=now,
            lease_expires_at=now if each == "running" else None, claimed_by="w1" if each == "running" else "",
            error={"code": "timeout", "params": {"seconds": 5}, "class": "timeout"} if each == "failed" else None,
        )
        for index, each in enumerate(states)
    )  # fmt: skip
    Dependency.objects.bulk_create(Dependency(upstream=row, downstream=group) for row in made)
    return run


def elements(html: str, name: str) -> list[dict[str, str]]:
    return [attributes for _, attributes in Elements(html).found if name in attributes]


@pytest.fixture
def page(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def body(client: Client, run: Run, query: str = "") -> str:
    return client.get(reverse("run", args=[run.uuid]) + query).content.decode()


def test_a_thousand_items_are_one_row_and_one_node_with_counts(page: Client, owner: User) -> None:
    """C46: given 1,000 mapped items one node with counts is drawn, details paged."""
    run = fan_out(owner, ["succeeded"] * 311 + ["failed"] + ["running"] * 8 + ["ready"] * 680)
    html = body(page, run)

    assert html.count("data-task-row") == 1
    graph = run_graph(run)
    assert [task.key for task in graph.plan.tasks] == [GROUP]
    assert (graph.looks[GROUP].state, graph.looks[GROUP].note) == ("running", "311 of 1,000 done, 1 failed")
    assert "311 of 1,000 done, 1 failed" in html
    assert ">1</span>" in re.sub(r"\s", "", html[html.index("data-run-total") :])[:60]


def test_the_number_of_queries_does_not_grow_with_the_items(page: Client, owner: User) -> None:
    few, many = fan_out(owner, ["succeeded"] * 2), fan_out(owner, ["succeeded"] * 400)
    query = f"?task={GROUP}"
    body(page, few, query)
    counted = []
    for run in (few, many):
        with CaptureQueriesContext(connection) as captured:
            body(page, run, query)
        counted.append(len(captured))

    assert counted[0] == counted[1]


def test_the_panel_pages_the_items_in_order(page: Client, owner: User) -> None:
    run = fan_out(owner, ["succeeded"] * 120)
    seen: list[str] = []
    query = f"?task={GROUP}"
    while query:
        html = body(page, run, query)
        rows = elements(html, "data-task-link")
        seen += [row["data-task-link"] for row in rows if row["data-task-link"].startswith(f"{GROUP}[")]
        later = [link["href"] for link in elements(html, "data-items-link") if "items=" in link["href"]]
        query = max(later, key=lambda href: int(re.search(r"items=(\d+)", href)[1]), default="").partition("#")[0]
        if query and int(re.search(r"items=(\d+)", query)[1]) < len(seen):
            query = ""

    assert seen == [f"{GROUP}[{index}]" for index in range(120)]


def test_items_of_one_state_can_be_looked_at_alone(page: Client, owner: User) -> None:
    run = fan_out(owner, ["succeeded", "failed", "succeeded", "failed"])
    html = body(page, run, f"?task={GROUP}&item_state=failed")
    rows = [row["data-task-link"] for row in elements(html, "data-task-link")]

    assert [key for key in rows if "[" in key] == [f"{GROUP}[1]", f"{GROUP}[3]"]
    assert "All items" in html


@pytest.mark.parametrize("query", ["&items=99999", "&items=-1", "&items=x", "&item_state=nonsense", "&item_state='"])
def test_an_odd_query_shows_what_there_is(page: Client, owner: User, query: str) -> None:
    run = fan_out(owner, ["succeeded"] * 3)

    assert page.get(reverse("run", args=[run.uuid]) + f"?task={GROUP}{query}").status_code == 200


def test_an_item_has_its_own_panel_that_leads_back_to_its_group(page: Client, owner: User) -> None:
    run = fan_out(owner, ["succeeded", "failed"])
    html = body(page, run, f"?task={GROUP}[1]")

    assert "Item 2 of Fetch" in html
    assert any(link["data-task-link"] == GROUP for link in elements(html, "data-task-link"))


def test_a_fan_out_whose_items_only_wait_for_a_person_needs_a_decision(owner: User) -> None:
    run = fan_out(owner, ["succeeded", "waiting"])
    (line,) = queries.task_lines(run, [])

    assert line.task.state == "waiting"
    assert run_graph(run).looks[GROUP].word == "Needs a decision"


def test_an_empty_list_says_so(page: Client, owner: User) -> None:
    run = fan_out(owner, [], state="skipped", reason="condition")

    assert "Skipped: its list was empty" in body(page, run)


def test_missing_items_are_a_gap_of_their_group(owner: User) -> None:
    run = fan_out(owner, ["succeeded", "skipped"], state="succeeded")
    lines = queries.task_lines(run, [])

    assert [line.task.key for line in queries.gaps(lines)] == [GROUP]
    assert lines[0].items == items.ItemCounts(states=lines[0].items.states, missing=1)


def _events(run: Run, count: int) -> None:
    now = timezone.now()
    Event.objects.bulk_create(
        Event(run=run, seq=2 + n, at=now, kind="task.succeeded", task_key=f"{GROUP}[{n}]", attempt=1)
        for n in range(count)
    )
    Run.objects.filter(pk=run.pk).update(seq=1 + count)


def test_a_frame_names_few_items_and_always_their_group(owner: User) -> None:
    run = fan_out(owner, ["succeeded"] * 3 + ["running"])
    _events(run, 3)
    part = changes({run.pk: 1}, {run.pk: {"en"}})[run.pk]["en"]

    assert set(part.tasks) == {GROUP, f"{GROUP}[0]", f"{GROUP}[1]", f"{GROUP}[2]"}
    assert (part.tasks[GROUP]["state"], part.tasks[GROUP]["items"]) == ("running", "3 of 4 done")
    assert part.run["counts"] == {"running": 1}


def test_a_burst_of_items_is_told_as_their_group_alone(owner: User) -> None:
    """C43: 1,000 quick items; frames carry counts, not each of them."""
    count = ITEMS_AT_ONCE + 1
    run = fan_out(owner, ["succeeded"] * count + ["running"])
    _events(run, count)
    part = changes({run.pk: 1}, {run.pk: {"en"}})[run.pk]["en"]

    assert set(part.tasks) == {GROUP}
    assert part.tasks[GROUP]["items"] == f"{count} of {count + 1} done"


def test_a_snapshot_holds_no_items(owner: User) -> None:
    run = fan_out(owner, ["succeeded"] * 30)
    part = catch_up(run.pk, None, "en")

    assert part is not None
    assert set(part.tasks) == {GROUP}


def test_tables_and_images_of_items_are_results_of_their_own(owner: User) -> None:
    run = fan_out(owner, ["succeeded"] * 3, state="succeeded")
    Run.objects.filter(pk=run.pk).update(state="succeeded")
    refs = []
    for task in run.tasks.exclude(group="").order_by("item_index"):
        sha256 = f"{task.item_index:064d}"
        blob = Blob.objects.create(sha256=sha256, size=1)
        Artifact.objects.create(run=run, task=task, attempt=0, name="chart", kind="image", filename="c.png", blob=blob)
        refs.append({"$artifact": sha256, "kind": "image", "name": "chart"})
    run.tasks.filter(key=GROUP).update(outputs={"chart": refs})

    assert [item.artifact.blob_id for item in results.result_items(run)] == [ref["$artifact"] for ref in refs]
    assert [item.value for item in results.result_items(run, apart=False)] == [refs]


def test_a_timeline_has_one_bar_for_all_items(page: Client, owner: User) -> None:
    run = fan_out(owner, ["succeeded"] * 40 + ["running"])
    html = body(page, run, "?tab=timeline")

    assert html.count('class="bar') <= 1
    assert "40 of 41 done" in html


def test_an_approval_of_all_items_shows_them_and_offers_no_edit(page: Client, owner: User) -> None:
    run = fan_out(owner, [], state="waiting", needs_approval=True)
    each = [{"name": f"file-{n}"} for n in range(12)]
    effect = {"skill": "noop", "version": "1", "params": {}, "items": 12, "each": each, "all": "0" * 64}
    asked = Request.objects.create(
        run=run, task=run.tasks.get(), kind="task_approval", digest="d", content={"effect": effect, "task": GROUP}
    )
    html = body(page, run)

    assert "file-9" in html
    assert "file-10" not in html
    assert "2 more items" in html
    assert reverse("edit_request", args=[asked.uuid]) not in html
    assert page.get(reverse("edit_request", args=[asked.uuid])).status_code == 302
    with pytest.raises(InputError):
        edit_and_approve(request=asked, params={"name": "x"}, digest="d", by=owner, catalogue={})
