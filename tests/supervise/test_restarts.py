"""Backoff of a child that keeps ending."""

from plans.supervise.restarts import Restarts


def test_quick_failures_wait_longer_each_time_and_then_give_up():
    restarts = Restarts()
    assert [restarts.delay_after(0.1) for _ in range(6)] == [0.25, 0.5, 1.0, 2.0, 4.0, None]


def test_delay_is_capped():
    restarts = Restarts(limit=20)
    assert max(restarts.delay_after(1) for _ in range(15)) == 8


def test_failure_after_a_long_life_is_a_first_failure():
    restarts = Restarts()
    for _ in range(4):
        restarts.delay_after(1)

    assert [restarts.delay_after(3600) for _ in range(10)] == [0.25] * 10
