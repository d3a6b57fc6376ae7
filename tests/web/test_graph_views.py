"""The addresses that answer with the SVG alone: same access as the run, nothing kept by caches."""

import pytest
from django.contrib.auth.models import User
from django.http import Http404
from django.test import RequestFactory

from plans.models import Revision, Run, Task
from plans.web.graph.views import plan_svg, run_svg

pytestmark = pytest.mark.django_db


def ask(view, run: Run, user: User, query: str = ""):
    request = RequestFactory().get(f"/?{query}")
    request.user = user
    return view(request, run.uuid)


@pytest.fixture
def run(owner) -> Run:
    run = Run.objects.create(goal="Sum up", owner=owner, state="running")
    plan = {
        "schema": 1,
        "milestones": [{"id": "m1", "name": "Collect"}],
        "tasks": [{"id": "a", "name": "Load", "skill": "noop", "milestone": "m1"}],
    }
    run.revision = Revision.objects.create(run=run, number=1, plan=plan, graph_hash="x" * 64, source="test")
    run.save()
    Task.objects.create(run=run, key="m1", kind="milestone", name="Collect")
    Task.objects.create(run=run, key="a", name="Load", milestone_key="m1", position=1)
    return run


def test_the_owner_gets_the_svg_under_the_folds_of_the_query(run, owner):
    for view in (run_svg, plan_svg):
        assert b'data-key="a"' in ask(view, run, owner).content
        folded = ask(view, run, owner, "fold=m1")
        assert b'data-key="a"' not in folded.content
        assert b'data-group="m1"' in folded.content
        assert folded["Cache-Control"] == "private, no-store"


def test_others_get_404(run, outsider):
    for view in (run_svg, plan_svg):
        with pytest.raises(Http404):
            ask(view, run, outsider)


def test_a_run_without_a_plan_has_no_picture_of_it(owner):
    run = Run.objects.create(goal="Sum up", owner=owner)
    with pytest.raises(Http404):
        ask(plan_svg, run, owner)
    assert b"There are no steps to draw yet." in ask(run_svg, run, owner).content
