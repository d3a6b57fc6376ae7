"""The estimate of tokens: a little high in every script, and a cut that keeps within it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core import tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("Find last month's five busiest pages and chart them, please.", 12, 25),
        ("請找出上個月最忙的五個頁面並畫成圖表", 18, 36),
        ("먼저 데이터를 읽고 월별로 합계를 내세요", 12, 32),
        ('{"a": [1, 2, 3], "b": {"c": null}}', 12, 24),
        ("🙂🙂", 2, 6),
    ],
)
def test_the_estimate_is_near_what_tokenizers_give(text: str, least: int, most: int):
    assert least <= tokens.estimate(text) <= most


@given(st.text(), st.integers(0, 100))
def test_a_cut_keeps_the_beginning_and_counts_the_rest(text: str, limit: int):
    kept, left = tokens.cut(text, limit)
    assert text.startswith(kept)
    assert left == len(text) - len(kept)
    assert tokens.estimate(kept) <= limit
    assert left == 0 or tokens.estimate(text) > limit
