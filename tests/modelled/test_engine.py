"""Planning with a model as leased work on the real engine: questions, progress, cancel, budget, ledger."""

from __future__ import annotations

import io
import json
import threading
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from plans import circumstances, queries, tasks
from plans.engine import budgets, planning_work
from plans.engine.control import cancel_run
from plans.engine.failures import decide_failure
from plans.engine.local import drain_until_done
from plans.engine.plans import approve_plan
from plans.engine.requests import answer_question
from plans.engine.runs import Limits, create_run
from plans.models import Event, ModelCall, ModelSettings, Pool, Request, Run
from tests.modelled.desk import answer, ask_person, by_purpose, intent, question, step, wire
from tests.processes import wait_for
from tests.scripted_model import ScriptedModel, fault, refusal, said, silence

pytestmark = pytest.mark.django_db(transaction=True)

WAITS = wire(step("first", "wait", {"seconds": 0}, outputs={}), ask_person("ask", "Done?"), result=[])


def drain(run: Run) -> Run:
    drain_until_done(run, tasks.runner(), 30, until=frozenset({"review"}))
    run.refresh_from_db()
    return run


def planned(owner: User, goal: str = "Ask whether the work is done", **columns: Any) -> Run:
    return drain(create_run(owner=owner, goal=goal, inputs={}, **columns))


def test_a_goal_is_planned_reviewed_and_paid_for(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent()), answer(WAITS))
    run = planned(owner)
    assert (run.state, run.revision.source, run.revision.is_acceptable) == ("review", "model", True)
    assert list(ModelCall.objects.values_list("purpose", "outcome", "run_id")) == [
        ("intent", "ok", run.pk),
        ("draft", "ok", run.pk),
    ]
    stages = [event.data["stage"] for event in Event.objects.filter(run=run, kind="planning.progress")]
    assert stages[0] == "intent"
    assert "draft" in stages


def test_questions_wait_without_a_worker_and_answers_reach_the_steps(owner: User, connected_model: ScriptedModel):
    asks = wire(ask_person("ask", "Is {{ answers.topic }} what you meant?"))
    connected_model.say(answer(intent(verdict="ask", questions=[question("Which topic?")])))
    run = planned(owner)
    request = Request.objects.get(run=run, state="open")
    assert (run.state, request.kind, run.tasks.get().state) == ("planning", "question", "waiting")
    connected_model.say(answer(intent()), answer(asks))
    answer_question(request=request, answer={"topic": "tea"}, by=owner)
    run = drain(run)
    assert run.revision.is_acceptable
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=tasks.catalogue())
    drain(run)
    asked = Request.objects.get(run=run, state="open")
    assert asked.content["text"] == "Is tea what you meant?"


def test_a_refused_goal_ends_the_run_with_the_reason(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent(verdict="out_of_reach", reason="No.", missing_abilities=["phone calls"])))
    run = planned(owner)
    assert (run.state, run.error["code"], run.error["params"]["missing"]) == (
        "failed",
        "goal_out_of_reach",
        ["phone calls"],
    )


def test_a_second_opinion_and_other_drafts_as_the_settings_say(owner: User, connected_model: ScriptedModel):
    ModelSettings.objects.create(review=True, alternatives=True)
    remark = {"severity": "info", "task": "", "text": "Fine."}
    other = wire(ask_person("ask", "Done?"))
    connected_model.respond(
        by_purpose(intent=intent(), draft=WAITS, review={"fits": "yes", "remarks": [remark]}, alternative=other)
    )
    run = planned(owner)
    assert [each["code"] for each in run.revision.findings if each["code"] == "review_remark"] == ["review_remark"]
    assert list(run.revisions.values_list("source", "label")) == [("alternative", "careful"), ("model", "")]
    assert run.revision.source == "model"


def test_cancel_works_while_the_model_writes(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent()), silence(pings=True, after=4, reply=answer(WAITS)))
    run = create_run(owner=owner, goal="Ask whether the work is done", inputs={})

    def body() -> None:
        try:
            drain(Run.objects.get(pk=run.pk))
        finally:
            connection.close()

    thread = threading.Thread(target=body)
    thread.start()
    wait_for(lambda: len(connected_model.calls) == 2)
    cancel_run(run=run, by=owner)
    thread.join(30)
    run.refresh_from_db()
    assert (run.state, run.tasks.get().state) == ("cancelled", "cancelled")
    assert list(ModelCall.objects.values_list("outcome", flat=True)) == ["ok", "cancelled"]


