"""Fan-out: one row per item once the list is known, gathered in order when all have ended."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.errors import AlreadyDecided, PermanentSkillError
from plans.core.kinds import Approval, ValueKind
from plans.core.skill import Outputs
from plans.engine import mend
from plans.engine.control import cancel_run
from plans.engine.failures import decide_failure
from plans.engine.requests import decide_approval
from plans.models import Request, Run, Task
from tests.engine.plant import Plant, check_history, history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

LISTED = {"id": "a", "params": {"value": [3, 1, 2]}, "outputs": {"numbers": "list"}}
EACH = {"params": {"value": "{{ item }}"}, "outputs": {"made": "json"}}


def fails_for(*bad: Any) -> Any:
    def skill(params: dict[str, Any], context: Any) -> Outputs:
        if params["value"] in bad:
            raise PermanentSkillError("broken", value=params["value"])
        return Outputs(values={"value": params["value"]})

    return skill


def items(run: Run, group: str) -> dict[str, str]:
    return dict(run.tasks.filter(group=group).order_by("item_index").values_list("key", "state"))


def over(numbers: list[Any], **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    listed = {**LISTED, "params": {"value": numbers}}
    return listed, {"id": "b", "depends_on": ["a"], "for_each": "numbers", **EACH, **fields}


def test_each_item_is_a_task_and_the_outputs_keep_the_order_of_the_list(plant: Plant):
    run = plant.run(*over([3, 1, 2]), {"id": "c", "depends_on": ["b"], "params": {"value": "{{ made }}"}})
    plant.drain()
    assert items(run, "b") == {"b[0]": "succeeded", "b[1]": "succeeded", "b[2]": "succeeded"}
    assert (task(run, "b").state, task(run, "b").item_count) == ("succeeded", 3)
    assert task(run, "b").outputs == {"made": [3, 1, 2]}
    assert task(run, "c").outputs == {"value": [3, 1, 2]}
    run.refresh_from_db()
    assert (run.state, run.left, run.failed_count, run.has_gaps) == ("succeeded", 0, 0, False)
    check_history(run)


def test_an_item_may_read_its_index_and_what_other_tasks_made(plant: Plant):
    run = plant.run(
        *over(["x", "y"], depends_on=["a", "k"], params={"value": "{{ k.n }}-{{ index }}-{{ item }}"}),
        {"id": "k", "params": {"value": 7}, "outputs": {"n": "number"}},
    )
    plant.drain()
    assert task(run, "b").outputs == {"made": ["7-0-x", "7-1-y"]}


def test_nothing_below_a_fan_out_is_decided_before_it_has_expanded(plant: Plant):
    """C60: A -> map(B over A.items) -> map(C) -> E, and D -> E: E runs after three C's."""
    run = plant.run(
        *over([1, 2, 3]),
        {"id": "c", "depends_on": ["b"], "for_each": "made", "params": {"value": "{{ item }}"}},
        {"id": "d"},
        {"id": "e", "depends_on": ["c", "d"]},
    )
    plant.drain()
    assert set(states(run).values()) == {"succeeded"}
    order = [key for kind, key in history(run) if kind == "task.succeeded"]
    assert all(order.index(f"c[{number}]") < order.index("e") for number in range(3))
    assert not [key for kind, key in history(run) if kind == "task.skipped"]
    check_history(run)


def test_an_empty_list_is_skipped_and_what_follows_goes_on(plant: Plant):
    """C60: with [] B and C are skipped and E follows its join rule."""
    run = plant.run(
        *over([]),
        {"id": "c", "depends_on": ["b"], "for_each": "made", "params": {"value": "{{ item }}"}},
        {
            "id": "e",
            "depends_on": ["b", "c"],
            "params": {"value": "{{ made == null }}"},
            "outputs": {"none": "boolean"},
        },
    )
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "skipped", "c": "skipped", "e": "succeeded"}
    assert {task(run, key).reason for key in "bc"} == {"condition"}
    assert task(run, "b").item_count == 0
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", False)


def test_a_false_condition_is_decided_once_for_all_items(plant: Plant):
    run = plant.run(*over([1, 2], run_if="size(numbers) > 5"))
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "skipped"}


