"""Edit and approve: what a person typed is what happens, once, and the plan remembers it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from plans.core.compile import compile_plan
from plans.core.errors import AlreadyDecided, InputError, StaleDecision
from plans.core.kinds import Approval, ValueKind
from plans.core.skill import Outputs
from plans.engine.edits import edit_and_approve
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Request, Run
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "copies": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
}


@pytest.fixture
def sent(plant: Plant) -> list[dict[str, Any]]:
    """Register a skill that always asks; return what it was called with."""
    calls: list[dict[str, Any]] = []

    def send(params: dict[str, Any], context: Any) -> Outputs:
        calls.append(params)
        return Outputs(values={"n": len(calls)})

    plant.skill("send", send, approval=Approval.ALWAYS, params_schema=SCHEMA, outputs={"n": ValueKind.NUMBER})
    return calls


@pytest.fixture
def waiting(plant: Plant, sent: list[dict[str, Any]], owner: User) -> Run:
    plan = {"goal": "send", "tasks": [{"id": "a", "skill": "send", "params": {"to": "ann", "copies": 1}}]}
    run = create_run_from_plan(owner=owner, compiled=compile_plan(plan, plant.infos), inputs={})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    return run


def asked(run: Run) -> Request:
    return Request.objects.get(run=run, kind="task_approval")


def test_the_edited_step_runs_once_with_just_what_was_typed(plant: Plant, waiting: Run, sent: list[dict[str, Any]]):
    params = {"to": "{{ not a placeholder }} 陈", "copies": 2}
    request = asked(waiting)
    edit_and_approve(request=request, params=params, digest=request.digest, by=waiting.owner, catalogue=plant.infos)
    plant.drain()
    assert sent == [params]
    assert states(waiting) == {"a": "succeeded"}
    request.refresh_from_db()
    assert (request.decision, request.consumed_at is not None) == ("edit_and_approve", True)
    waiting.refresh_from_db()
    assert waiting.revision is not None
    assert (waiting.revision.number, waiting.revision.source) == (2, "edit")
    check_history(waiting)


def test_a_wrong_value_is_refused_in_words_and_nothing_changes(plant: Plant, waiting: Run, sent: list[dict[str, Any]]):
    request = asked(waiting)
    with pytest.raises(InputError) as caught:
        edit_and_approve(
            request=request, params={"copies": "many"}, digest=request.digest, by=waiting.owner, catalogue=plant.infos
        )
    assert caught.value.code == "params_invalid"
    request.refresh_from_db()
    assert (request.state, task(waiting, "a").state, waiting.revisions.count(), sent) == ("open", "waiting", 1, [])


def test_a_stale_or_second_edit_is_refused(plant: Plant, waiting: Run, sent: list[dict[str, Any]]):
    request = asked(waiting)
    params = {"to": "bob"}
    with pytest.raises(StaleDecision):
        edit_and_approve(request=request, params=params, digest="0" * 64, by=waiting.owner, catalogue=plant.infos)
    first = request.digest
    edit_and_approve(request=request, params=params, digest=first, by=waiting.owner, catalogue=plant.infos)
    with pytest.raises(AlreadyDecided):
        edit_and_approve(request=request, params=params, digest=first, by=waiting.owner, catalogue=plant.infos)
    plant.drain()
    assert sent == [params]
