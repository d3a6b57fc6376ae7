"""Text widths, default folds, and the picture against the reference study on the same graphs."""

import importlib.util
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.layout import Graph, Group, Node, clip, default_folding, lay_out, text_width, visible_count
from plans.core.layout.layers import backward, rank
from plans.core.states import TaskState


def test_cjk_and_emoji_count_one_em():
    assert text_width("移行リスク", 13) == 5 * 13
    assert text_width("🚀", 10) == 10


def test_marks_and_invisible_characters_count_nothing():
    assert text_width("e\u0301\u200d\u202e", 10) == text_width("e", 10)


@given(st.text(max_size=60), st.floats(20, 400))
def test_a_clipped_text_fits_and_is_a_beginning_of_the_whole(text, room):
    cut = clip(text, room, 13)
    whole = " ".join(text.split())
    if cut != whole:
        assert cut.endswith("…")
        assert whole.startswith(cut[:-1])
        assert text_width(cut, 13) <= room + 1e-6
    else:
        assert text_width(cut, 13) <= room + 1e-6


def test_a_text_of_five_thousand_characters_is_cut_to_a_few():
    assert len(clip("W" * 5000, 178, 13)) < 20


def test_rank_is_the_longest_path_and_lone_sources_sink_to_what_needs_them():
    assert rank(4, [(0, 1), (1, 2), (3, 2)]) == [0, 1, 2, 1]


def test_backward_cuts_the_arc_that_goes_against_the_levels():
    assert backward(2, [(0, 1), (1, 0)], [5, 0]) == {(0, 1)}
    assert backward(3, [(0, 1), (1, 2)], [0, 0, 0]) == set()


def milestones(sizes: list[int]) -> Graph:
    return Graph(
        nodes=tuple(Node(id=f"{m}.{n}", group=f"m{m}") for m, size in enumerate(sizes) for n in range(size)),
        groups=tuple(Group(id=f"m{m}") for m in range(len(sizes))),
    )


def test_finished_milestones_start_folded_and_failed_or_waiting_ones_never():
    graph = milestones([1, 1, 1, 1, 1])
    states = {
        "0.0": TaskState.SUCCEEDED, "1.0": TaskState.FAILED, "2.0": TaskState.WAITING, "3.0": TaskState.SKIPPED,
        "4.0": TaskState.PENDING,
    }  # fmt: skip
    assert default_folding(graph, states).folded == {"m0", "m3"}


def test_a_milestone_whose_own_check_failed_or_still_runs_stays_open():
    graph = milestones([1, 1, 1])
    done = {f"{m}.0": TaskState.SUCCEEDED for m in range(3)}
    own = {"m0": TaskState.FAILED, "m1": TaskState.RUNNING, "m2": TaskState.SUCCEEDED}
    assert default_folding(graph, done | own).folded == {"m2"}


def test_what_a_person_chose_wins_over_the_rules():
    graph = milestones([1, 1])
    states = {"0.0": TaskState.SUCCEEDED, "1.0": TaskState.FAILED}
    assert default_folding(graph, states, fold=["m1"], unfold=["m0"]).folded == {"m1"}


def test_150_nodes_stay_open_and_one_more_folds_all_but_the_active():
    assert default_folding(milestones([75, 75]), {}).folded == frozenset()
    graph = milestones([75, 75, 1])
    states = {"1.3": TaskState.RUNNING}
    found = default_folding(graph, states)
    assert found.folded == {"m0", "m2"}
    assert found.visible == visible_count(graph, {"m0", "m2"}) == 77


def test_above_a_thousand_visible_nodes_it_asks():
    flat = Graph(nodes=tuple(Node(id=str(index)) for index in range(1000)))
    assert not default_folding(flat, {}).asks
    assert default_folding(Graph(nodes=(*flat.nodes, Node(id="one more"))), {}).asks
    assert not default_folding(milestones([500, 600]), {}).asks


