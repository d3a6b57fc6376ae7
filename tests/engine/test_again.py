"""Re-run, re-run from a step, fork: new runs that name where they come from."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from plans import tasks
from plans.core.errors import InputError
from plans.engine import again
from plans.models import Run
from plans.tasks import catalogue
from tests.engine.plant import check_history, states
from tests.web.factories import approved_run, simple_plan

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def done(owner: User) -> Run:
    plan = simple_plan()
    plan["tasks"].append(
        {"id": "t3", "name": "Beside", "skill": "noop", "params": {"value": 3}, "outputs": {"n": "json"}}
    )
    run = approved_run(owner, plan)
    drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
    return run


def drain() -> None:
    from plans.engine.drain import drain as work

    work(tasks.runner())


def test_a_rerun_is_a_new_run_that_starts_at_once(done: Run, owner: User) -> None:
    run = again.rerun(run=done, by=owner, catalogue=catalogue())
    assert (run.origin, run.state, run.goal) == (done, "running", done.goal)

    drain()

    run.refresh_from_db()
    assert (run.state, states(run)) == ("succeeded", states(done))
    check_history(run)


def test_from_a_step_on_only_what_follows_runs_again(done: Run, owner: User) -> None:
    run = again.rerun(run=done, by=owner, catalogue=catalogue(), from_key="t2")
    assert run.left == 1

    drain()

    run.refresh_from_db()
    assert run.state == "succeeded"
    assert {task.key: (task.state, task.attempt) for task in run.tasks.all()} == {
        "t1": ("succeeded", 0), "t2": ("succeeded", 1), "t3": ("succeeded", 0),
    }  # fmt: skip
    assert run.tasks.get(key="t2").outputs == {"said": "hello"}
    assert set(run.events.filter(kind="task.reused").values_list("task_key", flat=True)) == {"t1", "t3"}
    check_history(run)


def test_the_same_form_sent_twice_makes_one_run(done: Run, owner: User) -> None:
    first = again.rerun(run=done, by=owner, catalogue=catalogue(), client_token="once")
    assert again.rerun(run=done, by=owner, catalogue=catalogue(), client_token="once") == first


def test_a_plan_whose_skill_is_gone_starts_nothing(done: Run, owner: User) -> None:
    with pytest.raises(InputError, match="plan_has_errors"):
        again.rerun(run=done, by=owner, catalogue={})
    with pytest.raises(InputError, match="task_unknown"):
        again.rerun(run=done, by=owner, catalogue=catalogue(), from_key="nobody")
    assert Run.objects.count() == 1


def test_a_fork_waits_for_review_and_leaves_its_origin_alone(done: Run, owner: User) -> None:
    run = again.fork(run=done, number=1, by=owner, catalogue=catalogue())

    assert (run.origin, run.state, run.tasks.count()) == (done, "review", 0)
    assert run.revision is not None
    assert run.revision.source == "fork"
    with pytest.raises(InputError, match="no_plan"):
        again.fork(run=done, number=9, by=owner, catalogue=catalogue())
