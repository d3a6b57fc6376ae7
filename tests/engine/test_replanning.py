"""Planning the rest of a run anew: what is done stays, what has not started changes, and it ends."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from plans.core.compile import compile_plan
from plans.core.errors import BadInputError, InputError, SkillError, StaleDecision
from plans.core.kinds import ValueKind
from plans.core.skill import Expand, Outputs
from plans.engine.control import cancel_run
from plans.engine.failures import replan
from plans.engine.plans import approve_plan
from plans.engine.replanning import ask_again, decide_tail
from plans.engine.runs import create_run_from_plan
from plans.models import Correction, Request, Run, Task
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


class Planner:
    """Gives these answers in turn, the last one for ever; keeps what it was told."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.told = list(answers), []

    def __call__(self, params: dict[str, Any], context: Any) -> Any:
        self.told.append(params)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def tail(*tasks: dict[str, Any], **plan: Any) -> Expand:
    return Expand(
        plan={"tasks": [{"skill": "noop", **each} for each in tasks], **plan}, notes={"is_good": True}, source="replan"
    )


@pytest.fixture
def world(plant: Plant) -> Plant:
    def fails(params: dict[str, Any], context: Any) -> Outputs:
        raise BadInputError("column_missing", name="x")

    plant.skill("fails", fails, outputs={"n": ValueKind.JSON})
    plant.connect = lambda ledger: object()  # type: ignore[assignment]
    return plant


def started(plant: Plant, owner: User, *tasks: dict[str, Any], **plan: Any) -> Run:
    spec = {"goal": "go", "tasks": [{"skill": "noop", **each} for each in tasks], **plan}
    run = create_run_from_plan(owner=owner, compiled=compile_plan(spec, plant.infos), inputs={})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    return run


FIRST = {"id": "a", "outputs": {"n": "json"}, "params": {"value": 3}}
BROKEN = {"id": "b", "skill": "fails", "depends_on": ["a"], "on_failure": "replan", "outputs": {"m": "json"}}
AFTER = {"id": "c", "depends_on": ["b"], "params": {"value": "{{ m }}"}}
MENDED = [
    {"id": "b2", "depends_on": ["a"], "params": {"value": "{{ n + 1 }}"}, "outputs": {"m": "json"}},
    {"id": "c", "depends_on": ["b2"], "params": {"value": "{{ m }}"}},
    {"id": "d", "depends_on": ["c"]},
]


def asked(run: Run) -> Request:
    return Request.objects.get(run=run, state="open")


def test_a_failure_plans_the_rest_anew_and_keeps_what_is_done(world: Plant, owner: User):
    planner = Planner(tail(*MENDED))
    world.skills["planning"] = planner
    run = started(world, owner, FIRST, BROKEN, AFTER, {"id": "gone", "depends_on": ["b"]})
    state = planner.told[0]["state"]
    assert [(each["id"], each["summary"]) for each in state["done"]] == [("a", "n: 3")]
    assert (state["failure"]["task"], state["failure"]["error"]["code"]) == ("b", "column_missing")
    assert [each["id"] for each in state["remaining"]] == ["b", "c", "gone"]

    request = asked(run)
    assert (request.kind, request.content["base"], request.content["revision"]) == ("plan_approval", 1, 2)
    assert states(run)["b"] == "waiting"
    decide_tail(request=request, approve=True, digest=request.digest, by=owner, catalogue=world.infos)
    world.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
    found = {key: state for key, state in states(run).items() if not key.startswith("planning")}
    assert found == {
        "a": "succeeded", "b": "cancelled", "b2": "succeeded", "c": "succeeded", "d": "succeeded", "gone": "cancelled",
    }  # fmt: skip
    assert (task(run, "gone").reason, task(run, "c").outputs) == ("removed", {"value": 4})
    assert task(run, "a").attempts.count() == 1
    assert run.revision is not None
    assert [each["id"] for each in run.revision.plan["tasks"]] == ["a", "b2", "c", "d"]
    check_history(run)


def test_the_failed_step_itself_may_be_done_differently(world: Plant, owner: User):
    again = [{"id": "b", "depends_on": ["a"], "params": {"value": 9}, "outputs": {"m": "json"}}, AFTER]
    world.skills["planning"] = Planner(tail(*again))
    run = started(world, owner, FIRST, BROKEN, AFTER)
    request = asked(run)
    decide_tail(request=request, approve=True, digest=request.digest, by=owner, catalogue=world.infos)
    world.drain()
    run.refresh_from_db()
    assert (run.state, task(run, "b").skill, task(run, "c").outputs) == ("succeeded", "noop", {"value": 9})
    assert list(task(run, "b").attempts.values_list("number", "state")) == [(1, "failed"), (2, "succeeded")]
    check_history(run)


def test_a_rejected_tail_leaves_the_decision_about_the_failure(world: Plant, owner: User):
    world.skills["planning"] = Planner(tail(*MENDED))
    run = started(world, owner, FIRST, BROKEN, AFTER)
    request = asked(run)
    with pytest.raises(StaleDecision):
        decide_tail(request=request, approve=True, digest="0" * 64, by=owner, catalogue=world.infos)
    decide_tail(request=request, approve=False, digest=request.digest, by=owner, catalogue=world.infos)
    assert (asked(run).kind, states(run)["c"]) == ("failure", "pending")
    assert run.revisions.count() == 2