def test_a_parent_is_finished_only_with_all_below_it():
    graph = Graph(
        nodes=(Node(id="a", group="inner"), Node(id="b", group="outer")),
        groups=(Group(id="outer"), Group(id="inner", parent="outer")),
    )
    states = {"a": TaskState.SUCCEEDED, "b": TaskState.READY}
    assert default_folding(graph, states).folded == {"inner"}


# --- the reference study (design/mock/layout_ref.py): its two kinds of graphs, generated here as its text describes them


def plan_like(count: int, seed: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Return edges and milestones: 7 to 13 tasks each, fan-out and fan-in, 8% cross edges."""
    rng = random.Random(seed)
    edges: set[tuple[int, int]] = set()
    group: list[int] = []
    last: list[int] = []
    while len(group) < count:
        first = len(group)
        size = min(rng.randint(7, 13), count - first)
        group += [group[-1] + 1 if group else 0] * size
        wide = rng.randint(2, 4)
        rows = [list(range(at, min(at + wide, first + size - 1))) for at in range(first + 1, first + size - 1, wide)]
        for above, row in zip([[first], *rows], rows, strict=False):
            edges |= {(rng.choice(above), node) for node in row}
        begun = {up for up, _ in edges}
        edges |= {(node, first + size - 1) for row in rows for node in row if node not in begun}
        edges |= {(up, first) for up in last[-rng.randint(1, 2) :]}
        edges |= {(rng.randrange(first), node) for node in range(first, first + size) if first and rng.random() < 0.08}
        last.append(first + size - 1)
    return sorted(edges), group


def wide_like(count: int, seed: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Return a random layered graph with in-degree 1 to 3."""
    rng = random.Random(seed)
    layers = round(count**0.5)
    layer = [node * layers // count for node in range(count)]
    above = {at: [node for node in range(count) if layer[node] == at] for at in range(layers)}
    edges = {
        (rng.choice(above[layer[node] - 1]), node)
        for node in range(count)
        if layer[node]
        for _ in range(rng.randint(1, 3))
    }
    return sorted(edges), [node * 10 // count for node in range(count)]


def crossings(lines: list[list[tuple[float, float]]]) -> int:
    """Count proper crossings of polylines, edge against edge."""

    def side(a, b, c) -> int:
        value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        return 0 if abs(value) < 1e-6 else 1 if value > 0 else -1

    parts = sorted(
        (min(a[1], b[1]), max(a[1], b[1]), number, a, b)
        for number, line in enumerate(lines)
        for a, b in itertools.pairwise(line)
    )
    count, active = 0, []
    for part in parts:
        low, _, number, a, b = part
        active = [other for other in active if other[1] > low]
        for _, _, other, c, d in active:
            if other != number and side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
                count += 1
        active.append(part)
    return count


@pytest.fixture(scope="module")
def reference(shared):
    path = shared / "design" / "mock" / "layout_ref.py"
    if not path.is_file():
        pytest.skip("the reference layout is not here")
    spec = importlib.util.spec_from_file_location("layout_ref", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("is_grouped", [False, True])
@pytest.mark.parametrize("make", [plan_like, wide_like])
def test_300_nodes_cross_no_more_than_in_the_reference(reference, make, is_grouped):
    ours = theirs = 0
    for seed in range(1, 5):
        edges, group = make(300, seed)
        graph = Graph(
            nodes=tuple(Node(id=str(node), group=f"g{group[node]}" if is_grouped else None) for node in range(300)),
            edges=tuple((str(up), str(down)) for up, down in edges),
            groups=tuple(Group(id=f"g{index}") for index in range(max(group) + 1)) if is_grouped else (),
        )
        ours += crossings([list(route.points) for route in lay_out(graph).routes])
        if is_grouped:
            _, lines, _ = reference.layout_grouped(300, edges, group, 226, 44, 24, 38, PAD=14, HEAD=24)
        else:
            _, lines = reference.layout(300, edges, 226, 44, 24, 38)
        theirs += crossings(list(lines.values()))
    assert ours <= theirs
