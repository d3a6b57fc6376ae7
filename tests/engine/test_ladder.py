"""What takes over when a step has failed for good, and what a stop leaves running."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.errors import BadInputError, NeedsPerson, RetryableSkillError
from plans.core.skill import Outputs
from plans.engine.failures import decide_failure
from plans.models import Correction, Event, Request
from tests.engine.plant import Plant, check_history, history, states, task
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick_backoff(settings):
    settings.PLANS_RETRY_BASE_SECONDS = 0.01


class Calls(list):
    """Skills that write down their calls: `fails` always, `works` never."""

    def fails(self, error: Exception):
        def skill(params: dict[str, Any], context: Any) -> Outputs:
            self.append(("fails", context.attempt))
            raise error

        return skill

    def works(self, params: dict[str, Any], context: Any) -> Outputs:
        self.append(("works", context.attempt))
        return Outputs(values={"n": params.get("value", 1)})


@pytest.fixture
def calls() -> Calls:
    return Calls()


def test_the_fallback_skill_runs_only_after_the_last_try_and_its_output_is_used(plant: Plant, calls: Calls):
    """C67."""
    plant.skill("first", calls.fails(RetryableSkillError("busy")))
    plant.skill("second", calls.works)
    run = plant.run(
        {"id": "a", "skill": "first", "retries": 1, "on_failure": "fallback", "fallback_skill": "second",
         "params": {"value": 7}, "outputs": {"n": "number"}},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ n }}"}},
    )  # fmt: skip

    def ended() -> bool:
        plant.drain()
        return task(run, "b").state == "succeeded"

    wait_for(ended)
    assert calls == [("fails", 1), ("fails", 2), ("works", 3)]
    assert task(run, "a").outputs == {"n": 7}
    assert task(run, "b").outputs == {"value": 7}
    assert list(Correction.objects.values_list("task_key", "kind")) == [("a", "fallback")]
    run.refresh_from_db()
    assert run.state == "succeeded"
    check_history(run)


def test_a_fallback_that_fails_too_asks_and_retry_begins_with_the_first_skill(plant: Plant, calls: Calls):
    plant.skill("first", calls.fails(BadInputError()))
    plant.skill("second", calls.fails(BadInputError()))
    run = plant.run({"id": "a", "skill": "first", "on_failure": "fallback", "fallback_skill": "second"})
    plant.drain()
    assert (task(run, "a").state, task(run, "a").skill) == ("waiting", "second")
    decide_failure(of=Request.objects.get(run=run), choice="retry", by=run.owner)
    assert task(run, "a").skill == "first"
    plant.drain()
    assert len(calls) == 4
    assert task(run, "a").skill == "second"


def test_the_fallback_value_stands_in_for_the_outputs(plant: Plant, calls: Calls):
    plant.skill("first", calls.fails(BadInputError()))
    run = plant.run(
        {"id": "a", "skill": "first", "on_failure": "fallback", "outputs": {"n": "number", "m": "text"},
         "fallback_value": {"n": 0}},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ n + 1 }} {{ m == null }}"}},
    )  # fmt: skip
    plant.drain()
    assert (task(run, "a").state, task(run, "a").outputs) == ("succeeded", {"n": 0, "m": None})
    assert task(run, "b").outputs == {"value": "1 true"}
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["failed"]
    run.refresh_from_db()
    assert run.state == "succeeded"
    check_history(run)


def test_a_value_is_used_when_the_fallback_skill_has_failed_as_well(plant: Plant, calls: Calls):
    plant.skill("first", calls.fails(BadInputError()))
    plant.skill("second", calls.fails(BadInputError("column_missing", name="x")))
    run = plant.run(
        {"id": "a", "skill": "first", "on_failure": "fallback", "fallback_skill": "second", "fallback_value": {"n": 3},
         "outputs": {"n": "number"}},
    )  # fmt: skip
    plant.drain()
    assert len(calls) == 2
    assert (task(run, "a").state, task(run, "a").outputs) == ("succeeded", {"n": 3})


def test_the_skill_an_operator_named_is_tried_once_whatever_the_plan_says(plant: Plant, calls: Calls):
    plant.skill("second", calls.fails(BadInputError()))
    plant.skill("first", calls.fails(NeedsPerson("secret_missing", name="key")), fallback="second")
    run = plant.run({"id": "a", "skill": "first", "on_failure": "retry_then_stop"})
    plant.drain()
    assert len(calls) == 2
    assert (task(run, "a").state, task(run, "a").error["code"]) == ("failed", "bad_input")
    assert list(Correction.objects.values_list("kind", flat=True)) == ["other_skill"]


def test_a_fallback_that_must_be_approved_asks_first(plant: Plant, calls: Calls):
    plant.skill("first", calls.fails(BadInputError()))
    plant.skill("second", calls.works, risk="high")
    run = plant.run({"id": "a", "skill": "first", "on_failure": "fallback", "fallback_skill": "second"})
    plant.drain()
    assert calls == [("fails", 1)]
    request = Request.objects.get(run=run)
    assert (request.kind, request.content["effect"]["skill"]) == ("task_approval", "second")


def test_corrections_are_counted_per_problem_and_then_a_person_is_asked(plant: Plant, calls: Calls, settings):
    settings.PLANS_CORRECTIONS_PER_RUN = 0
    plant.skill("first", calls.fails(BadInputError()))
    plant.skill("second", calls.works)
    run = plant.run({"id": "a", "skill": "first", "on_failure": "fallback", "fallback_skill": "second"})
    plant.drain()
    assert calls == [("fails", 1)]
    assert task(run, "a").state == "waiting"


def test_what_must_not_repeat_does_not_fall_back_when_it_may_have_happened(plant: Plant, calls: Calls):
    """C67."""
    plant.skill("pay", calls.fails(RetryableSkillError("reset")), idempotent=False)
    plant.skill("second", calls.works)
    run = plant.run({"id": "a", "skill": "pay", "retries": 5, "on_failure": "fallback", "fallback_skill": "second"})
    plant.drain()
    assert calls == [("fails", 1)]
    assert task(run, "a").state == "waiting"


def test_abort_cancels_the_siblings_and_says_because_of_whom_while_continue_lets_them_end(plant: Plant, calls: Calls):
    """C73."""
    plant.skill("first", calls.fails(BadInputError()))
    steps = [{"id": "c", "depends_on": ["w"]}, {"id": "w"}, {"id": "d", "depends_on": ["b"]}]
    run = plant.run(
        {"id": "b", "skill": "first", "on_failure": "abort", "priority": 9},
        *steps,
        {"id": "e", "depends_on": ["c", "b"], "always_run": True},
    )
    plant.drain(slots=1)
    assert states(run) == {"b": "failed", "c": "cancelled", "d": "cancelled", "e": "succeeded", "w": "cancelled"}
    assert task(run, "c").reason == "failure"
    assert Event.objects.get(run=run, kind="task.cancelled", task_key="c").data == {"because": "b"}
    run.refresh_from_db()
    assert run.state == "failed"
    check_history(run)

    run = plant.run({"id": "b", "skill": "first", "on_failure": "retry_then_stop", "priority": 9}, *steps)
    plant.drain(slots=1)
    assert states(run) == {"b": "failed", "c": "succeeded", "d": "skipped", "w": "succeeded"}
    run.refresh_from_db()
    assert run.state == "failed"


def test_stop_run_leaves_what_always_runs_to_run(plant: Plant, calls: Calls):
    plant.skill("first", calls.fails(BadInputError()))
    run = plant.run(
        {"id": "a", "skill": "first"},
        {"id": "b", "depends_on": ["a"]},
        {"id": "tidy", "depends_on": ["b"], "always_run": True, "params": {"value": "{{ b.result == null }}"}},
    )
    plant.drain()
    decide_failure(of=Request.objects.get(run=run), choice="stop", by=run.owner)
    assert states(run) == {"a": "failed", "b": "cancelled", "tidy": "ready"}
    plant.drain()
    assert states(run) == {"a": "failed", "b": "cancelled", "tidy": "succeeded"}
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert [kind for kind, _ in history(run)][-1] == "run.cancelled"
    check_history(run)


def test_cancelling_a_stopped_run_ends_what_always_runs_too(plant: Plant, calls: Calls):
    from plans.engine.control import cancel_run

    plant.skill("first", calls.fails(BadInputError()))
    run = plant.run({"id": "a", "skill": "first"}, {"id": "tidy", "depends_on": ["a"], "always_run": True})
    plant.drain()
    decide_failure(of=Request.objects.get(run=run), choice="stop", by=run.owner)
    cancel_run(run=run, by=run.owner)
    assert states(run) == {"a": "failed", "tidy": "cancelled"}
    run.refresh_from_db()
    assert run.state == "cancelled"
    check_history(run)
