"""What is certain in a model's text is read and said; what is cut off or could mean two things is refused, with its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.reading.lenient import Broken, Lenient, TooDeep
from tests.core.compile.plans import codes
from tests.core.compile.reading_cases import ONE, text
from tests.core.test_expressions import json_values

BIG = '{"goal": "sum", "tasks": [{"id": "a", "skill": "noop"}, {"id": "b", "skill": "noop", "depends_on": ["a"]}]}'
DRAFT = '{"tasks": [{"id": "a", "skill": "noop"}]}'


def said(raw):
    """Return the verdict and the codes, those of the compiler's advice left out."""
    result = text(raw)
    return result.outcome, codes(result)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (f"\ufeff\n\n  {BIG}", ["byte_order_mark_removed"]),
        (f"Here is the plan.\n```json\n{BIG}\n```\nShall I go on?", ["fence_removed", "prose_removed"]),
        (f"```\r\n{BIG}\r\n```\r\n", ["fence_removed"]),
        (f"~~~ json\n{BIG}\n~~~", ["fence_removed"]),
        (f"As said in [1], {{smile}}: {BIG}", ["prose_removed"]),
        (f"plan = {BIG};", ["prose_removed"]),
        (f"<think>first {{a}} then</think>\n{BIG}", ["thoughts_removed"]),
        (f"<Thinking>[x]</Thinking><reasoning>y</reasoning>{BIG}", ["thoughts_removed"]),
        (f"I could load {{this}}.</think>\n{BIG}", ["thoughts_removed"]),
        (f"}} {BIG} ]", ["braces_removed"]),
        (f"{DRAFT}\nOn reflection:\n{BIG}", ["prose_removed", "last_plan_taken"]),
    ],
)
def test_what_stands_around_the_one_plan_is_left_out(raw, found):
    """C02: a reply of prose, a fenced block and prose, or with a byte order mark or blank lines, is accepted."""
    outcome, codes_said = said(raw)
    assert (outcome, sorted(codes_said)) == ("repaired", sorted(found))


def test_of_two_blocks_the_one_that_is_a_plan_is_taken():
    """C02: given two JSON blocks, the one that matches the schema."""
    outcome, found = said(f'Input:\n```json\n{{"path": "sales.csv"}}\n```\nPlan:\n```json\n{BIG}\n```')
    assert (outcome, sorted(found)) == ("repaired", ["fence_removed", "prose_removed"])


@pytest.mark.parametrize(
    ("raw", "goal"),
    [
        (r'"C:\Users\Data"', r"C:\Users\Data"),
        (r'"a\"b\Data"', r'a"b\Data'),
        ('"two\nlines\tand more"', "two\nlines\tand more"),
        ("'single \\'quoted\\' \"text\"'", "single 'quoted' \"text\""),
        ("“typographic”", "typographic"),
        ("‘single’", "single"),
        ('"""three\n"quotes" """', 'three\n"quotes" '),
        (r'"\ud83d\ude00 \u00e9\n"', "😀 é\n"),
        ('"//no # comment /* here */"', "//no # comment /* here */"),
        ("'{not: a plan}'", "{not: a plan}"),
        ('""', ""),
        ("''", ""),
    ],
)
def test_a_text_means_what_it_says(raw, goal):
    result = text(f"{DRAFT[:-1]}, /* */ goal: {raw},}}")
    assert (result.outcome, result.plan.goal) == ("repaired", goal)


