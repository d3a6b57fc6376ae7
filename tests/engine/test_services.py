"""Making runs and deciding plans: once, on what was shown, by who may."""

from __future__ import annotations

import io
import threading
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection

from plans.core.compile import compile_plan
from plans.core.errors import AlreadyDecided, InputError, MalformedPlan, StaleDecision
from plans.core.skill import Expand
from plans.engine.attachments import clean_filename, store_attachment
from plans.engine.control import cancel_run
from plans.engine.plans import approve_plan, reject_plan
from plans.engine.runs import create_run, create_run_from_plan
from plans.models import Attachment, Request, Run, Task
from tests.engine.plant import Plant, check_history, history, states

pytestmark = pytest.mark.django_db(transaction=True)

TWO = {"goal": "two", "tasks": [{"id": "a", "skill": "noop"}, {"id": "b", "skill": "noop", "depends_on": ["a"]}]}


def made(plant: Plant, owner: User, plan: Any = TWO, **columns: Any) -> Run:
    return create_run_from_plan(owner=owner, compiled=compile_plan(plan, plant.infos), inputs={}, **columns)


def plan_hash(run: Run) -> str:
    assert run.revision is not None
    return run.revision.graph_hash


def test_nothing_runs_before_the_plan_is_approved(plant: Plant, owner: User):
    run = made(plant, owner)
    plant.drain()
    assert (run.state, Task.objects.filter(run=run).count()) == ("review", 0)
    approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, states(run)) == ("succeeded", {"a": "succeeded", "b": "succeeded"})
    assert [kind for kind, _ in history(run)][:6] == [
        "run.created",
        "plan.drafted",
        "request.opened",
        "request.decided",
        "plan.approved",
        "run.started",
    ]
    check_history(run)


def test_approval_of_another_revision_is_refused_and_changes_nothing(plant: Plant, owner: User):
    run = made(plant, owner)
    with pytest.raises(StaleDecision):
        approve_plan(run=run, graph_hash="0" * 64, by=owner, catalogue=plant.infos)
    run.refresh_from_db()
    assert (run.state, Request.objects.get(run=run).state) == ("review", "open")


def test_a_second_decision_says_who_decided(plant: Plant, owner: User):
    run = made(plant, owner)
    approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos)
    for again in (
        lambda: approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos),
        lambda: reject_plan(run=run, by=owner),
    ):
        with pytest.raises(AlreadyDecided) as caught:
            again()
        assert caught.value.params == {"by": "owner", "decision": "approve"}
    assert Task.objects.filter(run=run).count() == 2


def test_two_approvals_at_the_same_moment_start_one_run(plant: Plant, owner: User):
    for _number in range(10):
        run = made(plant, owner)
        results: list[str] = []

        def approve(run: Run = run, results: list[str] = results) -> None:
            try:
                approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos)
                results.append("approved")
            except AlreadyDecided:
                results.append("already")
            finally:
                connection.close()

        threads = [threading.Thread(target=approve) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == ["already", "approved"]
        assert Task.objects.filter(run=run).count() == 2


def test_reject_ends_the_run_without_a_task(plant: Plant, owner: User):
    run = made(plant, owner)
    reject_plan(run=run, by=owner, comment="wrong file")
    run.refresh_from_db()
    assert (run.state, Task.objects.filter(run=run).count()) == ("cancelled", 0)
    check_history(run)


def test_a_plan_with_errors_can_be_seen_but_not_approved(plant: Plant, owner: User):
    run = made(plant, owner, {"goal": "bad", "tasks": [{"id": "a", "skill": "nope"}]})
    assert run.state == "review"
    with pytest.raises(InputError) as caught:
        approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos)
    assert caught.value.code == "plan_has_errors"


def test_a_plan_that_cannot_be_read_makes_no_run(plant: Plant, owner: User):
    with pytest.raises(MalformedPlan):
        made(plant, owner, "not json at all")
    assert Run.objects.count() == 0


def test_a_skill_switched_off_after_planning_blocks_approval(plant: Plant, owner: User):
    run = made(plant, owner)
    with pytest.raises(InputError) as caught:
        approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue={})
    assert (caught.value.code, caught.value.params) == ("skill_not_enabled", {"skills": "noop"})
    run.refresh_from_db()
    assert run.state == "review"


def test_the_same_token_makes_one_run(owner: User):
    runs = [create_run(owner=owner, goal="count", inputs={}, client_token="t1") for _ in range(2)]
    assert runs[0].pk == runs[1].pk
    assert (Run.objects.count(), Task.objects.count()) == (1, 1)


