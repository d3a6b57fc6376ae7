"""A plan under review is edited, chosen, sent back: always exactly the one that was seen, and nothing is lost."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from plans.core.compile import compile_plan
from plans.core.editing import change_step, correct_assumption, remove_step
from plans.core.errors import AlreadyDecided, InputError, StaleDecision
from plans.engine.planning_work import ask_for_changes
from plans.engine.plans import approve_plan
from plans.engine.revising import choose_revision, revise
from plans.engine.runs import create_run_from_plan
from plans.models import Request, Revision, Run
from tests.engine.plant import Plant, check_history, states

pytestmark = pytest.mark.django_db(transaction=True)

PLAN = {
    "goal": "pass it on",
    "intent": {"assumptions": ["it is short"]},
    "tasks": [
        {"id": "a", "name": "Take", "skill": "noop", "params": {"value": 1}, "outputs": {"x": "json"}},
        {"id": "b", "name": "Pass", "skill": "noop", "params": {"value": "{{ x }}"}},
    ],
}
NAMED = partial(change_step, key="a", fields={"name": "Take it"})
LONGER = partial(change_step, key="a", fields={"params": {"value": 2}})


@pytest.fixture
def run(plant: Plant, owner: User) -> Run:
    return create_run_from_plan(owner=owner, compiled=compile_plan(PLAN, plant.infos), inputs={"n": 1})


def edit(plant: Plant, run: Run, change: Any = LONGER, seen: int = 1, **more: Any) -> Revision:
    return revise(run=run, seen=seen, change=change, by=run.owner, catalogue=plant.infos, **more)


def approval(run: Run) -> Request:
    return Request.objects.filter(run=run, kind="plan_approval").last()


def test_an_edit_is_the_next_revision_and_its_author_is_kept(plant: Plant, run: Run, owner: User):
    first = run.revision
    revision = edit(plant, run, comment="two is better")
    run.refresh_from_db()
    assert (run.revision, run.state) == (revision, "review")
    assert (revision.number, revision.source, revision.author, revision.comment) == (2, "edit", owner, "two is better")
    assert revision.plan["tasks"][0]["params"] == {"value": 2}
    assert revision.compiled["levels"] == [["a"], ["b"]]
    first.refresh_from_db()
    assert first.plan["tasks"][0]["params"] == {"value": 1}
    assert approval(run).digest == revision.graph_hash != first.graph_hash
    assert Request.objects.filter(run=run, state="open").count() == 1
    check_history(run)


def test_an_edit_that_leaves_faults_is_kept_with_its_findings_and_cannot_be_approved(plant: Plant, run: Run):
    revision = edit(plant, run, partial(change_step, key="a", fields={"outputs": {}}))
    assert "unresolved_reference" in [finding["code"] for finding in revision.findings]
    assert not revision.is_acceptable
    run.refresh_from_db()
    with pytest.raises(InputError):
        approve_plan(run=run, graph_hash=revision.graph_hash, by=run.owner, catalogue=plant.infos)


def test_an_edit_of_an_older_revision_is_refused_and_names_the_newer_one(plant: Plant, run: Run):
    edit(plant, run, NAMED)
    with pytest.raises(StaleDecision) as caught:
        edit(plant, run)
    assert caught.value.params["revision"] == 2
    assert run.revisions.count() == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (partial(change_step, key="zz", fields={}), "step_unknown"),
        (partial(change_step, key="a", fields={"params": {"value": 1}}), "nothing_changed"),
        (partial(change_step, key="a", fields={"retries": "many"}), "params_invalid"),
        (partial(correct_assumption, place=5, text="x"), "assumption_unknown"),
        (lambda plan: {"tasks": 3}, "params_invalid"),
    ],
)
def test_an_edit_that_is_none_is_refused_in_words_and_changes_nothing(plant: Plant, run: Run, change: Any, code: str):
    with pytest.raises(InputError) as caught:
        edit(plant, run, change)
    run.refresh_from_db()
    assert (caught.value.code, run.revisions.count(), run.revision.number) == (code, 1, 1)


def test_nothing_is_edited_once_the_plan_is_decided(plant: Plant, run: Run, owner: User):
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    for act in (lambda: edit(plant, run), lambda: choose_revision(run=run, seen=1, number=1, by=owner)):
        with pytest.raises(AlreadyDecided):
            act()
    assert run.revisions.count() == 1


def test_the_edited_plan_is_what_runs(plant: Plant, run: Run):
    revision = edit(plant, run, partial(remove_step, key="b"))
    approve_plan(run=run, graph_hash=revision.graph_hash, by=run.owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, states(run)) == ("succeeded", {"a": "succeeded"})


def test_another_revision_can_be_chosen_again(plant: Plant, run: Run, owner: User):
    edit(plant, run)
    chosen = choose_revision(run=run, seen=2, number=1, by=owner)
    run.refresh_from_db()
    assert (run.revision, approval(run).digest) == (chosen, chosen.graph_hash)
    for number, code in ((1, "nothing_changed"), (9, "revision_unknown")):
        with pytest.raises(InputError) as caught:
            choose_revision(run=run, seen=1, number=number, by=owner)
        assert caught.value.code == code
    with pytest.raises(StaleDecision):
        choose_revision(run=run, seen=2, number=2, by=owner)


def test_changes_are_asked_for_of_the_revision_that_was_seen(plant: Plant, run: Run, owner: User):
    edit(plant, run)
    with pytest.raises(StaleDecision):
        ask_for_changes(run=run, seen=1, comment="twice", by=owner)
    run.refresh_from_db()
    assert (run.state, run.tasks.count()) == ("review", 0)
