"""The process is killed (-9) before and after every commit of a run's life: nothing is lost, nothing happens twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from django.contrib.auth.models import User

from plans.engine.boundaries import Boundary, Side
from plans.models import Run
from tests.engine.crash.counter import outside
from tests.engine.crash.dying import check_legal, dies_at
from tests.engine.crash.scenarios import LEASE_SECONDS, SCENARIOS, Scenario, World, equip
from tests.engine.plant import Plant
from tests.server_database import is_server

pytestmark = pytest.mark.django_db(transaction=True)

# A kind of commit that a life passes more often is died at twice: the first time may be before anything was at stake.
TIMES = 1 if is_server() else 2


@pytest.fixture
def world(plant: Plant, owner: User, settings) -> Iterator[World]:
    settings.PLANS_RETRY_BASE_SECONDS = 0.01
    settings.PLANS_LEASE_SECONDS = LEASE_SECONDS
    with outside() as counted:
        yield equip(plant, owner, counted)


def check(world: World, scenario: Scenario, run: Run, where: str) -> None:
    assert run.state == scenario.state, where
    check_legal(run)
    for key in scenario.once:
        assert world.outside.effects(f"{run.uuid}/{key}") == 1, (where, key)
    for key in scenario.at_most_once:
        assert world.outside.arrived[f"{run.uuid}/{key}"] <= 1, (where, key)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_death_at_any_commit_loses_nothing_and_repeats_nothing(world: World, name: str, side: Side):
    """Cases C17, C54, C55: the process dies, and the next one goes on where the rows say."""
    scenario = SCENARIOS[name]
    for boundary in scenario.at:
        for number in range(1, TIMES + 1):
            where = f"{name}, {side} {boundary} {number}"
            died = dies_at(boundary, number, side, partial(scenario.live, world, where))
            check(world, scenario, scenario.live(world, where), where)
            assert died or number > 1, f"never reached: {where}"
            if not died:
                break


def test_there_is_a_life_for_every_kind_of_commit():
    assert {boundary for scenario in SCENARIOS.values() for boundary in scenario.at} == set(Boundary)