@pytest.mark.parametrize(
    ("raw", "code", "line", "column"),
    [
        ('{"tasks": [\n  {"id": "a", "skill": "no', "plan_cut_off", 2, 24),
        ('{"tasks": [\n  {"id": "a", "skill": "noop"},', "plan_cut_off", 2, 32),
        ('{"tasks": [\n  {"id": "a", "skill": "noop"}\n]', "plan_cut_off", 3, 2),
        ('{"tasks": [{"id": "a", "skill": "noop"}, ...]}', "plan_cut_off", 1, 42),
        ('{"tasks": [{"id": "a"}] /* and so on', "plan_cut_off", 1, 25),
        ('{"tasks": [{"id": "a", "always_run": tru', "plan_cut_off", 1, 38),
        ("<think>what now", "plan_cut_off", 1, 1),
        ('{"tasks": [\n {"id": "a", "name": "the "big" one"}]}', "not_json", 2, 28),
        ('{"tasks": [{"id": "a",, "skill": "noop"}]}', "not_json", 1, 23),
        ('{"tasks": [{"id": NaN}]}', "not_json", 1, 19),
        ('{"tasks": [{"id": 007}]}', "not_json", 1, 19),
        ('{"tasks": [{"id": "a", "depends_on": ["b"\n "c"]}]}', "not_json", 2, 2),
        (r'{"tasks": [], "goal": "C:\Users\new"}', "not_json", 1, 26),
        ("{'tasks': [], 'goal': 'don't'}", "not_json", 1, 28),
        ("{tasks: [], goal: undefined}", "not_json", 1, 19),
        ('{"tasks": []} {"id": "b", "skill": ', "plan_cut_off", 1, 36),
    ],
)
def test_what_is_cut_off_or_ambiguous_is_refused_at_its_place(raw, code, line, column):
    """C06, C08: nothing that is broken or cut is used as if it were whole, and no filler is made up."""
    result = text(raw)
    assert (result.outcome, result.plan, codes(result)) == ("rejected", None, [code])
    assert (result.findings[0].params["line"], result.findings[0].params["column"]) == (line, column)


@pytest.mark.parametrize(
    "raw",
    [
        DRAFT + "\n" + DRAFT.replace('"a"', '"b"'),
        f'{DRAFT[:-1]}, "x": 1}} , {{"id": "b", "skill": "noop"}}]}}',
        f'{{"careful": {DRAFT}, "fast": {BIG}}}',
    ],
)
def test_more_than_one_plan_or_a_task_beside_it_is_refused(raw):
    outcome, found = said(raw)
    assert (outcome, set(found) & {"several_plans"}) == ("rejected", {"several_plans"})


@pytest.mark.parametrize("cut", range(1, len(BIG)))
def test_no_beginning_of_a_plan_is_read_as_a_plan(cut):
    """C08: wherever the reply was cut."""
    for raw in (BIG[:cut], f"Here it is:\n{BIG[:cut]}", BIG[:cut].replace('"', "'")):
        assert text(raw).outcome == "rejected"


def test_the_words_of_a_refusal_are_shown():
    result = text("I'm sorry, but I can't help with that.")
    assert (codes(result), result.findings[0].params["excerpt"]) == (
        ["no_plan_in_text"],
        "I'm sorry, but I can't help with that.",
    )


@given(json_values)
def test_the_forgiving_reader_reads_plain_json_as_json_does(value):
    written = json.dumps(value)
    for raw in (written, json.dumps(value, indent=2, ensure_ascii=False)):
        reader = Lenient(raw)
        try:
            read, end = reader.read(0)
        except (Broken, TooDeep):
            assert isinstance(value, float | int) and not isinstance(value, bool)  # noqa: PT018
            continue
        assert (json.dumps(read), end) == (written, len(raw))
        assert not reader.repeated


@given(st.text("{}[]\"'“”,:：，\\/*# \nabt0-…<>think`", max_size=60))
def test_no_text_breaks_the_reader(raw):
    assert text(raw).outcome == "rejected"


@pytest.mark.parametrize(
    "raw",
    [
        "{" * 400_000,
        "[" * 400_000,
        '["' * 300_000,
        '{"a":' * 200_000,
        "{a " * 300_000,
        "'" * 900_000,
        "/*" * 400_000,
        "<think>" * 100_000,
        "{'" + "\\" * 900_000,
        "[[" * 100_000 + ONE + "]]" * 100_000,
    ],
)
def test_hostile_text_of_a_megabyte_is_refused_in_linear_work(raw):
    """Work that grew with the square of the length would run into the test's time limit."""
    assert text(raw).outcome == "rejected"
