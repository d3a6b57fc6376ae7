"""The failure ladder as data: which rung comes next, and what counts as the same problem."""

from __future__ import annotations

from typing import get_args

import pytest

from plans.core import retry
from plans.core.errors import ErrorClass
from plans.core.ladder import LADDERS, Limits, Rung, Standing, next_rung, problem
from plans.core.reading import read_plan
from plans.core.reading.spellings import ON_FAILURE
from plans.core.spec import OnFailure

LIMITS = Limits(per_problem=2, per_run=5, replans=1)


def standing(error_class: ErrorClass = ErrorClass.PERMANENT, **known) -> Standing:
    return Standing(error_class=error_class, **known)


def test_a_plan_may_say_what_the_ladder_knows_and_nothing_else():
    assert set(get_args(OnFailure)) == set(LADDERS)
    assert set(ON_FAILURE.values()) <= set(LADDERS)


@pytest.mark.parametrize(
    ("on_failure", "known", "rung"),
    [
        (None, {}, Rung.ASK),
        (None, {"unattended": True}, Rung.STOP),
        ("retry_then_ask", {"unattended": True}, Rung.ASK),
        ("retry_then_stop", {}, Rung.STOP),
        ("abort", {}, Rung.ABORT),
        ("skip", {}, Rung.SKIP),
        ("fallback", {"has_fallback": True}, Rung.FALLBACK),
        ("fallback", {}, Rung.ASK),
        ("fallback", {"unattended": True}, Rung.STOP),
        ("replan", {"can_plan": True}, Rung.REPLAN),
        ("replan", {}, Rung.ASK),
        ("replan", {"can_plan": True, "replans": 1}, Rung.ASK),
        ("retry_different", {"can_plan": True}, Rung.ARGUMENTS),
        ("retry_different", {"can_plan": True, "of_problem": 2}, Rung.ASK),
        ("retry_different", {"can_plan": True, "of_run": 5}, Rung.ASK),
        ("retry_different", {"can_plan": True, "idempotent": False}, Rung.ASK),
        (None, {"has_other_skill": True}, Rung.OTHER_SKILL),
        ("skip", {"has_other_skill": True}, Rung.OTHER_SKILL),
    ],
)
def test_the_next_rung(on_failure, known, rung):
    assert next_rung(on_failure, standing(**known), LIMITS) is rung


@pytest.mark.parametrize("error_class", list(ErrorClass))
@pytest.mark.parametrize("on_failure", [None, *LADDERS])
def test_every_failure_has_exactly_one_rung(on_failure, error_class):
    known = {"has_fallback": True, "has_other_skill": True, "can_plan": True}
    for idempotent in (True, False):
        assert next_rung(on_failure, standing(error_class, idempotent=idempotent, **known), LIMITS) in set(Rung)
    # With nothing left to try, whatever is chosen ends the matter.
    last = next_rung(on_failure, standing(error_class, of_problem=9, of_run=9, replans=9, **known), LIMITS)
    assert last in {Rung.ASK, Rung.SKIP, Rung.STOP, Rung.ABORT}


def test_what_needs_a_person_is_not_planned_anew_or_tried_with_other_params():
    for on_failure in ("replan", "retry_different"):
        assert next_rung(on_failure, standing(ErrorClass.NEEDS_PERSON, can_plan=True), LIMITS) is Rung.ASK


@pytest.mark.parametrize(
    "error_class", [ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.CRASHED, ErrorClass.CHECK_FAILED]
)
def test_what_may_have_happened_does_not_happen_again_by_another_way(error_class):
    known = {"idempotent": False, "has_fallback": True, "has_other_skill": True, "can_plan": True}
    for on_failure in ("fallback", "replan", "retry_different", None):
        assert next_rung(on_failure, standing(error_class, **known), LIMITS) is Rung.ASK


def test_one_problem_is_one_whatever_numbers_its_message_has():
    def named(reason, task="a", error_class="transient", code="busy"):
        return problem(task, {"code": code, "params": {"reason": reason}, "class": error_class})

    first = named("row 17 of job 8f14e45f-ceea-467f-a8e1-0123456789ab at 0x7f00")
    assert first == named("Row 991 of job 00000000-ceea-467f-a8e1-0123456789ff at 0x0001")
    assert len({first, named("no route"), named("row 17", task="b"), named("row 17", code="x")}) == 4


@pytest.mark.parametrize(
    ("came", "read"),
    [
        ("retry_then_stop", "retry_then_stop"),
        ("skip_and_continue", "skip"),
        ("require_human", "retry_then_ask"),
        ("retry_different", "retry_different"),
        ("fallback", "fallback"),
        ("ask_human", "retry_then_ask"),
        ("abort", "abort"),
    ],
)
def test_other_systems_words_are_read_as_ours(came, read):
    plan, _ = read_plan({"tasks": [{"id": "a", "skill": "noop", "on_failure": came}]}, {})
    assert plan is not None
    assert plan.tasks[0].on_failure == read


@pytest.mark.parametrize("tries", [1, 10, 1_100])
@pytest.mark.parametrize("jitter", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("wanted", [None, 0.0, 7.0, 1e9])
def test_a_delay_is_never_more_than_the_cap_and_never_nothing(tries, jitter, wanted):
    """C70."""
    policy = retry.RetryPolicy(retries=2_000, base_seconds=1, cap_seconds=300)
    found = retry.decide(
        tries_used=tries, error_class=ErrorClass.TRANSIENT, policy=policy, jitter=jitter, retry_after_seconds=wanted
    )
    assert found is not None
    assert 0 < found.delay_seconds <= 300
    assert found.delay_seconds >= min(wanted or 0, 300)