def test_planning_stops_at_its_budget_and_goes_on_when_it_is_raised(owner: User, connected_model: ScriptedModel):
    limits = Limits(budget_usd=Decimal("0.05"))
    connected_model.say(answer(intent()))
    run = planned(owner, limits=limits)
    request = Request.objects.get(run=run, state="open")
    assert (run.state, request.kind, request.content["error"]["code"]) == ("planning", "budget", "budget_usd_reached")
    assert Decimal(request.content["spent_usd"]) > 0
    connected_model.say(answer(WAITS))
    budgets.raise_budget(request=request, by=owner, usd=Decimal(1))
    run = drain(run)
    assert (run.state, run.budget_usd) == ("review", Decimal("1.0500"))
    assert [call.purpose for call in connected_model.calls] == ["intent", "draft"]


def test_planning_ends_at_its_budget_when_that_is_wanted(owner: User, connected_model: ScriptedModel):
    run = planned(owner, limits=Limits(budget_usd=Decimal("0.0001")))
    budgets.stop_at_budget(request=Request.objects.get(run=run, state="open"), by=owner)
    run.refresh_from_db()
    assert (run.state, connected_model.calls) == ("cancelled", [])


def test_a_trouble_a_person_can_mend_waits_and_keeps_what_was_paid(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent()), fault(401))
    run = planned(owner)
    request = Request.objects.get(run=run, state="open")
    assert (request.kind, request.content["error"]["code"]) == ("failure", "model_key_refused")
    connected_model.say(answer(WAITS))
    decide_failure(of=request, choice="retry", by=owner)
    run = drain(run)
    assert run.state == "review"
    assert [call.purpose for call in connected_model.calls] == ["intent", "draft", "draft"]


def test_bad_replies_leave_a_revision_that_can_be_asked_again(owner: User, connected_model: ScriptedModel):
    """C01: three unusable answers in a row are no crash; the run waits for a person with everything kept."""
    connected_model.say(answer(intent()), *(said(f"not json {n}") for n in range(4)))
    run = planned(owner)
    assert (run.state, run.revision.is_acceptable, run.revision.raw_reply) == ("review", False, "not json 3")
    connected_model.say(answer(intent()), answer(WAITS))
    planning_work.ask_for_changes(run=run, by=owner, comment="Once more, please")
    run = drain(run)
    assert (run.state, run.revision.number, run.revision.is_acceptable) == ("review", 2, True)


def test_changes_that_fail_keep_the_plan_there_was(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent()), answer(WAITS), refusal())
    run = planned(owner)
    planning_work.ask_for_changes(run=run, by=owner, comment="Something else")
    run = drain(run)
    assert (run.state, run.revision.number) == ("review", 1)
    assert Request.objects.filter(run=run, state="open", kind="plan_approval").count() == 1


def test_rungoal_plans_with_the_model_when_no_playbook_fits(
    connected_model: ScriptedModel, tmp_path: Any, capsys: Any, db: None
):
    User.objects.create_superuser("boss", "boss@example.test", "boss-password")
    path = tmp_path / "Team List.csv"
    path.write_text("name,age\nann,3\n")
    load = step("read", "load_file", {"file": "ref:inputs.team_list_csv"}, outputs={"lines": "table"})
    write = step("write", "report", {"title": "Team", "tables": {"lines": "{{ lines }}"}}, outputs={"report": "html"})
    connected_model.say(answer(intent()), answer(wire(load, write, result=["report"])))
    out = io.StringIO()
    arguments = ["Introduce everyone", "--attach", str(path), "--approve", "--local", "--json"]
    call_command("rungoal", *arguments, stdout=out)
    document = json.loads(out.getvalue())
    assert (document["state"], document["playbook"], list(document["result"])) == ("succeeded", "", ["report"])
    assert '- column "age"' in connected_model.calls[1].prompt


def test_progress_is_for_watchers_and_not_for_the_history(owner: User, connected_model: ScriptedModel):
    connected_model.say(answer(intent()), answer(WAITS))
    run = planned(owner)
    assert Event.objects.filter(run=run, kind="planning.progress").exists()
    assert "planning.progress" not in {event.kind for event in queries.events_page(run).rows}


def test_a_plan_is_judged_by_what_the_run_has(owner: User, connected_model: ScriptedModel):
    Pool.objects.create(name="office", slots=1)
    connected_model.say(answer(intent()), answer(WAITS))
    run = planned(owner)
    found = circumstances.of_run(run)
    assert (found.pools, found.budget_usd, found.inputs, found.unattended) == ({"office": 1}, 1.0, set(), False)
    run.tasks_at_once, run.deadline_at, run.budget_seconds = 1, timezone.now() + timedelta(hours=1), 60
    limited = circumstances.of_run(run)
    assert (limited.slots, limited.deadline_seconds) == (1, 60.0)
