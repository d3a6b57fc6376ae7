"""Checks: what a step has made is judged once it is stored, a milestone once its steps have ended."""

from __future__ import annotations

import math
from typing import Any

import pytest

from plans import storage
from plans.core.kinds import ValueKind
from plans.core.skill import Outputs
from plans.core.values import ArtifactRef
from plans.engine.failures import decide_failure, mark_done
from plans.engine.requests import decide_approval
from plans.models import Request
from plans.wording import sentence
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)


def table(rows: int, **meta: Any) -> ArtifactRef:
    sha256, size = storage.put_bytes(f"{rows} rows {meta}".encode())
    return ArtifactRef(
        sha256=sha256,
        kind=ValueKind.TABLE,
        size=size,
        meta={"columns": [{"name": "x", "type": "number"}], "row_count": rows, **meta},
    )


def gives(plant: Plant, *values: Any) -> list[int]:
    """Register a skill that gives these values, one a call; return its calls."""
    calls: list[int] = []

    def skill(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(context.attempt)
        return Outputs(values={"made": values[min(len(calls), len(values)) - 1]})

    plant.skill("make", skill, outputs={"made": ValueKind.JSON})
    return calls


def step(kind: str = "number", **more: Any) -> dict[str, Any]:
    return {"id": "a", "skill": "make", "outputs": {"made": kind}, "on_failure": "retry_then_stop", **more}


def test_a_check_that_holds_lets_the_step_succeed(plant: Plant):
    gives(plant, table(12))
    run = plant.run(
        {"id": "first", "outputs": {"wanted": "json"}, "params": {"value": 12}},
        step("table", depends_on=["first"], expect=["made.row_count == 12", "made.row_count == wanted"]),
    )
    plant.drain()
    assert states(run) == {"first": "succeeded", "a": "succeeded"}


def test_a_failed_check_is_a_failure_with_the_actual_values_and_is_not_retried(plant: Plant):
    calls = gives(plant, table(11))
    run = plant.run(step("table", expect=["made.row_count > 0", "made.row_count == 12"], retries=2), {"id": "b"})
    plant.drain()
    assert calls == [1]
    assert states(run) == {"a": "failed", "b": "succeeded"}
    assert task(run, "a").outputs is None
    error = task(run, "a").error
    assert error == {
        "code": "check_failed",
        "params": {"check": "made.row_count == 12", "values": {"made.row_count": "11"}},
        "class": "check_failed",
    }
    assert sentence(error["code"], error["params"]) == (
        "The check “made.row_count == 12” does not hold: made.row_count is 11."
    )
    check_history(run)


@pytest.mark.parametrize("text", ["made.nowhere == 1", "made", "made[7] == 1"])
def test_a_check_that_cannot_be_told_fails_too(plant: Plant, text: str):
    gives(plant, {"n": 1})
    run = plant.run(step("object", expect=[text]))
    plant.drain()
    error = task(run, "a").error
    assert error["class"] == "check_failed"
    assert "%(" not in sentence(error["code"], error["params"])


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("table", table, "output_empty"),
        ("number", math.nan, "output_not_finite"),
        ("number", -math.inf, "output_not_finite"),
    ],
)
def test_empty_tables_and_numbers_that_are_none_are_caught_by_default(plant: Plant, kind: str, value: Any, code: str):
    gives(plant, value(0) if callable(value) else value)
    run = plant.run(step(kind))
    plant.drain()
    assert (task(run, "a").state, task(run, "a").error["code"]) == ("failed", code)
    assert task(run, "a").error["class"] == "check_failed"


def test_cells_that_are_no_numbers_are_caught_by_default(plant: Plant):
    gives(plant, table(5, not_finite={"x": 2}))
    run = plant.run(step("table"))
    plant.drain()
    assert task(run, "a").error["params"] == {"name": "made", "column": "x", "count": 2}


@pytest.mark.parametrize(
    "text", ["made.row_count >= 0", "made.row_count < 5", "a.made.row_count == 0", "size(made.rows) == 0"]
)
def test_a_plan_that_speaks_of_the_rows_may_allow_none(plant: Plant, text: str):
    gives(plant, table(0))
    run = plant.run(step("table", expect=[text]))
    plant.drain()
    assert states(run) == {"a": "succeeded"}


def test_each_item_is_checked_by_itself(plant: Plant):
    gives(plant, 1, 2, 30)
    run = plant.run(
        step(
            for_each="[1, 2, 3]",
            params={"value": "{{ item }}"},
            expect=["made < 10", "a.made != 5"],
            item_errors="report",
        )
    )
    plant.drain(slots=1)
    bad = [row for row in run.tasks.filter(group="a") if row.state != "succeeded"]
    assert [row.error["params"]["values"] for row in bad] == [{"made": "30"}]
    assert task(run, "a").outputs["made"].count(None) == 1


def milestone(**more: Any) -> dict[str, Any]:
    return {"milestones": [{"id": "m", "name": "Collect", **more}, {"id": "inner", "parent": "m"}]}


def test_a_milestone_is_done_when_its_condition_holds_and_keeps_evidence(plant: Plant):
    gives(plant, table(3))
    run = plant.run(
        step("table", milestone="inner"),
        {"id": "b", "milestone": "m", "run_if": "false"},
        {"id": "after", "depends_on": ["m"]},
        **milestone(done_when="made.row_count > 2"),
    )
    plant.drain()
    assert states(run) == {
        "a": "succeeded",
        "b": "skipped",
        "after": "succeeded",
        "m": "succeeded",
        "inner": "succeeded",
    }
    evidence = task(run, "m").evidence
    assert evidence["check"] == {
        "text": "made.row_count > 2", "holds": True, "values": {"made.row_count": "3"},
    }  # fmt: skip
    assert evidence["steps"] == {"succeeded": 1, "skipped": 1}
    assert evidence["artifacts"] == [{"task": "a", "name": "made", "kind": "table"}]
    assert evidence["notes"] == [{"task": "b", "reason": "condition", "error": None}]
    assert evidence["started_at"] <= evidence["ended_at"]
    check_history(run)


def test_a_milestone_that_is_not_done_asks_with_the_values_and_can_be_accepted(plant: Plant):
    gives(plant, table(1))
    run = plant.run(
        step("table", milestone="m"), {"id": "after", "depends_on": ["m"]}, **milestone(done_when="made.row_count > 2")
    )
    plant.drain()
    assert (task(run, "m").state, task(run, "after").state) == ("waiting", "pending")
    request = Request.objects.get(run=run)
    assert request.content["error"]["params"]["values"] == {"made.row_count": "1"}
    assert request.content["choices"] == ["retry", "mark_done", "skip", "stop"]
    decide_failure(of=request, choice="retry", by=run.owner)
    plant.drain()
    mark_done(of=Request.objects.get(run=run, state="open"), outputs={}, by=run.owner)
    plant.drain()
    assert (task(run, "m").state, task(run, "after").state) == ("succeeded", "succeeded")
    run.refresh_from_db()
    assert run.state == "succeeded"
    check_history(run)


def test_a_milestone_may_ask_before_what_comes_after_it(plant: Plant):
    gives(plant, table(1))
    run = plant.run(step("table", milestone="m"), {"id": "after", "depends_on": ["m"]}, **milestone(approval="always"))
    plant.drain()
    request = Request.objects.get(run=run)
    assert (request.kind, request.task.key) == ("task_approval", "m")
    assert request.content["effect"]["params"]["evidence"]["steps"] == {"succeeded": 1}
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner)
    plant.drain()
    run.refresh_from_db()
    assert run.state == "succeeded"
