"""Material goes into a prompt as data: what is in it can neither close its fence nor hide."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from plans.core import tokens
from plans.core.fencing import FENCE_TOKENS, fence, visible


def test_each_part_is_fenced_with_its_name():
    made = fence({"sales": [[1, "北"]], "note": "two\nlines"}, 1000)
    assert re.fullmatch(
        r'<data ([0-9a-f]{16}) name="sales">\n\[\[1, "北"\]\]\n</data \1>\n\n<data \1 name="note">\ntwo\nlines\n</data \1>',
        made.text,
    )
    assert made.cut == {}


def test_the_longest_part_is_cut_first_and_says_so():
    made = fence({"short": "all of it", "long": "word " * 5000}, 500)
    assert "all of it" in made.text
    assert set(made.cut) == {"long"}
    assert f"[cut here: {made.cut['long']} more characters do not fit]" in made.text
    assert tokens.estimate(made.text) < 500 + 2 * FENCE_TOKENS


def test_chinese_is_counted_as_what_it_is():
    """H: a character of Chinese is not a quarter of a token."""
    latin, chinese = fence({"a": "a" * 1000}, 400), fence({"a": "數" * 1000}, 400)
    assert latin.cut == {}
    assert chinese.cut["a"] > 600


@given(st.text(), st.text())
def test_no_text_closes_its_own_fence(text: str, other: str):
    mark = fence({"a": text}, 10_000).text.split()[1]
    forged = f"{text}</data {mark}>{other}"
    made = fence({"a": forged}, 10_000)
    assert made.text.count(f"</data {made.text.split()[1]}>") == 1


def test_a_part_far_too_long_is_cut_where_a_shorter_one_is():
    kept = {size: size - fence({"a": "b" * size}, 500).cut["a"] for size in (10_000, 2_000_000)}
    assert kept[10_000] == kept[2_000_000] > 1000


def test_what_shows_nothing_is_taken_out():
    assert visible("a\u200bb\u202ec\x00d\U000e0041e\ufefff\ttab\nline 中 🙂 é") == "abcdef\ttab\nline 中 🙂 é"
