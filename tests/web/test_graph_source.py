"""Rows and revisions as graphs: what they become and how many queries that takes."""

import itertools
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from plans.core.spec import PlanSpec
from plans.models import Dependency, Request, Revision, Run, Task
from plans.web.graph.links import Links
from plans.web.graph.page import graph_shown
from plans.web.graph.source import plan_graph, revision_graph, run_graph
from plans.web.graph.values import Look
from tests.web.elements import Elements


def shown(plan, looks=None):
    return graph_shown(plan, looks, links=Links(), now=timezone.now())


def make_run(owner, tasks: int = 3) -> Run:
    run = Run.objects.create(goal="Sum up", owner=owner, state="running", started_at=timezone.now(), seq=7)
    Task.objects.create(run=run, key="m1", kind="milestone", name="Collect")
    rows = [
        Task.objects.create(run=run, key=f"t{n}", name=f"Step {n}", milestone_key="m1", position=n + 1, skill="noop")
        for n in range(tasks)
    ]
    for up, down in itertools.pairwise(rows):
        Dependency.objects.create(upstream=up, downstream=down)
    for row in rows:
        Dependency.objects.create(upstream=row, downstream=Task.objects.get(run=run, key="m1"))
    Task.objects.create(run=run, key="plan", kind="planning")
    return run


@pytest.mark.django_db
def test_a_run_of_any_size_is_read_with_two_queries(owner, django_assert_num_queries):
    for size in (1, 30):
        run = make_run(owner, size)
        with django_assert_num_queries(2):
            graph = run_graph(run)
        assert len(graph.plan.tasks) == size


@pytest.mark.django_db
def test_rows_become_tasks_milestones_edges_and_looks(owner):
    run = make_run(owner)
    started = timezone.now() - timedelta(seconds=90)
    Task.objects.filter(run=run, key="t0").update(
        state="succeeded", started_at=started, ended_at=started + timedelta(seconds=61)
    )
    waits = Task.objects.get(run=run, key="t1")
    Task.objects.filter(pk=waits.pk).update(state="waiting")
    Request.objects.create(run=run, task=waits, kind="question", content={})
    Task.objects.filter(run=run, key="t2").update(state="skipped", reason="condition")
    graph = run_graph(run)
    assert [(task.key, task.title, task.milestone) for task in graph.plan.tasks] == [
        ("t0", "Step 0", "m1"), ("t1", "Step 1", "m1"), ("t2", "Step 2", "m1"),
    ]  # fmt: skip
    assert [milestone.title for milestone in graph.plan.milestones] == ["Collect"]
    assert ("t0", "t1") in graph.plan.edges
    assert graph.looks["t0"] == Look(state="succeeded", word="Succeeded", length="1m 01s")
    assert graph.looks["t1"] == Look(state="waiting", word="Needs an answer")
    assert graph.looks["t2"] == Look(state="skipped", word="Skipped: its condition was not met")
    assert graph.seq == 7
    found = shown(graph.plan, graph.looks)
    assert Counter(node["data-state"] for node in Elements(found.svg).of_class("node")) == {
        "succeeded": 1, "waiting": 1, "skipped": 1,
    }  # fmt: skip


@pytest.mark.django_db
def test_a_wait_for_a_moment_is_not_a_wait_for_a_person(owner):
    run = make_run(owner, 1)
    Task.objects.filter(run=run, key="t0").update(state="waiting", ready_at=datetime(2026, 11, 30, 18, 0, tzinfo=UTC))
    assert run_graph(run).looks["t0"] == Look(state="until", word="Waits until 18:00 UTC")


def test_a_plan_gives_notes_and_leaves_out_dependencies_on_nothing():
    spec = PlanSpec.model_validate(
        {
            "milestones": [{"id": "m1", "name": "Collect"}],
            "tasks": [
                {"id": "a", "skill": "load_file", "milestone": "m1", "estimate": {"seconds": 20}},
                {"id": "b", "name": "Sum", "skill": "sql", "depends_on": ["a", "m1", "ghost"]},
            ],
        }
    )
    graph = plan_graph(spec, frozenset({"b"}))
    assert [(task.title, task.note, task.asks) for task in graph.tasks] == [
        ("a", "load_file, about 20 s", False), ("Sum", "sql, asks first", True),
    ]  # fmt: skip
    assert graph.edges == (("a", "b"), ("m1", "b"))
    assert {edge["data-from"] for edge in Elements(shown(graph).svg).of_class("edge")} == {"a", "m1"}


@pytest.mark.django_db
def test_a_revision_is_drawn_without_a_query(owner, django_assert_num_queries):
    run = Run.objects.create(goal="Sum up", owner=owner)
    plan = {"schema": 1, "tasks": [{"id": "a", "skill": "gone", "approval": "always"}]}
    revision = Revision.objects.create(run=run, number=1, plan=plan, graph_hash="x" * 64, source="test")
    with django_assert_num_queries(0):
        graph = revision_graph(revision, "risky_steps", {})
    assert [(task.key, task.asks) for task in graph.tasks] == [("a", True)]
