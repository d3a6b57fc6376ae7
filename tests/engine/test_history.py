"""What skills usually take is read from ended attempts, and reaches the estimate of a new plan."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from plans import history
from plans.core.catalogue import SkillInfo
from plans.core.circumstances import Circumstances, Price, Usual
from plans.core.compile import compile_plan
from plans.core.model import CallOutcome, Purpose
from plans.core.states import AttemptState
from plans.models import Attempt, ModelCall, Run, Task

pytestmark = pytest.mark.django_db
PLAN = {"tasks": [{"id": "a", "skill": "slow", "estimate": {"seconds": 1}}, {"id": "b", "skill": "slow"}]}
CATALOGUE = {"slow": SkillInfo(name="slow")}


def keep(count: int, state: str = AttemptState.SUCCEEDED, **usd: str) -> None:
    """Keep `count` attempts of one task, of 1, 2, 3 ... seconds."""
    run = Run.objects.create(owner=User.objects.get_or_create(username="ann")[0], goal="g")
    task = Task.objects.create(run=run, key="a", skill="slow")
    now = timezone.now()
    for number in range(1, count + 1):
        Attempt.objects.create(
            task=task, number=number, state=state, started_at=now - timedelta(seconds=number), ended_at=now
        )
        if usd:
            outcome = {"purpose": Purpose.SKILL, "model": "m", "outcome": CallOutcome.OK}
            ModelCall.objects.create(run=run, task=task, attempt=number, usd=usd["usd"], **outcome)


def test_the_middle_and_both_ends_of_what_attempts_took():
    keep(11, usd="0.5")
    assert history.read_usual() == {
        "slow": Usual(seconds=6.0, seconds_low=2.0, seconds_high=10.0, usd=0.5, usd_high=0.5)
    }


def test_few_attempts_and_those_that_failed_say_nothing():
    keep(history.LEAST - 1)
    keep(20, AttemptState.FAILED)
    assert history.read_usual() == {}


def test_history_beats_what_the_plan_says_and_slots_are_counted_in():
    keep(11)
    known = Circumstances(usual=history.read_usual(), slots=1)
    assert compile_plan(PLAN, CATALOGUE, known).estimate["seconds"] == 12.0
    side_by_side = Circumstances(usual=history.read_usual(), slots=2)
    estimate = compile_plan(PLAN, CATALOGUE, side_by_side).estimate
    assert (estimate["seconds"], estimate["low"]["seconds"], estimate["high"]["seconds"]) == (6.0, 2.0, 10.0)
    assert estimate["tasks"]["a"]["seconds"] == 6.0


def test_a_step_that_asks_a_model_has_a_price_before_there_is_a_history():
    skills = {"llm": SkillInfo(name="llm", asks_model=True)}
    plan = {"tasks": [{"id": "a", "skill": "llm", "params": {"prompt": "Sum it up", "quality": "best"}}]}
    prices = {"best": Price(input_usd=4, output_usd=20), "small": Price(input_usd=0.1, output_usd=0.5)}
    priced = compile_plan(plan, skills, Circumstances(prices=prices)).estimate["usd"]
    assert 0.02 < priced < 0.05
    assert compile_plan(plan, skills).estimate["usd"] is None
