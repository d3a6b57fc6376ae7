"""Joins on real rows: every end of one and of two upstream tasks, in either order, leads to exactly one answer."""

from __future__ import annotations

from itertools import product

import pytest
from django.db import connection, transaction

from plans.core import joins
from plans.core.kinds import EventKind
from plans.core.states import AttemptState, SkipReason, TaskState
from plans.engine import hot, mend, turn
from plans.engine.settle import Changes, close_attempt
from plans.models import Run
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

# how an upstream task may end -> whether its downstream can do without what it was to make
ENDS = {
    ("succeeded", ""): True,
    ("failed", ""): False,
    ("cancelled", "removed"): False,
    ("skipped", "condition"): True,
    ("skipped", "person"): True,
    ("skipped", "on_failure"): True,
    ("skipped", "upstream"): False,
    ("skipped", "sibling"): False,
}
UNDER_WAY = ["pending", "ready", "running", "waiting", "retrying"]


def test_every_end_of_a_task_is_in_the_table():
    skipped = {(TaskState.SKIPPED.value, reason.value) for reason in SkipReason}
    assert set(ENDS) == skipped | {("succeeded", ""), ("failed", ""), ("cancelled", "removed")}


@pytest.mark.parametrize("always_run", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_rule_has_one_answer_for_every_combination(count: int, always_run: bool):
    """C62."""
    every = [*ENDS, *((state, "") for state in UNDER_WAY)]
    for pairs in product(every, repeat=count):
        if any(state in UNDER_WAY for state, _ in pairs):
            wanted = TaskState.PENDING
        elif always_run or all(ENDS[pair] for pair in pairs):
            wanted = TaskState.READY
        else:
            wanted = TaskState.SKIPPED
        assert joins.decide(pairs, always_run=always_run) == wanted, pairs


def end(run: Run, key: str, state: str, reason: str) -> None:
    """End a ready task in this way, as the engine does: a success by the hot path, anything else by its moves."""
    with transaction.atomic():
        changes = Changes(run.pk)
        row = task(run, key)
        if state == "failed":
            with connection.cursor() as cursor:
                claimed = hot.claim(cursor, 1, "worker", 30, only=[row.pk])[0]
            close_attempt(row.pk, claimed.attempt, AttemptState.FAILED)
            changes.lines += hot.started_lines([claimed], "worker")[run.pk]
            row = task(run, key)
        assert changes.end(row, TaskState(state), reason=reason)
        changes.say(EventKind(f"task.{state}"), row)
        changes.flush()


@pytest.mark.parametrize("always_run", [False, True])
def test_rows_follow_the_rule_whoever_ends_last(plant: Plant, always_run: bool):
    """C62, C63."""
    for pair in product(ENDS, repeat=2):
        run = plant.run(
            {"id": "a", "priority": 2},
            {"id": "b", "priority": 1},
            {"id": "c", "depends_on": ["a", "b"], "always_run": always_run, "priority": -9},
            {"id": "d", "depends_on": ["c"]},
        )
        for key, (state, reason) in zip(("a", "b"), pair, strict=True):
            assert task(run, "c").state == "pending"
            if state == "succeeded":
                claimed = turn.take([], 1, "worker").claimed
                assert [one.key for one in claimed] == [key]
                turn.take([hot.Done(claimed=claimed[0], outputs=None)], 0, "worker")
            else:
                end(run, key, state, reason)
        runs = always_run or all(ENDS[one] for one in pair)
        assert task(run, "c").state == ("ready" if runs else "skipped"), pair
        assert (task(run, "c").reason, task(run, "d").state) == (("", "pending") if runs else ("upstream", "skipped"))
        assert not mend.advance(run.pk), pair
        check_history(run)


def test_a_condition_that_does_not_hold_is_neutral_downstream_and_its_outputs_are_null(plant: Plant):
    """C63."""
    run = plant.run(
        {"id": "x", "run_if": "1 == 1", "outputs": {"x_out": "json"}, "params": {"value": "taken"}},
        {"id": "y", "run_if": "1 == 2", "outputs": {"y_out": "json"}},
        {"id": "z", "depends_on": ["x", "y"], "params": {"value": "{{ x_out }} {{ y_out == null }}"}},
    )
    plant.drain()
    assert states(run) == {"x": "succeeded", "y": "skipped", "z": "succeeded"}
    assert task(run, "z").outputs == {"value": "taken true"}
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", False)


def test_steps_side_by_side_see_what_came_before_and_the_same_as_one_after_the_other(plant: Plant):
    """C65."""
    found = []
    for extra in ({}, {"depends_on": ["b", "a"]}):
        run = plant.run(
            {"id": "a", "params": {"value": 7}, "outputs": {"n": "number"}},
            {"id": "b", "depends_on": ["a"], "params": {"value": "{{ n + 1 }}"}},
            {"id": "c", **({"depends_on": ["a"]} | extra), "params": {"value": "{{ n + 2 }}"}},
        )
        plant.drain()
        found.append((task(run, "b").outputs, task(run, "c").outputs))
    assert found == [({"value": 8}, {"value": 9})] * 2
