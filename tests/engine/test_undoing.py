"""Undo finished steps: the last one first, with what the steps made, as a plan that waits for approval."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from plans.core.compile import compile_plan
from plans.core.errors import BadInputError, InputError
from plans.core.kinds import ValueKind
from plans.core.skill import Outputs
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.engine.undoing import undo_steps, undoable
from plans.models import Run
from tests.engine.plant import Plant, states

pytestmark = pytest.mark.django_db(transaction=True)

ASK = {"type": "object", "properties": {"question": {"type": "string"}, "fields": {"type": "object"}}}


@pytest.fixture
def world(plant: Plant) -> tuple[Plant, list[str]]:
    """Skills that book and cancel, and what they did."""
    done: list[str] = []

    def book(params: dict[str, Any], context: Any) -> Outputs:
        done.append(f"book {params['what']}")
        return Outputs(values={"number": f"{{{{ {params['what']} }}}}"})

    def cancel(params: dict[str, Any], context: Any) -> Outputs:
        done.append(f"cancel {params['number']}")
        return Outputs(values={})

    def fails(params: dict[str, Any], context: Any) -> Outputs:
        raise BadInputError("column_missing", name="x")

    what = {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}
    number = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}
    plant.skill("book", book, params_schema=what, outputs={"number": ValueKind.TEXT})
    plant.skill("cancel", cancel, params_schema=number)
    plant.skill("fails", fails)
    plant.skill("ask_human", lambda params, context: Outputs(values={}), params_schema=ASK)
    return plant, done


def booked(key: str, **more: Any) -> dict[str, Any]:
    undo = {"skill": "cancel", "params": {"number": f"{{{{ {key}_no }}}}"}}
    return {"id": key, "skill": "book", "params": {"what": key}, "outputs": {f"{key}_no": "text"}, "undo": undo, **more}


def started(plant: Plant, owner: User, *tasks: dict[str, Any]) -> Run:
    compiled = compile_plan(
        {"goal": "travel", "rollback": "Call the office", "tasks": [{"skill": "noop", **each} for each in tasks]},
        plant.infos,
    )
    run = create_run_from_plan(owner=owner, compiled=compiled, inputs={})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    run.refresh_from_db()
    return run


def test_what_was_done_is_undone_from_the_last_step_on_once_it_is_approved(world, owner: User):
    plant, done = world
    run = started(
        plant, owner,
        booked("hotel"),
        booked("flight", depends_on=["hotel"]),
        {"id": "letter", "depends_on": ["flight"], "undo": "Ask for the {{ letter }} back."},
        {"id": "end", "skill": "fails", "depends_on": ["letter"], "on_failure": "retry_then_stop", "undo": "never"},
    )  # fmt: skip
    assert run.state == "failed"
    new = undo_steps(run=run, by=owner, catalogue=plant.infos, runner=plant.runner(), client_token="once")
    assert (new.state, new.origin, new.goal) == ("review", run, "Undo: travel")
    again = undo_steps(run=run, by=owner, catalogue=plant.infos, runner=plant.runner(), client_token="once")
    assert again == new
    assert new.revision is not None
    tasks = new.revision.plan["tasks"]
    assert [(task["skill"], task["depends_on"]) for task in tasks] == [
        ("ask_human", []), ("cancel", ["undo_1"]), ("cancel", ["undo_2"]),
    ]  # fmt: skip
    assert done == ["book hotel", "book flight"]
    approve_plan(run=new, graph_hash=new.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    assert set(states(new).values()) == {"succeeded"}
    # What a step made is a value, whatever it looks like.
    assert done[2:] == ["cancel {{ flight }}", "cancel {{ hotel }}"]


def test_each_item_is_undone_by_itself(world, owner: User):
    plant, done = world
    run = started(
        plant, owner,
        booked("trip", for_each='["a", "b"]', params={"what": "{{ item }}"}),
        {"id": "end", "skill": "fails", "depends_on": ["trip"], "on_failure": "retry_then_stop"},
    )  # fmt: skip
    new = undo_steps(run=run, by=owner, catalogue=plant.infos, runner=plant.runner())
    assert new.revision is not None
    approve_plan(run=new, graph_hash=new.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    assert sorted(done[2:]) == ["cancel {{ a }}", "cancel {{ b }}"]


def test_a_run_that_goes_on_or_has_nothing_to_undo_is_refused(world, owner: User):
    plant, _done = world
    run = started(plant, owner, {"id": "a"})
    assert undoable(run) == []
    with pytest.raises(InputError) as caught:
        undo_steps(run=run, by=owner, catalogue=plant.infos, runner=plant.runner())
    assert caught.value.code == "nothing_to_undo"
    run = started(plant, owner, booked("hotel"), {"id": "end", "skill": "fails"})
    with pytest.raises(InputError) as caught:
        undo_steps(run=run, by=owner, catalogue=plant.infos, runner=plant.runner())
    assert caught.value.code == "run_not_ended"
