"""The failure ladder: retries, decisions, skips, late workers."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from plans.core.errors import AlreadyDecided, BadInputError, InputError, RetryableSkillError
from plans.core.skill import Outputs
from plans.engine import hot, ladder, rungs, turn
from plans.engine.failures import decide_failure
from plans.engine.requests import NotAllowed
from plans.engine.settle import Changes
from plans.models import Event, Request, Run
from tests.engine.plant import Plant, check_history, history, states, task
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick_backoff(settings):
    settings.PLANS_RETRY_BASE_SECONDS = 0.01


def failing(times: int, error: Exception):
    """Return a skill that fails `times` times and then succeeds, and the list of its calls."""
    calls: list[int] = []

    def skill(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(context.attempt)
        if len(calls) <= times:
            raise error
        return Outputs(values={"value": len(calls)})

    return skill, calls


def drained_until(plant: Plant, run: Run, wanted: str, key: str = "a") -> None:
    def there() -> bool:
        plant.drain()
        return task(run, key).state == wanted

    wait_for(there)


def test_a_transient_failure_is_retried_and_the_later_output_is_used(plant: Plant):
    skill, calls = failing(2, RetryableSkillError("busy"))
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky", "retries": 2, "outputs": {"n": "number"}})
    drained_until(plant, run, "succeeded")
    assert calls == [1, 2, 3]
    assert task(run, "a").outputs == {"n": 3}
    assert [kind for kind, _ in history(run) if kind.startswith("task.")] == [
        "task.running",
        "task.retrying",
        "task.running",
        "task.retrying",
        "task.running",
        "task.succeeded",
    ]
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["failed", "failed", "succeeded"]
    check_history(run)


def test_success_is_never_repeated(plant: Plant):
    skill, calls = failing(0, RetryableSkillError())
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky", "retries": 2})
    plant.drain()
    plant.drain()
    assert calls == [1]
    assert states(run) == {"a": "succeeded"}


def test_bad_input_is_not_retried_and_asks_a_person_while_siblings_go_on(plant: Plant):
    skill, calls = failing(9, BadInputError("column_missing", name="x"))
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky"}, {"id": "b"}, {"id": "c", "depends_on": ["a", "b"]})
    plant.drain()
    assert calls == [1]
    assert states(run) == {"a": "waiting", "b": "succeeded", "c": "pending"}
    request = Request.objects.get(run=run)
    assert (request.kind, request.content["choices"]) == ("failure", rungs.STEP_CHOICES)
    assert request.content["error"] == {"code": "column_missing", "params": {"name": "x"}, "class": "bad_input"}


def test_retry_by_a_person_starts_again_and_is_decided_once(plant: Plant):
    skill, _calls = failing(1, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky"}, {"id": "c", "depends_on": ["a"]})
    plant.drain()
    request = Request.objects.get(run=run)
    decide_failure(of=request, choice="retry", by=run.owner)
    with pytest.raises(AlreadyDecided) as caught:
        decide_failure(of=request, choice="skip", by=run.owner)
    assert caught.value.params == {"by": "owner", "decision": "retry"}
    plant.drain()
    assert states(run) == {"a": "succeeded", "c": "succeeded"}
    check_history(run)


def test_skip_by_a_person_lets_downstream_run_with_nulls_and_the_run_has_gaps(plant: Plant):
    skill, _calls = failing(9, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run(
        {"id": "a", "skill": "flaky", "outputs": {"n": "number"}},
        {"id": "c", "depends_on": ["a"], "params": {"value": "{{ n == null }}"}, "outputs": {"was_null": "boolean"}},
    )
    plant.drain()
    decide_failure(of=Request.objects.get(run=run), choice="skip", by=run.owner)
    plant.drain()
    assert states(run) == {"a": "skipped", "c": "succeeded"}
    assert task(run, "a").reason == "person"
    assert task(run, "c").outputs == {"was_null": True}
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", True)


def test_stop_run_fails_the_task_and_cancels_the_rest(plant: Plant):
    skill, _calls = failing(9, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky"}, {"id": "c", "depends_on": ["a"]})
    plant.drain()
    decide_failure(of=Request.objects.get(run=run), choice="stop", by=run.owner)
    assert states(run) == {"a": "failed", "c": "cancelled"}
    run.refresh_from_db()
    assert run.state == "cancelled"
    check_history(run)


def test_a_stranger_may_not_decide_and_an_unknown_choice_is_refused(plant: Plant):
    skill, _calls = failing(9, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky"})
    plant.drain()
    request = Request.objects.get(run=run)
    stranger = User.objects.create_user("stranger")
    with pytest.raises(NotAllowed):
        decide_failure(of=request, choice="retry", by=stranger)
    with pytest.raises(InputError):
        decide_failure(of=request, choice="explode", by=run.owner)
    request.refresh_from_db()
    assert request.state == "open"


@pytest.mark.parametrize(
    ("on_failure", "ends", "run_ends"), [("retry_then_stop", "failed", "failed"), ("skip", "skipped", "succeeded")]
)
def test_on_failure_policies(plant: Plant, on_failure: str, ends: str, run_ends: str):
    skill, _calls = failing(9, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run(
        {"id": "a", "skill": "flaky", "on_failure": on_failure},
        {"id": "b"},
        {"id": "c", "depends_on": ["a"]},
        {"id": "d", "depends_on": ["c", "b"]},
        {"id": "e", "depends_on": ["a", "b"], "always_run": True},
    )
    plant.drain()
    downstream = "succeeded" if ends == "skipped" else "skipped"
    assert states(run) == {"a": ends, "b": "succeeded", "c": downstream, "d": downstream, "e": "succeeded"}
    run.refresh_from_db()
    assert run.state == run_ends
    check_history(run)


def test_a_placeholder_that_cannot_be_resolved_fails_before_the_skill_runs(plant: Plant):
    skill, calls = failing(0, BadInputError())
    plant.skill("flaky", skill)
    run = plant.run({"id": "a", "skill": "flaky", "params": {"value": "{{ inputs.nowhere }}"}})
    plant.drain()
    assert calls == []
    assert "inputs.nowhere" in str(task(run, "a").error["params"])


def test_an_output_of_another_type_fails_the_attempt_and_says_what_came(plant: Plant):
    plant.skill("odd", lambda params, context: Outputs(values={"n": "twelve"}))
    run = plant.run({"id": "a", "skill": "odd", "outputs": {"n": "number"}, "on_failure": "retry_then_stop"})
    plant.drain()
    assert task(run, "a").error["class"] == "check_failed"


def test_nan_is_refused_as_an_output(plant: Plant):
    plant.skill("odd", lambda params, context: Outputs(values={"n": float("nan")}))
    run = plant.run({"id": "a", "skill": "odd", "on_failure": "retry_then_stop"})
    plant.drain()
    assert states(run) == {"a": "failed"}


def test_a_bug_in_a_skill_fails_its_task_only(plant: Plant):
    plant.skill("bug", lambda params, context: 1 / 0)
    run = plant.run({"id": "a", "skill": "bug", "on_failure": "retry_then_stop"}, {"id": "b"})
    plant.drain()
    assert states(run) == {"a": "failed", "b": "succeeded"}
    assert task(run, "a").error == {"code": "skill_bug", "params": {"skill": "bug"}, "class": "permanent"}


def test_late_worker_cannot_finish_a_task_it_lost(plant: Plant):
    run = plant.run({"id": "a"}, {"id": "b"})
    first = turn.take([], 2, "worker-1").claimed
    lost = next(one for one in first if one.key == "a")
    with transaction.atomic():
        changes = Changes(run.pk)
        assert ladder.lose(changes, task(run, "a"), "worker-1")
        changes.flush()
    again = turn.take([], 1, "worker-2").claimed[0]
    assert (again.key, again.attempt) == ("a", 2)
    late = [hot.Done(claimed=one, outputs='{"value": "late"}') for one in first]
    turn.take(late, 0, "worker-1")
    assert states(run) == {"a": "running", "b": "succeeded"}
    assert task(run, "a").outputs is None
    turn.take([hot.Done(claimed=again, outputs='{"value": "right"}')], 0, "worker-2")
    assert task(run, "a").outputs == {"value": "right"}
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["lost", "succeeded"]
    assert lost.attempt == 1
    check_history(run)


def test_the_third_loss_fails_the_task_whatever_its_policy(plant: Plant):
    run = plant.run({"id": "a", "on_failure": "skip"}, {"id": "b"})
    for _number in range(3):
        turn.take([], 2, "worker")
        with transaction.atomic():
            changes = Changes(run.pk)
            ladder.lose(changes, task(run, "a"), "worker")
            changes.flush()
    assert task(run, "a").state == "failed"
    assert task(run, "a").error["code"] == "crashes_worker"


def test_losing_work_that_must_not_repeat_asks_a_person(plant: Plant):
    plant.skill("pay", lambda params, context: Outputs(values={}), idempotent=False)
    run = plant.run({"id": "a", "skill": "pay"})
    turn.take([], 1, "worker")
    with transaction.atomic():
        changes = Changes(run.pk)
        ladder.lose(changes, task(run, "a"), "worker")
        changes.flush()
    assert task(run, "a").state == "waiting"
    assert Request.objects.get(run=run).content["error"]["code"] == "worker_lost_unsure"


def test_work_that_must_not_repeat_is_not_retried_after_a_transient_error(plant: Plant):
    skill, calls = failing(9, RetryableSkillError())
    plant.skill("pay", skill, idempotent=False)
    run = plant.run({"id": "a", "skill": "pay", "retries": 2})
    plant.drain()
    assert calls == [1]
    assert task(run, "a").state == "waiting"


def test_a_step_over_its_time_is_ended_and_its_late_result_dropped(plant: Plant, monkeypatch):
    monkeypatch.setattr("plans.engine.overdue.GRACE_SECONDS", 0.1)
    release = threading.Event()

    def deaf(params: dict[str, Any], context: Any) -> Outputs:
        release.wait(30)
        return Outputs(values={"value": "late"})

    plant.skill("deaf", deaf)
    run = plant.run({"id": "a", "skill": "deaf", "timeout_seconds": 1, "retries": 0}, {"id": "b"})
    plant.drain()
    release.set()
    assert states(run) == {"a": "waiting", "b": "succeeded"}
    assert task(run, "a").error == {"code": "timeout", "params": {"seconds": 1}, "class": "timeout"}
    assert task(run, "a").outputs is None
    assert Event.objects.filter(run=run, kind="task.succeeded", task_key="a").count() == 0