@pytest.mark.parametrize(
    "answer",
    [
        tail(BROKEN, AFTER),
        tail({"id": "x", "depends_on": ["nowhere"]}),
        Expand(plan={}, notes={"is_good": False}),
        SkillError("skill_failed"),
    ],
)
def test_what_is_no_better_plan_ends_in_a_question(world: Plant, owner: User, answer: Any):
    """C15."""
    world.skills["planning"] = Planner(answer)
    run = started(world, owner, FIRST, BROKEN, AFTER)
    assert asked(run).kind == "failure"
    assert asked(run).content["error"]["code"] == "column_missing"
    run.refresh_from_db()
    assert (run.state, states(run)["b"]) == ("running", "waiting")


def test_after_so_many_plans_a_person_is_asked(world: Plant, owner: User, settings):
    """C15."""
    settings.PLANS_REPLANS_PER_RUN = 2
    planner = Planner(
        *(tail({"id": f"b{n}", "skill": "fails", "on_failure": "replan", "depends_on": ["a"]}) for n in range(1, 9))
    )
    world.skills["planning"] = planner
    run = started(world, owner, FIRST, BROKEN)
    while asked(run).kind == "plan_approval":
        decide_tail(request=asked(run), approve=True, digest=asked(run).digest, by=owner, catalogue=world.infos)
        world.drain()
    assert len(planner.told) == 2
    assert (asked(run).kind, Correction.objects.filter(kind="replan").count()) == ("failure", 2)
    assert planner.told[1]["state"]["corrections"][0]["task"] == "b"


def test_without_anybody_attending_the_new_plan_starts_at_once(world: Plant, owner: User):
    world.skills["planning"] = Planner(tail(*MENDED))
    run = started(world, owner, FIRST, {**BROKEN, "run_if": "true"}, AFTER)
    Run.objects.filter(pk=run.pk).update(autonomy="unattended")
    request = asked(run)
    decide_tail(request=request, approve=False, digest=request.digest, by=owner, catalogue=world.infos)
    replan(of=asked(run), by=owner, comment="Add one yourself")
    world.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"


def test_a_person_may_have_the_rest_planned_anew_and_what_runs_goes_on(world: Plant, owner: User):
    planner = Planner(tail({"id": "fresh", "depends_on": ["a"]}))
    world.skills["planning"] = planner
    run = started(world, owner, FIRST, {**BROKEN, "on_failure": "retry_then_ask"}, AFTER)
    with pytest.raises(InputError):
        ask_again(run=run, by=owner, comment=" ")
    ask_again(run=run, by=owner, comment="Leave out the rest")
    with pytest.raises(InputError):
        ask_again(run=run, by=owner, comment="And again")
    world.drain()
    assert planner.told[0]["state"]["comment"] == "Leave out the rest"
    request = Request.objects.get(run=run, state="open", kind="plan_approval")
    decide_tail(request=request, approve=True, digest=request.digest, by=owner, catalogue=world.infos)
    # It had started: it stays, and so does its question.
    assert states(run)["b"] == "waiting"
    assert task(run, "c").reason == "removed"
    world.drain()
    assert states(run)["fresh"] == "succeeded"


def test_a_failed_check_is_planned_around(world: Plant, owner: User):
    planner = Planner(tail(*MENDED))
    world.skills["planning"] = planner
    step = {"id": "b", "depends_on": ["a"], "outputs": {"m": "json"}, "params": {"value": 1}, "expect": ["m == 2"]}
    run = started(world, owner, FIRST, step, AFTER)
    assert planner.told[0]["state"]["failure"]["error"]["params"]["values"] == {"m": "1"}
    assert asked(run).kind == "plan_approval"


def test_other_arguments_are_tried_before_a_person_is_asked(world: Plant, owner: User):
    calls: list[Any] = []

    def picky(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(params["value"])
        if params["value"] != 7:
            raise BadInputError("column_missing", name="x")
        return Outputs(values={"n": 7})

    world.skill("picky", picky, outputs={"n": ValueKind.JSON}, params_schema={"type": "object"})
    planner = Planner(Expand(plan={}, notes={"params": {"value": 7}, "can_be_mended": True}))
    world.skills["planning"] = planner
    run = started(world, owner, {"id": "a", "skill": "picky", "params": {"value": 1}, "on_failure": "retry_different"})
    assert calls == [1, 7]
    assert (planner.told[0]["tried"], planner.told[0]["task"]["id"]) == ([{"value": 1}], "a")
    run.refresh_from_db()
    assert run.state == "succeeded"

    planner.answers = [Expand(plan={}, notes={"params": {}, "can_be_mended": False})]
    run = started(world, owner, {"id": "a", "skill": "picky", "params": {"value": 2}, "on_failure": "retry_different"})
    assert asked(run).kind == "failure"


def test_cancelling_while_it_is_planned_anew_ends_everything(world: Plant, owner: User):
    world.skills["planning"] = Planner(tail(*MENDED))
    run = started(world, owner, FIRST, BROKEN, AFTER)
    cancel_run(run=run, by=owner)
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert not Request.objects.filter(run=run, state="open").exists()
    check_history(run)


def test_a_milestone_waits_for_the_steps_that_are_added_to_it(world: Plant, owner: User):
    more = {"id": "more", "milestone": "m", "outputs": {"extra": "json"}, "params": {"value": 5}}
    world.skills["planning"] = Planner(tail(more))
    rows = [{"id": "m", "done_when": "n > 5"}]
    run = started(world, owner, {**FIRST, "milestone": "m"}, {"id": "z", "depends_on": ["m"]}, milestones=rows)
    request = asked(run)
    assert request.kind == "plan_approval"
    decide_tail(request=request, approve=True, digest=request.digest, by=owner, catalogue=world.infos)
    world.drain()
    assert states(run)["more"] == "succeeded"
    assert Task.objects.filter(run=run, downstream_edges__downstream__key="m", key="more").exists()
