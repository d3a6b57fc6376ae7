"""Planning as leased work: questions first, other drafts, changes asked for, failures that lose nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from plans.core.errors import AlreadyDecided, ErrorClass, InputError, ModelError
from plans.core.findings import Finding, Severity
from plans.core.skill import Ask, Expand, Outputs, Result
from plans.engine import planning_work
from plans.engine.failures import decide_failure
from plans.engine.plans import approve_plan
from plans.engine.requests import answer_question
from plans.engine.runs import create_run
from plans.engine.settle import Changes
from plans.models import Event, Request, Run
from tests.engine.plant import Plant, history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def plan_of(*names: str, **more: Any) -> dict[str, Any]:
    return {"schema": 1, "goal": "g", "tasks": [{"id": name, "skill": "noop"} for name in names], **more}


def planned(plant: Plant, owner: User, planner: Any, **columns: Any) -> Run:
    plant.skills["planning"] = planner
    run = create_run(owner=owner, goal="a goal for a planner", inputs={}, **columns)
    plant.drain()
    run.refresh_from_db()
    return run


def test_a_question_comes_before_the_plan_and_its_answer_is_read_by_the_steps(plant: Plant, owner: User):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

    def planner(params: dict[str, Any], context: Any) -> Result:
        if "goal" not in context.answers:
            return Ask(text="Which city?", schema=schema, key="goal")
        question = {"id": "city", "text": "Which city?", "answer": context.answers["goal"]["city"]}
        step = {"id": "a", "skill": "noop", "params": {"value": "{{ answers.city }}"}}
        return Expand(plan={**plan_of(), "tasks": [step], "intent": {"questions": [question]}}, source="model")

    run = planned(plant, owner, planner)
    request = Request.objects.get(run=run)
    assert (run.state, request.kind, states(run)) == ("planning", "question", {"planning:1": "waiting"})
    answer_question(request=request, answer={"city": "Brno"}, by=owner)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.revision.source) == ("review", "model")
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, task(run, "a").outputs) == ("succeeded", {"value": "Brno"})


def test_other_drafts_are_kept_beside_the_plan_under_review(plant: Plant, owner: User):
    cheap = Expand(plan=plan_of("a"), source="alternative", label="cheap")

    def planner(params: dict[str, Any], context: Any) -> Result:
        return Expand(plan=plan_of("a", "b"), source="model", raw_reply="as written", others=(cheap,))

    run = planned(plant, owner, planner)
    kept = [(each.number, each.source, each.label, each.raw_reply) for each in run.revisions.all()]
    assert kept == [(1, "alternative", "cheap", ""), (2, "model", "", "as written")]
    assert run.revision.number == 2


def test_changes_asked_for_give_the_planner_the_plan_and_the_comment(plant: Plant, owner: User):
    told: list[dict[str, Any]] = []

    def planner(params: dict[str, Any], context: Any) -> Result:
        told.append(params)
        return Expand(plan=plan_of(*("ab"[: len(told)])), source="model", comment=params.get("comment", ""))

    run = planned(plant, owner, planner, files={"sales": {"kind": "table"}})
    planning_work.ask_for_changes(run=run, by=owner, comment="  add a step\r\n")
    run.refresh_from_db()
    assert run.state == "planning"
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.revision.number, run.revision.comment) == ("review", 2, "add a step")
    assert [each["id"] for each in run.revision.plan["tasks"]] == ["a", "b"]
    assert (told[1]["stage"], told[1]["previous"]["tasks"], told[1]["files"]) == (
        "changes",
        plan_of("a")["tasks"],
        {"sales": {"kind": "table"}},
    )
    with pytest.raises(InputError, match="comment_empty"):
        planning_work.ask_for_changes(run=run, by=owner, comment=" ")
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    with pytest.raises(AlreadyDecided):
        planning_work.ask_for_changes(run=run, by=owner, comment="too late")


def test_planning_anew_that_fails_keeps_the_plan_that_was_there(plant: Plant, owner: User):
    def planner(params: dict[str, Any], context: Any) -> Result:
        if params["stage"] == "changes":
            raise ModelError("model_failed")
        return Expand(plan=plan_of("a"))

    run = planned(plant, owner, planner)
    planning_work.ask_for_changes(run=run, by=owner, comment="make it better")
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.revision.number, run.failed_count) == ("review", 1, 0)
    assert ("plan.failed", "") in history(run)
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"


@pytest.mark.parametrize(("choice", "state"), [("retry", "review"), ("stop", "cancelled")])
def test_a_failure_that_may_pass_asks_instead_of_losing_the_goal(plant: Plant, owner: User, choice: str, state: str):
    tries: list[int] = []

    def planner(params: dict[str, Any], context: Any) -> Result:
        tries.append(context.attempt)
        if len(tries) == 1:
            raise ModelError("model_failed", ErrorClass.NEEDS_PERSON)
        return Expand(plan=plan_of("a"))

    run = planned(plant, owner, planner)
    request = Request.objects.get(run=run)
    assert (run.state, request.kind, request.content["choices"]) == ("planning", "failure", ["retry", "stop"])
    decide_failure(of=request, choice=choice, by=owner)
    plant.drain()
    run.refresh_from_db()
    assert run.state == state


def test_a_failure_that_cannot_pass_ends_the_run_with_its_reason(plant: Plant, owner: User):
    def planner(params: dict[str, Any], context: Any) -> Result:
        raise ModelError("model_failed", reason="declined")

    run = planned(plant, owner, planner)
    assert (run.state, run.error["code"], Request.objects.filter(run=run).count()) == ("failed", "model_failed", 0)


def test_other_work_beside_a_plan_under_review(plant: Plant, owner: User):
    def planner(params: dict[str, Any], context: Any) -> Result:
        if params["stage"] == "review":
            return Expand(plan={}, findings=(Finding(code="opinion", severity=Severity.INFO),))
        if params["stage"] == "alternatives":
            return Expand(plan={}, others=(Expand(plan=plan_of("z"), source="alternative", label="fast"),))
        return Expand(plan=plan_of("a"))

    run = planned(plant, owner, planner)
    planning_work.ask_for_opinion(run=run, by=owner)
    with pytest.raises(InputError, match="planning_under_way"):
        planning_work.ask_for_alternatives(run=run, by=owner)
    plant.drain()
    planning_work.ask_for_alternatives(run=run, by=owner)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.revision.number, run.left) == ("review", 1, 0)
    assert [each["code"] for each in run.revision.findings] == ["opinion"]
    assert list(run.revisions.values_list("label", flat=True)) == ["", "fast"]
    assert Request.objects.filter(run=run, state="open").count() == 1


def test_work_that_makes_no_plan_leaves_its_answer_in_the_outputs(plant: Plant, owner: User):
    def planner(params: dict[str, Any], context: Any) -> Result:
        return Expand(plan={}, notes={"params": {"query": params["error"]["code"]}})

    plant.skills["planning"] = planner
    run = plant.run({"id": "a", "skill": "noop"})
    changes = Changes(run.pk)
    queued = planning_work.queue(changes, run, "look", error={"code": "timeout"})
    changes.flush()
    plant.drain()
    run.refresh_from_db()
    assert task(run, queued.key).outputs == {"params": {"query": "timeout"}, "plan": {}}
    assert (run.state, run.revisions.count()) == ("succeeded", 0)


def test_watchers_see_how_far_the_planning_is(plant: Plant, owner: User):
    def planner(params: dict[str, Any], context: Any) -> Result:
        context.progress({"stage": "draft", "thinking": "hm " * 5000, "tasks": ["Read"]})
        return Expand(plan=plan_of("a"))

    run = planned(plant, owner, planner)
    shown = Event.objects.get(run=run, kind="planning.progress")
    assert (shown.task_key, shown.data["stage"], shown.data["tasks"]) == ("planning:1", "draft", ["Read"])
    assert len(str(shown.data)) < 4096


def test_a_step_may_tell_as_well_and_is_not_held_up(plant: Plant, owner: User):
    def slow(params: dict[str, Any], context: Any) -> Result:
        context.progress({"stage": "draft"})
        return Outputs(values={"value": 1})

    plant.skill("slow", slow)
    run = plant.run({"id": "a", "skill": "slow"})
    plant.drain()
    assert states(run) == {"a": "succeeded"}
    assert ("planning.progress", "a") in history(run)


def test_a_goal_without_a_budget_gets_the_default(owner: User, settings: Any):
    assert create_run(owner=owner, goal="a goal without a budget", inputs={}).budget_usd == 1
    settings.PLANS_DEFAULT_BUDGET_USD, settings.PLANS_MODEL_SEES_ROWS = 0, False
    run = create_run(owner=owner, goal="a goal without a budget", inputs={})
    assert (run.budget_usd, run.model_sees_rows) == (None, False)
