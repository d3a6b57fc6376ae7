"""The watchdog's judgement, on made-up times."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.supervise.watchdog import Watchdog


@dataclass(frozen=True)
class Pulse:
    ready: int = 1
    claims: int = 7
    idle_slots: int = 1

    @property
    def is_quiet(self) -> bool:
        return self.ready == 0 or self.idle_slots == 0


def fired_at(pulses: list[tuple[float, Pulse]], seconds: float = 15) -> list[float]:
    watchdog = Watchdog(seconds=seconds, longest_gap_seconds=seconds / 2)
    return [now for now, pulse in pulses if watchdog.is_wedged(pulse, now)]


@pytest.mark.parametrize(
    ("name", "pulses", "expected"),
    [
        ("work nobody takes", [(float(t), Pulse()) for t in range(20)], [15.0]),
        ("it starts over after it fired", [(float(t), Pulse()) for t in range(35)], [15.0, 30.0]),
        ("nothing is ready", [(float(t), Pulse(ready=0)) for t in range(40)], []),
        ("every slot is busy", [(float(t), Pulse(idle_slots=0)) for t in range(40)], []),
        ("something is claimed now and then", [(float(t), Pulse(claims=t // 10)) for t in range(60)], []),
        ("work came late", [(float(t), Pulse(ready=int(t >= 20))) for t in range(36)], [35.0]),
        ("nobody looked for a while", [(0.0, Pulse()), (60.0, Pulse()), (61.0, Pulse())], []),
    ],
)
def test_cluster_is_wedged_only_when_each_look_saw_idle_slots_and_the_same_work(name, pulses, expected):
    assert fired_at(pulses) == expected


def test_new_cluster_gets_the_whole_time_again():
    watchdog = Watchdog(seconds=15, longest_gap_seconds=7)
    for now in range(14):
        assert not watchdog.is_wedged(Pulse(), now)

    watchdog.begin(14)

    assert [now for now in range(14, 31) if watchdog.is_wedged(Pulse(), now)] == [29]


looks = st.lists(
    st.tuples(
        st.floats(min_value=0.01, max_value=12),
        st.builds(Pulse, ready=st.integers(0, 2), claims=st.integers(0, 2), idle_slots=st.integers(0, 1)),
    ),
    max_size=60,
)


@given(looks)
def test_it_never_fires_without_a_whole_quiet_time_before(steps):
    now, pulses = 0.0, []
    for gap, pulse in steps:
        now += gap
        pulses.append((now, pulse))

    for at in fired_at(pulses, seconds=10):
        window = [(time, pulse) for time, pulse in pulses if at - 10 <= time <= at]
        assert not any(pulse.is_quiet for _, pulse in window)
        assert len({pulse.claims for _, pulse in window}) == 1
        assert all(later[0] - earlier[0] <= 5 for earlier, later in pairwise(window))


@given(st.floats(min_value=0.05, max_value=5), st.integers(1, 5), st.integers(1, 8))
def test_it_always_fires_when_looked_at_often_enough(gap, ready, idle_slots):
    times = [gap * step for step in range(int(10 / gap) + 3)]
    pulses = [(now, Pulse(ready=ready, idle_slots=idle_slots)) for now in times]

    assert len(fired_at(pulses, seconds=10)) >= 1
