"""Numbers, dates and texts as people read them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from plans.skills.compute import people


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (Decimal("118447.8250"), 2, "118,447.83"),
        (Decimal("-2.5"), 0, "-3"),
        (0.125, 2, "0.13"),
        (-0.0000001, 2, "0.00"),
        (1234567, 0, "1,234,567"),
        (12, 2, "12.00"),
        (1e300, 0, f"{10**300:,}"),
    ],
)
def test_numbers_have_separators_and_round_halves_up(value: Any, decimals: int, text: str) -> None:
    assert people.number(value, decimals) == text


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([1, 2], 0),
        ([1.0, 2.0], 0),
        ([0.5, 0.25], 2),
        ([Decimal("1200.50"), Decimal("3")], 2),
        ([Decimal("43971.3740")], 2),
        ([1 / 3], 2),
        ([0.1234], 4),
        ([], 0),
        ([None, 0.5], 1),
    ],
)
def test_a_column_shows_as_many_decimals_as_help(values: list[Any], decimals: int) -> None:
    assert people.decimals_of(values) == decimals


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([date(2026, 1, 1), date(2026, 2, 1)], "%Y-%m"),
        ([datetime(2026, 1, 1), datetime(2026, 2, 1)], "%Y-%m"),  # noqa: DTZ001
        ([date(2026, 1, 1)], "%Y-%m-%d"),
        ([datetime(2026, 1, 1, 8, 30), None], "%Y-%m-%d %H:%M"),  # noqa: DTZ001
        ([datetime(2026, 1, 1, 8, 30, 5)], "%Y-%m-%d %H:%M:%S"),  # noqa: DTZ001
    ],
)
def test_dates_say_no_more_than_they_know(values: list[Any], form: str) -> None:
    assert people.day_form(values) == form


def test_a_long_text_keeps_both_ends() -> None:
    assert people.cut("/projects/very/long/path/index.html", 20) == "/projects/ve…ex.html"
    assert people.cut("short", 20) == "short"


def test_control_characters_never_reach_a_page() -> None:
    assert people.tidy("a\nb\x00\x1b[31m  c") == "a b [31m c"
