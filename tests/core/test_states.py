"""Laws of the state tables (DESIGN §5)."""

import pytest

from plans.core import states
from plans.core.states import RunState, TaskState

TABLES = [(TaskState, states.TASK_MOVES, states.task_sources), (RunState, states.RUN_MOVES, states.run_sources)]


@pytest.mark.parametrize(("kind", "moves", "sources"), TABLES)
def test_every_state_has_a_row_and_moves_only_to_states(kind, moves, sources):
    assert set(moves) == set(kind)
    assert all(target in kind and target != state for state, targets in moves.items() for target in targets)


@pytest.mark.parametrize(("kind", "moves", "sources"), TABLES)
def test_sources_is_the_inverse_of_moves(kind, moves, sources):
    forward = {(state, target) for state, targets in moves.items() for target in targets}
    assert {(state, target) for target in kind for state in sources(target)} == forward


def test_a_terminal_task_is_left_only_by_a_person_who_reopens_a_failure():
    left = {state: states.TASK_MOVES[state] for state in states.TASK_TERMINAL}
    assert left == {
        TaskState.SUCCEEDED: frozenset(),
        TaskState.CANCELLED: frozenset(),
        # pending: a group or a milestone whose failed step is opened again waits for it anew
        TaskState.FAILED: frozenset({TaskState.PENDING, TaskState.READY, TaskState.SKIPPED, TaskState.SUCCEEDED}),
        TaskState.SKIPPED: frozenset({TaskState.PENDING}),
    }


def test_a_terminal_run_is_left_only_from_failed_to_running():
    left = {state: states.RUN_MOVES[state] for state in states.RUN_TERMINAL}
    assert left == {
        RunState.SUCCEEDED: frozenset(),
        RunState.CANCELLED: frozenset(),
        RunState.FAILED: frozenset({RunState.RUNNING}),
    }


def test_every_state_that_is_not_terminal_can_be_cancelled():
    assert all(TaskState.CANCELLED in states.TASK_MOVES[state] for state in set(TaskState) - states.TASK_TERMINAL)
    assert all(RunState.CANCELLED in states.RUN_MOVES[state] for state in set(RunState) - states.RUN_TERMINAL)


@pytest.mark.parametrize(
    ("moves", "start"), [(states.TASK_MOVES, TaskState.PENDING), (states.RUN_MOVES, RunState.PLANNING)]
)
def test_every_state_can_be_reached_from_the_first(moves, start):
    seen, stack = set(), [start]
    while stack:
        state = stack.pop()
        if state not in seen:
            seen.add(state)
            stack.extend(moves[state])
    assert seen == set(moves)
