"""Decisions of people: who may take one, that each is taken once, and that the run always goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.utils import timezone

from plans.core.errors import AlreadyDecided, StaleDecision
from plans.core.kinds import Approval, RunsIn
from plans.core.skill import Ask, Outputs
from plans.engine import deadlines
from plans.engine.pausing import pause_run, resume_run
from plans.engine.requests import NotAllowed, answer_question, decide_approval, may_decide
from plans.models import Event, Request, Run
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 50
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def sent(plant: Plant) -> list[str]:
    """Register a skill that has an effect and always asks first; return its effects."""
    effects: list[str] = []

    def send(params: dict[str, Any], context: Any) -> Outputs:
        effects.append(context.task_key)
        return Outputs(values={"n": 1})

    plant.skill("send", send, approval=Approval.ALWAYS, idempotent=False)
    return effects


def approvals(run: Run) -> list[Request]:
    return list(Request.objects.filter(run=run, kind="task_approval", state="open").order_by("task__key"))


def approve(request: Request, by: User) -> None:
    decide_approval(request=request, approve=True, digest=request.digest, by=by)


def at_once(*pairs: list[Callable[[], Any]]) -> list[Any]:
    """Call the n-th of each list at the same moment, one after the other; return what was raised."""
    barrier = threading.Barrier(len(pairs))
    raised: list[Any] = []

    def body(calls: list[Callable[[], Any]]) -> None:
        try:
            for call in calls:
                barrier.wait(60)
                try:
                    call()
                except Exception as error:
                    raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=body, args=(calls,)) for calls in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return raised


def test_two_people_who_approve_side_by_side_always_let_the_run_go_on(plant: Plant, sent: list[str], owner: User):
    """C21."""
    plan = [{"id": "a", "skill": "send"}, {"id": "b", "skill": "send"}, {"id": "c", "depends_on": ["a", "b"]}]
    runs = [plant.run(*plan) for _ in range(ROUNDS)]
    while Request.objects.filter(state="open").count() < 2 * ROUNDS:
        plant.drain()
    boss = User.objects.create_superuser("boss")
    asked = [approvals(run) for run in runs]
    by = runs[0].owner
    raised = at_once(
        [lambda pair=pair: approve(pair[0], by) for pair in asked],
        [lambda pair=pair: approve(pair[1], boss) for pair in asked],
    )
    assert raised == []
    while Run.objects.filter(state="running").exists():
        plant.drain()
    assert sorted(sent) == ["a"] * ROUNDS + ["b"] * ROUNDS
    for run in runs:
        assert set(states(run).values()) == {"succeeded"}
        check_history(run)


def test_two_people_who_decide_the_same_leave_one_decision_and_the_other_hears_whose(
    plant: Plant, sent: list[str], owner: User
):
    """C21, C22."""
    runs = [plant.run({"id": "a", "skill": "send"}, {"id": "b", "depends_on": ["a"]}) for _ in range(ROUNDS)]
    while Request.objects.filter(state="open").count() < ROUNDS:
        plant.drain()
    boss = User.objects.create_superuser("boss")
    asked, by = [approvals(run)[0] for run in runs], runs[0].owner
    raised = at_once(
        [lambda one=one: approve(one, by) for one in asked],
        [lambda one=one: decide_approval(request=one, approve=False, digest=one.digest, by=boss) for one in asked],
    )
    assert [type(error) for error in raised] == [AlreadyDecided] * ROUNDS
    assert {error.params["by"] for error in raised} <= {by.username, "boss"}
    while Run.objects.filter(state="running").exists():
        plant.drain()
    for run in runs:
        decided = Request.objects.get(run=run)
        assert task(run, "a").state == ("succeeded" if decided.decision == "approve" else "skipped")
        assert task(run, "b").state == "succeeded"
    assert len(sent) == Request.objects.filter(decision="approve").count()


def test_an_effect_before_a_later_question_happens_once(plant: Plant, sent: list[str], owner: User):
    """C17: approval is asked before the skill starts, also when a worker stops in between."""
    run = plant.run({"id": "a", "skill": "send"})
    plant.drain()
    plant.drain()
    assert sent == []
    approve(approvals(run)[0], run.owner)
    plant.drain()
    plant.drain()
    assert sent == ["a"]


def test_a_step_with_two_questions_starts_again_once_and_asks_neither_again(plant: Plant, owner: User):
    """C18, C20."""
    calls: list[dict[str, Any]] = []

    def asks(params: dict[str, Any], context: Any) -> Any:
        calls.append(dict(context.answers))
        for key in ("first", "second"):
            if key not in context.answers:
                return Ask(text=key, key=key, schema=NUMBER)
        return Outputs(values={"n": context.answers["first"]["n"] * 10 + context.answers["second"]["n"]})

    plant.skill("asks", asks, runs_in=RunsIn.ENGINE)
    run = plant.run({"id": "a", "skill": "asks", "outputs": {"n": "number"}})
    for number, key in enumerate(("first", "second"), 1):
        plant.drain()
        request = Request.objects.get(run=run, state="open")
        assert (request.key, len(calls)) == (key, number)
        answer_question(request=request, answer={"n": number}, by=run.owner)
    plant.drain()
    assert (task(run, "a").outputs, len(calls)) == ({"n": 12}, 3)
    assert Request.objects.filter(run=run).count() == 2


def test_the_button_decides_whatever_the_comment_says(plant: Plant, sent: list[str], owner: User):
    """C28."""
    run = plant.run({"id": "a", "skill": "send"})
    plant.drain()
    request = approvals(run)[0]
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner, comment="reject this next time")
    plant.drain()
    request.refresh_from_db()
    assert (task(run, "a").state, request.decision, request.comment) == (
        "succeeded",
        "approve",
        "reject this next time",
    )


def test_an_open_question_holds_no_slot(plant: Plant, owner: User):
    """C29."""
    plant.skill("asks", lambda params, context: Ask(text="?", schema=NUMBER), runs_in=RunsIn.THREAD)
    run = plant.run({"id": "a", "skill": "asks", "priority": 9}, {"id": "b"}, {"id": "c", "depends_on": ["b"]})
    plant.drain(slots=1)
    assert states(run) == {"a": "waiting", "b": "succeeded", "c": "succeeded"}


def test_who_may_decide_is_looked_at_when_they_decide(plant: Plant, sent: list[str], owner: User):
    """C33."""
    assigned, other = User.objects.create_user("assigned"), User.objects.create_user("other")
    operator, gone = User.objects.create_user("operator"), User.objects.create_user("gone", is_active=False)
    operator.user_permissions.add(Permission.objects.get(codename="operate"))
    run = plant.run({"id": "a", "skill": "send", "assignees": ["assigned", "gone", "nobody"]})
    plant.drain()
    request = approvals(run)[0]
    assert list(request.assignees.values_list("username", flat=True)) == ["assigned"]
    root = User.objects.create_superuser("root")
    allowed = {user.username: may_decide(request, user) for user in (run.owner, assigned, other, operator, gone, root)}
    assert allowed == {
        run.owner.username: True, "assigned": True, "other": False, "operator": True, "gone": False, "root": True,
    }  # fmt: skip
    request.assignees.remove(assigned)
    for user in (assigned, other):
        with pytest.raises(NotAllowed):
            approve(request, user)
    assert Run.objects.for_user(other).filter(pk=run.pk).count() == 0
    approve(request, operator)
    request.refresh_from_db()
    assert request.decided_by == operator


def test_a_failed_step_asks_those_the_plan_names(plant: Plant, owner: User):
    plant.skill("fails", lambda params, context: 1 / 0)
    User.objects.create_user("assigned")
    run = plant.run({"id": "a", "skill": "fails", "assignees": ["assigned"]})
    plant.drain()
    assert list(Request.objects.get(run=run).assignees.values_list("username", flat=True)) == ["assigned"]


def test_pausing_never_fails_a_run_and_starts_nothing(plant: Plant, owner: User):
    """C35, C36."""
    run = plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})
    pause_run(run=run, by=run.owner)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, states(run)) == ("paused", {"a": "ready", "b": "pending"})
    resume_run(run=run, by=run.owner)
    plant.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
    assert not Event.objects.filter(run=run, kind="run.failed").exists()


def test_an_answer_to_another_question_is_refused(plant: Plant, owner: User):
    plant.skill("asks", lambda params, context: Ask(text="?", schema=NUMBER), runs_in=RunsIn.ENGINE)
    run = plant.run({"id": "a", "skill": "asks"})
    plant.drain()
    request = Request.objects.get(run=run)
    with pytest.raises(StaleDecision):
        answer_question(request=request, answer={"n": 1}, by=run.owner, digest="0" * 64)
    answer_question(request=request, answer={"n": 1}, by=run.owner, digest=request.digest)


def test_at_its_deadline_a_request_takes_its_default_and_nobody_decides_it_after(
    plant: Plant, sent: list[str], owner: User
):
    run = plant.run({"id": "a", "skill": "send"}, {"id": "b", "depends_on": ["a"]})
    plant.drain()
    Request.objects.filter(run=run).update(deadline_at=timezone.now())
    assert deadlines.expire_requests(10) == 1
    with pytest.raises(AlreadyDecided):
        approve(Request.objects.get(run=run), run.owner)
    plant.drain()
    assert (states(run), sent) == ({"a": "skipped", "b": "succeeded"}, [])