@pytest.mark.parametrize(("goal", "code"), [("", "goal_empty"), (" \n ", "goal_empty"), ("x" * 8001, "goal_too_long")])
def test_a_goal_out_of_bounds_makes_no_run(owner: User, goal: str, code: str):
    with pytest.raises(InputError) as caught:
        create_run(owner=owner, goal=goal, inputs={})
    assert caught.value.code == code
    assert Run.objects.count() == 0


def test_a_goal_of_8000_characters_counts_code_points(owner: User):
    assert create_run(owner=owner, goal="数🎉" * 4000, inputs={}).state == "planning"


def test_planning_is_leased_work_and_ends_in_review(plant: Plant, owner: User):
    compiled = compile_plan(TWO, plant.infos)
    assert compiled.plan is not None
    plan = compiled.plan.model_dump(mode="json", by_alias=True)
    plant.skills["planning"] = lambda params, context: Expand(plan=plan, notes=compiled.summary())
    run = create_run(owner=owner, goal="two", inputs={"n": 1}, playbook="p")
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.left) == ("review", 0)
    assert Task.objects.get(run=run).attempts.get().state == "succeeded"
    approve_plan(run=run, graph_hash=plan_hash(run), by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
    check_history(run)


def test_unattended_runs_need_the_permission_and_start_by_themselves(plant: Plant, owner: User):
    compiled = compile_plan(TWO, plant.infos)
    assert compiled.plan is not None
    plan = compiled.plan.model_dump(mode="json", by_alias=True)
    plant.skills["planning"] = lambda params, context: Expand(plan=plan)
    with pytest.raises(InputError) as caught:
        create_run(owner=owner, goal="two", inputs={}, autonomy="unattended")
    assert caught.value.code == "autonomy_not_allowed"
    owner.user_permissions.add(Permission.objects.get(codename="unattended"))
    run = create_run(owner=User.objects.get(pk=owner.pk), goal="two", inputs={}, autonomy="unattended")
    plant.drain()
    plant.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
    assert Request.objects.get(run=run).state == "void"
    check_history(run)


def test_planning_that_fails_ends_the_run_with_its_reason(plant: Plant, owner: User):
    from plans.core.errors import NoPlaybook

    def fails(params: Any, context: Any) -> Any:
        raise NoPlaybook("no_playbook")

    plant.skills["planning"] = fails
    run = create_run(owner=owner, goal="two", inputs={})
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.error["code"]) == ("failed", "no_playbook")
    check_history(run)


def test_a_run_in_planning_or_review_can_be_cancelled(plant: Plant, owner: User):
    planning = create_run(owner=owner, goal="two", inputs={})
    review = made(plant, owner)
    for run in (planning, review):
        cancel_run(run=run, by=owner)
        run.refresh_from_db()
        assert run.state == "cancelled"
        assert not Request.objects.filter(run=run, state="open").exists()
        check_history(run)


def profile_ok(path: Any, name: str) -> dict[str, Any]:
    return {"kind": "text", "problem": None}


def test_an_attachment_is_bytes_and_an_owner_bound_row(owner: User):
    row = store_attachment(owner=owner, filename="../a b.txt", stream=io.BytesIO(b"hello"), profile=profile_ok)
    assert (row.filename, row.blob.size, row.owner) == ("a b.txt", 5, owner)
    assert row.as_ref()["size"] == 5


def test_bad_files_leave_no_row(owner: User, settings):
    settings.PLANS_MAX_UPLOAD_BYTES = 10
    for data, code in ((b"", "file_empty"), (b"x" * 11, "file_too_large")):
        with pytest.raises(InputError) as caught:
            store_attachment(owner=owner, filename="f.csv", stream=io.BytesIO(data), profile=profile_ok)
        assert (caught.value.code, caught.value.params["file"]) == (code, "f.csv")

    def problem(path: Any, name: str) -> dict[str, Any]:
        return {"problem": {"code": "not_a_table", "params": {}}}

    with pytest.raises(InputError) as caught:
        store_attachment(owner=owner, filename="f.csv", stream=io.BytesIO(b"<html>"), profile=problem)
    assert caught.value.code == "not_a_table"
    assert Attachment.objects.count() == 0


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("..\\..\\etc\\passwd", "passwd"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("", "file"),
        ("...", "file"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
        ("数据\n.csv", "数据.csv"),
    ],
)
def test_display_names_are_tamed(given: str, shown: str):
    assert clean_filename(given) == shown
