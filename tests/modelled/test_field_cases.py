"""What users of other systems met (reference/field_cases.md, sections A and H), tried on ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from plans import tasks
from plans.core import retry
from plans.core.compile import compile_plan
from plans.core.skill import Outputs
from plans.engine.local import drain_until_done
from plans.engine.outputs import inflate
from plans.engine.plans import approve_plan
from plans.engine.revising import revise
from plans.engine.runs import create_run_from_plan
from plans.models import Run
from tests.engine.plant import Plant, states, task
from tests.scripted_model import ScriptedModel, said

pytestmark = pytest.mark.django_db(transaction=True)

LABEL = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "reason": {"type": "string"}},
    "required": ["label", "reason"],
    "additionalProperties": False,
}
JUDGE = {
    "id": "judge",
    "skill": "llm",
    "params": {"prompt": "Judge it.", "answer_schema": LABEL},
    "outputs": {"found": "json"},
}


def run_plan(owner: User, *steps: dict[str, Any]) -> Run:
    compiled = compile_plan({"goal": "g", "tasks": list(steps)}, tasks.catalogue())
    run = create_run_from_plan(owner=owner, compiled=compiled, inputs={})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=tasks.catalogue())
    drain_until_done(run, tasks.runner(), 30)
    run.refresh_from_db()
    return run


def test_an_answer_in_a_fence_becomes_an_object(owner: User, connected_model: ScriptedModel, settings: Any):
    """C03"""
    settings.PLANS_MODEL_MODE = "prompt"
    good = {"label": "good", "reason": "it is short"}
    connected_model.say(said(f"Sure:\n```json\n{json.dumps(good)}\n```"))
    run = run_plan(owner, JUDGE)
    assert (run.state, task(run, "judge").outputs) == ("succeeded", {"found": good})


@pytest.mark.parametrize(("second", "state"), [('{"label": "a", "reason": "b"}', "succeeded"), ('{"label": 1}', None)])
def test_an_answer_that_does_not_fit_is_asked_for_again(
    owner: User, connected_model: ScriptedModel, second: str, state: str | None
):
    """C04: one bad answer costs a second call; none that fits ends in the validator's own words."""
    connected_model.respond(lambda call: said(second if len(connected_model.calls) > 1 else '{"label": "a"}'))
    run = run_plan(owner, JUDGE)
    judged = task(run, "judge")
    assert len(connected_model.calls) >= 2
    if state:
        assert (run.state, len(connected_model.calls)) == (state, 2)
    else:
        assert judged.error is not None
        assert "label" in json.dumps(judged.error)


def test_taking_a_step_out_leaves_no_dangling_edge_unseen(owner: User, plant: Plant):
    """C13: A → B → C without B is said at once and cannot be approved."""
    chain = [{"id": "a"}, {"id": "b", "depends_on": ["a"]}, {"id": "c", "depends_on": ["b"]}]
    compiled = compile_plan({"goal": "g", "tasks": [{"skill": "noop", **each} for each in chain]}, plant.infos)
    run = create_run_from_plan(owner=owner, compiled=compiled, inputs={})

    def without_b(plan: dict[str, Any]) -> dict[str, Any]:
        return {**plan, "tasks": [each for each in plan["tasks"] if each["id"] != "b"]}

    revision = revise(run=run, seen=1, change=without_b, by=owner, catalogue=plant.infos)
    dangling = [each for each in revision.findings if each["code"] == "dangling_dependency"]
    assert [(each["task"], each["params"]["dependency"]) for each in dangling] == [("c", "b")]
    assert not revision.is_acceptable


@pytest.mark.parametrize("letter", ["x", "字"])
def test_a_large_result_passes_from_step_to_step(plant: Plant, letter: str):
    """C90: 200,000 characters are kept outside the row, whatever script they are in, and read again whole."""
    text = letter * 200_000
    seen: list[int] = []

    def make(params: dict[str, Any], context: Any) -> Outputs:
        return Outputs(values={"value": text})

    def read(params: dict[str, Any], context: Any) -> Outputs:
        seen.append(len(params["text"]))
        return Outputs(values={"value": len(params["text"])})

    plant.skill("make", make)
    plant.skill("read", read)
    run = plant.run(
        {"id": "a", "skill": "make", "outputs": {"long": "text"}},
        {"id": "b", "skill": "read", "depends_on": ["a"], "params": {"text": "{{ long }}"}},
    )
    plant.drain()
    assert (states(run), seen) == ({"a": "succeeded", "b": "succeeded"}, [200_000])
    stored = task(run, "a").outputs
    assert len(json.dumps(stored)) < 1000
    assert inflate(stored) == {"long": text}


@pytest.mark.parametrize("attempt", [1, 10, 1100])
@pytest.mark.parametrize("jitter", [0.0, 0.999])
def test_a_pause_before_a_try_is_above_nothing_and_below_the_cap(attempt: int, jitter: float):
    """C70"""
    seconds = retry.backoff_seconds(attempt, base_seconds=1, cap_seconds=300, jitter=jitter)
    assert 0 < seconds <= 300