def test_a_condition_that_names_the_item_is_each_items_own(plant: Plant):
    run = plant.run(*over([1, 2, 3], run_if="item != 2"))
    plant.drain()
    assert items(run, "b") == {"b[0]": "succeeded", "b[1]": "skipped", "b[2]": "succeeded"}
    assert task(run, "b").outputs == {"made": [1, None, 3]}


@pytest.mark.parametrize(("value", "code"), [("text", "for_each_not_list"), (5, "for_each_not_list")])
def test_what_is_no_list_fails_the_task_and_says_what_came(plant: Plant, value: Any, code: str):
    listed, fan_out = over([], on_failure="retry_then_stop")
    run = plant.run({**listed, "params": {"value": value}, "outputs": {"numbers": "json"}}, fan_out)
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "failed"}
    assert task(run, "b").error["code"] == code
    check_history(run)


def test_more_items_than_allowed_fail_with_the_limit_and_make_no_rows(plant: Plant, settings):
    settings.PLANS_FAN_OUT_MAX = 3
    run = plant.run(*over([1, 2, 3, 4], on_failure="retry_then_stop"))
    plant.drain()
    error = task(run, "b").error
    assert (error["code"], error["params"]["count"], error["params"]["limit"]) == ("too_many_items", 4, 3)
    assert states(run) == {"a": "succeeded", "b": "failed"}


def test_by_default_a_failed_item_stops_those_that_have_not_started(plant: Plant):
    plant.skill("picky", fails_for(2))
    run = plant.run(*over([1, 2, 3, 4], skill="picky", on_failure="retry_then_stop"), {"id": "c", "depends_on": ["b"]})
    plant.drain(slots=1)
    assert items(run, "b") == {"b[0]": "succeeded", "b[1]": "failed", "b[2]": "skipped", "b[3]": "skipped"}
    assert {task(run, key).reason for key in ("b[2]", "b[3]")} == {"sibling"}
    assert task(run, "b").error["code"] == "items_failed"
    assert task(run, "b").error["params"] == {"failed": 1, "count": 4, "first": "b[1]"}
    assert states(run)["c"] == "skipped"
    run.refresh_from_db()
    assert run.state == "failed"
    check_history(run)


def test_keep_going_and_report_puts_null_in_the_place_of_a_failed_item(plant: Plant):
    plant.skill("picky", fails_for(1))
    run = plant.run(
        *over([3, 1, 2], skill="picky", item_errors="report"),
        {"id": "c", "depends_on": ["b"], "params": {"value": "{{ made }}"}},
    )
    plant.drain()
    assert items(run, "b") == {"b[0]": "succeeded", "b[1]": "skipped", "b[2]": "succeeded"}
    assert task(run, "b[1]").reason == "on_failure"
    assert task(run, "b[1]").error["code"] == "broken"
    assert task(run, "c").outputs == {"value": [3, None, 2]}
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", True)


def test_drop_failed_leaves_them_out_and_keeps_the_order_of_the_rest(plant: Plant):
    plant.skill("picky", fails_for(1, 9))
    run = plant.run(*over([3, 1, 2, 9, 4], skill="picky", item_errors="drop"))
    plant.drain()
    assert task(run, "b").outputs == {"made": [3, 2, 4]}
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", True)


def test_drop_failed_with_nothing_left_gives_an_empty_list(plant: Plant):
    plant.skill("picky", fails_for(1, 2))
    run = plant.run(*over([1, 2], skill="picky", item_errors="drop"), {"id": "c", "depends_on": ["b"]})
    plant.drain()
    assert task(run, "b").outputs == {"made": []}
    assert states(run)["c"] == "succeeded"


def test_an_item_that_asks_holds_up_only_its_group(plant: Plant):
    plant.skill("picky", fails_for(2))
    run = plant.run(*over([1, 2, 3], skill="picky"), {"id": "c", "depends_on": ["b"]})
    plant.drain()
    assert items(run, "b") == {"b[0]": "succeeded", "b[1]": "waiting", "b[2]": "succeeded"}
    assert (states(run)["b"], states(run)["c"]) == ("pending", "pending")
    plant.skills["picky"] = fails_for()
    decide_failure(of=Request.objects.get(task__key="b[1]"), choice="retry", by=run.owner)
    plant.drain()
    assert task(run, "b").outputs == {"made": [1, 2, 3]}
    assert states(run)["c"] == "succeeded"
    check_history(run)


