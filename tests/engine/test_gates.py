"""Conditions, approvals, questions, waits, milestones and checkpoints."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from plans.core.errors import AlreadyDecided, InputError, StaleDecision
from plans.core.kinds import Approval, RunsIn
from plans.core.skill import Ask, Outputs, WaitUntil
from plans.engine.requests import answer_question, decide_approval
from plans.models import Request, Run, Task
from tests.engine.plant import Gate, Plant, check_history, history, states, task
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


def ask(params: dict[str, Any], context: Any) -> Any:
    if "question" not in context.answers:
        return Ask(text="All right?", schema=SCHEMA)
    return Outputs(values={"answers": context.answers["question"]})


def test_a_false_condition_skips_and_counts_as_done_downstream(plant: Plant):
    run = plant.run(
        {"id": "a", "params": {"value": 3}, "outputs": {"n": "number"}},
        {"id": "b", "depends_on": ["a"], "run_if": "n > 5", "outputs": {"m": "number"}},
        {"id": "c", "depends_on": ["b"]},
        {"id": "d", "depends_on": ["a"], "run_if": "n < 5"},
    )
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "skipped", "c": "succeeded", "d": "succeeded"}
    assert task(run, "b").reason == "condition"
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", False)
    check_history(run)


def test_a_condition_that_cannot_be_evaluated_is_a_failure_of_its_task(plant: Plant):
    run = plant.run({"id": "a", "run_if": "inputs.missing > 1", "on_failure": "retry_then_stop"}, {"id": "b"})
    plant.drain()
    assert states(run) == {"a": "failed", "b": "succeeded"}
    check_history(run)


def test_an_approval_is_asked_before_the_skill_starts_and_used_once(plant: Plant):
    calls: list[int] = []

    def effect(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(context.attempt)
        return Outputs(values={})

    plant.skill("send", effect, approval=Approval.ALWAYS)
    run = plant.run({"id": "a", "skill": "send", "params": {"to": "you"}}, {"id": "b"})
    plant.drain()
    assert (calls, states(run)) == ([], {"a": "waiting", "b": "succeeded"})
    request = Request.objects.get(run=run)
    assert request.content["effect"]["params"] == {"to": "you"}
    with pytest.raises(StaleDecision):
        decide_approval(request=request, approve=True, digest="0" * 64, by=run.owner)
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner)
    with pytest.raises(AlreadyDecided):
        decide_approval(request=request, approve=False, digest=request.digest, by=run.owner)
    plant.drain()
    request.refresh_from_db()
    assert (calls, request.consumed_at is not None) == ([1], True)
    assert states(run) == {"a": "succeeded", "b": "succeeded"}
    check_history(run)


def test_a_changed_effect_voids_the_approval_and_asks_again(plant: Plant):
    plant.skill("send", lambda params, context: Outputs(values={}), approval=Approval.ALWAYS)
    run = plant.run({"id": "a", "skill": "send"})
    plant.drain()
    request = Request.objects.get(run=run)
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner)
    Task.objects.filter(run=run).update(timeout_seconds=7)
    plant.drain()
    request.refresh_from_db()
    assert request.state == "void"
    assert task(run, "a").state == "waiting"
    assert Request.objects.filter(run=run, state="open").count() == 1


def test_a_rejected_approval_skips_the_task(plant: Plant):
    plant.skill("send", lambda params, context: Outputs(values={}), approval=Approval.ALWAYS)
    run = plant.run({"id": "a", "skill": "send"}, {"id": "b", "depends_on": ["a"]})
    plant.drain()
    request = Request.objects.get(run=run)
    decide_approval(request=request, approve=False, digest=request.digest, by=run.owner, comment="not today")
    plant.drain()
    assert states(run) == {"a": "skipped", "b": "succeeded"}
    assert task(run, "a").reason == "person"


@pytest.mark.parametrize(
    ("autonomy", "spec", "asks"),
    [
        ("every_step", {}, True),
        ("risky_steps", {}, False),
        ("risky_steps", {"risk": "high"}, True),
        ("risky_steps", {"confidence": "low"}, True),
        ("risky_steps", {"approval": "always"}, True),
        ("plan_only", {"risk": "high"}, False),
    ],
)
def test_who_asks_under_which_autonomy(plant: Plant, autonomy: str, spec: dict[str, Any], asks: bool):
    run = plant.run({"id": "a", **spec}, autonomy=autonomy)
    plant.drain()
    assert task(run, "a").state == ("waiting" if asks else "succeeded")


def test_a_plan_cannot_talk_a_skill_out_of_its_approval(plant: Plant):
    plant.skill("send", lambda params, context: Outputs(values={}), approval=Approval.ALWAYS)
    run = plant.run({"id": "a", "skill": "send", "approval": "never"}, autonomy="plan_only")
    plant.drain()
    assert task(run, "a").state == "waiting"


def test_a_question_holds_no_slot_and_its_answer_reaches_the_skill(plant: Plant):
    plant.skill("ask", ask, runs_in=RunsIn.ENGINE)
    run = plant.run(
        {"id": "a", "skill": "ask", "outputs": {"said": "object"}},
        {"id": "b"},
        {"id": "c", "depends_on": ["a"], "params": {"value": "{{ said.ok }}"}, "outputs": {"got": "boolean"}},
    )
    plant.drain(slots=1)
    assert states(run) == {"a": "waiting", "b": "succeeded", "c": "pending"}
    request = Request.objects.get(run=run)
    with pytest.raises(InputError) as caught:
        answer_question(request=request, answer={"ok": "maybe"}, by=run.owner)
    assert caught.value.params["field"] == "ok"
    with pytest.raises(InputError):
        answer_question(request=request, answer={}, by=run.owner)
    answer_question(request=request, answer={"ok": True}, by=run.owner)
    with pytest.raises(AlreadyDecided):
        answer_question(request=request, answer={"ok": False}, by=run.owner)
    plant.drain(slots=1)
    assert task(run, "c").outputs == {"got": True}
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["suspended", "succeeded"]
    check_history(run)


def test_a_wait_frees_the_slot_and_goes_on_by_itself(plant: Plant):
    def wait(params: dict[str, Any], context: Any) -> Any:
        if context.resumed:
            return Outputs(values={})
        return WaitUntil(at=datetime.now(UTC) + timedelta(seconds=0.3))

    plant.skill("wait", wait, runs_in=RunsIn.ENGINE)
    run = plant.run({"id": "a", "skill": "wait"}, {"id": "b"})
    plant.drain(slots=1)
    assert states(run) == {"a": "waiting", "b": "succeeded"}

    def ended() -> bool:
        plant.drain(slots=1)
        return task(run, "a").state == "succeeded"

    wait_for(ended)
    assert task(run, "a").tries_used == 0
    check_history(run)


def test_milestones_join_their_steps_and_hold_no_slot(plant: Plant):
    run = plant.run(
        {"id": "a", "milestone": "m1"},
        {"id": "b", "milestone": "m2"},
        {"id": "c", "depends_on": ["m1"]},
        milestones=[{"id": "m1", "name": "Both"}, {"id": "m2", "name": "Inner", "parent": "m1"}],
    )
    plant.drain(slots=1)
    assert set(states(run).values()) == {"succeeded"}
    order = [key for kind, key in history(run) if kind == "task.succeeded"]
    assert order.index("m2") < order.index("m1") < order.index("c")
    check_history(run)


def test_a_checkpoint_is_committed_before_it_returns_and_survives_a_lost_worker(plant: Plant):
    inside = threading.Event()
    seen: list[Any] = []

    def skill(params: dict[str, Any], context: Any) -> Outputs:
        seen.append(context.saved)
        context.checkpoint({"page": 7})
        seen.append(Task.objects.get(key="a").checkpoint)
        connection.close()
        inside.set()
        return Outputs(values={})

    plant.skill("long", skill)
    run = plant.run({"id": "a", "skill": "long"})
    plant.drain()
    assert inside.is_set()
    assert seen == [None, {"page": 7}]
    assert states(run) == {"a": "succeeded"}


def test_twenty_answers_to_two_open_questions_at_once_always_go_on(plant: Plant):
    plant.skill("ask", ask, runs_in=RunsIn.ENGINE)
    for _number in range(10):
        run = plant.run({"id": "a", "skill": "ask"}, {"id": "b", "skill": "ask"}, {"id": "c", "depends_on": ["a", "b"]})
        plant.drain()
        threads = [
            threading.Thread(target=_answer, args=(pk, run.owner))
            for pk in run.request_rows.values_list("pk", flat=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        plant.drain()
        assert states(run) == {"a": "succeeded", "b": "succeeded", "c": "succeeded"}
        check_history(run)


def _answer(pk: int, by: Any) -> None:
    try:
        answer_question(request=Request.objects.get(pk=pk), answer={"ok": True}, by=by)
    finally:
        connection.close()


def test_a_running_step_keeps_others_of_the_run_free(plant: Plant):
    gate = Gate()
    plant.skill("slow", gate)
    run: Run = plant.run({"id": "a", "skill": "slow"}, {"id": "b"})
    thread = threading.Thread(target=_drain, args=(plant,))
    thread.start()
    assert gate.inside.wait(30)
    wait_for(lambda: task(run, "b").state == "succeeded")
    gate.go_on.set()
    thread.join(30)
    assert states(run) == {"a": "succeeded", "b": "succeeded"}


def _drain(plant: Plant) -> None:
    try:
        plant.drain()
    finally:
        connection.close()
