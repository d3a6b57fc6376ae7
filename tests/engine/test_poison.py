"""Rows and results that cannot be dealt with fail by themselves: the loop lives, and others lose nothing."""

from __future__ import annotations

from typing import Any

import pytest

from plans import tasks
from plans.core.errors import PermanentSkillError
from plans.core.kinds import Approval
from plans.core.skill import Outputs, Result
from plans.engine.drain import Drain
from plans.engine.load import RunCache
from plans.engine.slots import Slots
from plans.models import Run, Task
from tests.engine.plant import Gate, Plant, check_history, noop, states, task

pytestmark = pytest.mark.django_db(transaction=True)

STOP = {"on_failure": "retry_then_stop"}
# What some model, file or service will send one day; PostgreSQL stores no NUL, and half a character is no text.
NUL, HALF = "a\x00b", "a\ud800b"


def error_code(run: Run, key: str) -> str | None:
    error = task(run, key).error
    return error["code"] if error else None


def is_untouched(run: Run) -> bool:
    """Tell whether all of a run succeeded at the first try."""
    check_history(run)
    return set(states(run).values()) == {"succeeded"} and set(run.tasks.values_list("attempt", flat=True)) == {1}


@pytest.mark.parametrize("slot", [False, True])
def test_a_row_that_cannot_be_read_fails_and_what_was_claimed_with_it_runs(plant: Plant, slot: bool):
    plant.skill("slow", noop)
    skill = "slow" if slot else "noop"
    broken = plant.run({"id": "a", "skill": skill}, {"id": "b", "depends_on": ["a"]})
    sound = plant.run({"id": "x", "skill": skill}, {"id": "y", "skill": skill})
    Task.objects.filter(run=broken, key="a").update(spec=["no", "object"], has_references=False)
    plant.drain()
    assert is_untouched(sound)
    assert (states(broken), error_code(broken, "a")) == ({"a": "failed", "b": "skipped"}, "task_unreadable")


def test_a_gated_row_that_cannot_be_read_keeps_no_other_from_being_decided(plant: Plant):
    broken = [plant.run({"id": "a", "run_if": "1 == 1"}) for _number in range(20)]
    sound = plant.run({"id": "x", "run_if": "1 == 1"})
    Task.objects.filter(run__in=broken).update(spec=["no", "object"])
    plant.drain()
    assert is_untouched(sound)
    assert {(states(run)["a"], error_code(run, "a")) for run in broken} == {("failed", "task_unreadable")}


def test_a_gated_step_whose_skill_is_gone_says_so(plant: Plant):
    plant.skill("removed", noop, approval=Approval.ALWAYS)
    plant.skill("removed_too", noop)
    run = plant.run({"id": "a", "skill": "removed", **STOP}, {"id": "b", "skill": "removed_too", **STOP}, {"id": "c"})
    runner = tasks.runner()
    Drain(runner=runner, slots=Slots(count=2, runner=runner), cache=RunCache()).run()
    assert states(run) == {"a": "failed", "b": "failed", "c": "succeeded"}
    assert {error_code(run, "a"), error_code(run, "b")} == {"skill_not_installed"}
    check_history(run)


@pytest.mark.parametrize("text", [NUL, HALF], ids=["nul", "half"])
@pytest.mark.parametrize("where", ["output", "param", "log", "error", "checkpoint", "progress"])
def test_text_a_database_does_not_store_harms_nobody_else(plant: Plant, where: str, text: str):
    gate = Gate()

    def odd(params: dict[str, Any], context: Any) -> Result:
        if where == "log":
            context.log(text)
        elif where == "error":
            raise PermanentSkillError("broken", reason=text)
        elif where == "checkpoint":
            context.checkpoint({"text": text})
        elif where == "progress":
            context.progress({"text": text})
        gate.go_on.set()
        return Outputs(values={"value": text if where == "output" else 1})

    plant.skill("odd", odd)
    plant.skill("beside", gate)
    sound = plant.run({"id": "x", "skill": "beside"}, {"id": "y", "depends_on": ["x"]})
    # A plan with such text is refused before it is stored; an expression may still make some.
    params = {"value": "{{ 'a' + '\\x00' }}" if text == NUL else 1} if where == "param" else {}
    run = plant.run({"id": "a", "skill": "odd", "params": params, **STOP}, {"id": "b"})
    if where in {"error", "checkpoint"}:
        gate.go_on.set()
    plant.drain()
    assert is_untouched(sound)
    failure = {"error": "broken", "output": "output_not_json" if text == HALF else None}.get(where)
    assert (states(run), error_code(run, "a")) == (
        {"a": "failed" if failure else "succeeded", "b": "succeeded"},
        failure,
    )
    check_history(run)