def test_an_item_skipped_by_a_person_is_null_and_a_gap(plant: Plant):
    plant.skill("picky", fails_for(2))
    run = plant.run(*over([1, 2], skill="picky"))
    plant.drain()
    decide_failure(of=Request.objects.get(task__key="b[1]"), choice="skip", by=run.owner)
    plant.drain()
    assert task(run, "b").outputs == {"made": [1, None]}
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", True)


def test_a_stopped_item_takes_its_question_with_it(plant: Plant):
    plant.skill("picky", fails_for(1))
    run = plant.run(*over([1, 1], skill="picky"))
    plant.drain()
    first, second = Request.objects.filter(run=run).order_by("pk")
    Task.objects.filter(pk=second.task_id).update(spec={**task(run, "b[1]").spec, "on_failure": "retry_then_stop"})
    decide_failure(of=second, choice="retry", by=run.owner)
    plant.drain()
    assert items(run, "b") == {"b[0]": "skipped", "b[1]": "failed"}
    first.refresh_from_db()
    assert first.state == "void"
    with pytest.raises(AlreadyDecided):
        decide_failure(of=first, choice="retry", by=run.owner)


def test_one_approval_allows_all_items_and_is_bound_to_every_one_of_them(plant: Plant):
    plant.infos["noop"] = plant.infos["noop"].__class__(
        name="noop", outputs={"value": ValueKind.JSON}, approval=Approval.ALWAYS
    )
    run = plant.run({"id": "b", "for_each": "inputs.names", **EACH}, inputs={"names": ["x", "y"]})
    plant.drain()
    request = Request.objects.get(run=run)
    effect = request.content["effect"]
    assert (effect["items"], effect["each"]) == (2, [{"value": "x"}, {"value": "y"}])
    decide_approval(request=request, approve=True, digest=request.digest, by=run.owner)
    plant.drain()
    assert task(run, "b").outputs == {"made": ["x", "y"]}
    assert Request.objects.filter(run=run).count() == 1
    request.refresh_from_db()
    assert request.consumed_at is not None


def test_cancelling_a_run_cancels_group_and_items(plant: Plant):
    plant.skill("picky", fails_for(1, 2))
    run = plant.run(*over([1, 2], skill="picky"))
    plant.drain()
    cancel_run(run=run, by=run.owner)
    assert set(states(run).values()) == {"succeeded", "cancelled"}
    run.refresh_from_db()
    assert (run.state, run.left) == ("cancelled", 0)
    check_history(run)


def test_advance_changes_nothing_about_an_expanded_group(plant: Plant):
    plant.skill("picky", fails_for(2))
    run = plant.run(*over([1, 2, 3], skill="picky"), {"id": "c", "depends_on": ["b"]})
    plant.drain()
    before = states(run)
    assert not mend.advance(run.pk)
    assert states(run) == before


def test_counters_of_a_group_that_were_lost_are_found_again(plant: Plant):
    plant.skill("picky", fails_for(2))
    run = plant.run(*over([1, 2, 3], skill="picky"))
    plant.drain()
    Task.objects.filter(run=run, key="b").update(unmet=3)
    assert mend.advance(run.pk)
    assert task(run, "b").unmet == 1


def test_two_groups_over_one_list_run_side_by_side(plant: Plant):
    listed, first = over([1, 2])
    second = {**first, "id": "b2", "outputs": {"other": "json"}}
    last = {"id": "c", "depends_on": ["b", "b2"], "for_each": "made", "params": {"value": "{{ item + other[index] }}"}}
    run = plant.run(listed, first, second, {**last, "outputs": {"sums": "json"}})
    plant.drain()
    assert task(run, "c").outputs == {"sums": [2, 4]}


def test_an_item_takes_its_fallback_before_it_is_dropped(plant: Plant):
    plant.skill("picky", fails_for(1))
    plant.skill("other", fails_for(5))
    fields = {"skill": "picky", "item_errors": "drop", "on_failure": "fallback", "fallback_skill": "other"}
    run = plant.run(*over([1, 2], **fields))
    plant.drain()
    assert task(run, "b").outputs == {"made": [1, 2]}
    plant.skills["other"] = fails_for(1)
    run = plant.run(*over([1, 2], **fields))
    plant.drain()
    assert task(run, "b").outputs == {"made": [2]}
