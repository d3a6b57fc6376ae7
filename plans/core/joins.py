"""Joins: what becomes of a task once every upstream task has ended."""

from __future__ import annotations

from collections.abc import Iterable

from plans.core.states import TASK_TERMINAL, SkipReason, TaskState

# An upstream end that keeps its downstream from running: the work it stood for was not done and nobody waived it.
BAD_STATES = frozenset({TaskState.FAILED, TaskState.CANCELLED})
BAD_REASONS = frozenset({SkipReason.UPSTREAM, SkipReason.SIBLING})


def is_bad(state: str, reason: str) -> bool:
    """Tell whether an upstream task that ended so keeps its downstream from running."""
    return state in BAD_STATES or (state == TaskState.SKIPPED and reason in BAD_REASONS)


def decide(upstream: Iterable[tuple[str, str]], *, always_run: bool = False) -> TaskState:
    """Return PENDING, READY or SKIPPED (reason `upstream`) for a task whose upstream has these (state, reason) pairs.

    Level-triggered: depends on the pairs alone, not on their order or on what was decided before.
    """
    pairs = list(upstream)
    if any(state not in TASK_TERMINAL for state, _ in pairs):
        return TaskState.PENDING
    if not always_run and any(is_bad(state, reason) for state, reason in pairs):
        return TaskState.SKIPPED
    return TaskState.READY
