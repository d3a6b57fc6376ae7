"""Graph laws, by Hypothesis and by chains too long for recursion."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core import graph
from plans.core.errors import CycleError, UnknownDependency
from tests.core.dags import dags, graphs

CHAIN = {f"n{index}": [f"n{index - 1}"] if index else [] for index in range(3_000)}


def edges(upstream):
    return {(up, node) for node, ups in upstream.items() for up in ups}


@given(dags())
def test_every_node_stands_one_level_below_its_deepest_upstream(upstream):
    levels = graph.levels(upstream)
    assert levels == {node: max((levels[up] + 1 for up in ups), default=0) for node, ups in upstream.items()}


@given(dags())
def test_batches_hold_every_node_once_and_nothing_waits_inside_its_batch(upstream):
    batches = graph.batches(upstream)
    assert sorted(node for batch in batches for node in batch) == sorted(upstream)
    assert all(not set(upstream[node]) & set(batch) for batch in batches for node in batch)


@given(dags(), st.data())
def test_the_critical_path_is_a_chain_as_long_as_the_longest_remaining_time(upstream, data):
    seconds = {node: float(data.draw(st.integers(0, 5))) for node in upstream}
    path = graph.critical_path(upstream, seconds)
    left = graph.remaining(upstream, seconds)
    assert all(up in upstream[down] for up, down in pairwise(path))
    assert sum(seconds[node] for node in path) == max(left.values(), default=0.0)
    assert not path or (not upstream[path[0]] and not any(path[-1] in ups for ups in upstream.values()))


def test_ties_of_the_critical_path_go_to_the_later_key():
    upstream = {"b": [], "a": [], "c": ["a", "b"], "e": ["c"], "d": ["c"]}
    assert graph.critical_path(upstream, {}) == ["b", "c", "e"]


@given(dags())
def test_ancestors_and_descendants_mirror_each_other(upstream):
    above = {node: graph.ancestors(upstream, node) for node in upstream}
    below = {node: graph.descendants(upstream, node) for node in upstream}
    assert {(up, node) for node in above for up in above[node]} == {
        (node, down) for node in below for down in below[node]
    }


@given(dags())
def test_transitive_reduction_keeps_every_ancestor_and_only_given_edges(upstream):
    reduced = graph.transitive_reduction(upstream)
    assert edges(reduced) <= edges(upstream)
    assert all(graph.ancestors(reduced, node) == graph.ancestors(upstream, node) for node in upstream)
    for node, ups in reduced.items():
        for up in ups:
            without = {**reduced, node: [other for other in ups if other != up]}
            assert up not in graph.ancestors(without, node)


@given(graphs())
def test_a_graph_has_an_order_or_a_cycle_that_is_really_there(upstream):
    path = graph.find_cycle(upstream)
    if path is None:
        done = graph.order(upstream)
        assert all(done.index(up) < done.index(node) for node, ups in upstream.items() for up in ups)
        return
    assert path[0] == path[-1] == min(path)
    assert all(up in upstream[down] for up, down in pairwise(path))
    assert len(set(path)) == len(path) - 1
    with pytest.raises(CycleError) as caught:
        graph.levels(upstream)
    assert caught.value.path == path


@given(graphs(), st.randoms())
def test_the_cycle_does_not_depend_on_the_order_of_the_mapping(upstream, rng):
    items = [(node, rng.sample(ups, len(ups))) for node, ups in upstream.items()]
    rng.shuffle(items)
    assert graph.find_cycle(dict(items)) == graph.find_cycle(upstream)


def test_an_unknown_dependency_is_named():
    with pytest.raises(UnknownDependency) as caught:
        graph.levels({"a": ["b"]})
    assert caught.value.params == {"task": "a", "dependency": "b"}


def test_a_chain_of_three_thousand_needs_no_recursion():
    assert graph.levels(CHAIN)["n2999"] == 2_999
    assert len(graph.critical_path(CHAIN, {})) == 3_000
    assert graph.remaining(CHAIN, {})["n0"] == 3_000.0
    assert len(graph.ancestors(CHAIN, "n2999")) == len(graph.descendants(CHAIN, "n0")) == 2_999
    assert graph.transitive_reduction(CHAIN) == CHAIN
    assert len(graph.find_cycle({**CHAIN, "n0": ["n2999"]})) == 3_001


def test_nothing_is_a_graph_too():
    assert graph.batches({}) == []
    assert graph.critical_path({}, {}) == []
    assert graph.find_cycle({}) is None
