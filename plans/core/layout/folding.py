"""Which groups start folded, and when a graph is so large that the page asks before it draws it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from plans.core.layout.tree import Tree
from plans.core.layout.values import Graph
from plans.core.states import TASK_TERMINAL, TaskState

FOLD_ABOVE = 150
ASK_ABOVE = 1_000

TROUBLE = frozenset({TaskState.FAILED, TaskState.WAITING})
ACTIVE = TROUBLE | {TaskState.RUNNING, TaskState.RETRYING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Folding:
    """`asks` is true when so many nodes stay visible that a person should say whether to draw them."""

    folded: frozenset[str]
    visible: int
    asks: bool


def default_folding(
    graph: Graph,
    states: Mapping[str, TaskState],
    *,
    fold: Collection[str] = (),
    unfold: Collection[str] = (),
) -> Folding:
    """Return the folds of a page: what a person chose (`fold`, `unfold`), the rules for the rest.

    Finished groups start folded; one with a failed or waiting task never does. Above FOLD_ABOVE visible nodes all
    groups fold but those in which something runs. `states` may be empty: a plan that has not started.
    """
    graph = replace(graph, edges=())  # only who stands in what matters here
    tree = Tree(graph)
    inside: dict[str, set[TaskState]] = {group.id: set() for group in graph.groups}
    for node in graph.nodes:
        for group in tree.containers(node.id):
            inside[group].add(states.get(node.id, TaskState.PENDING))
    for group in inside:
        if group in states:  # a milestone is a row of its own: its check may still run, or have failed
            for container in (group, *tree.containers(group)):
                inside[container].add(states[group])
    finished = {group for group, found in inside.items() if found and found <= TASK_TERMINAL and not found & TROUBLE}
    folded = _chosen(finished, inside, fold, unfold)
    if visible_count(graph, folded) > FOLD_ABOVE:
        quiet = {group for group, found in inside.items() if not found & ACTIVE}
        folded = _chosen(quiet, inside, fold, unfold)
    visible = visible_count(graph, folded)
    return Folding(folded=folded, visible=visible, asks=visible > ASK_ABOVE)


def _chosen(
    start: Collection[str], known: Mapping[str, object], fold: Collection[str], unfold: Collection[str]
) -> frozenset[str]:
    return frozenset(name for name in known if name in fold or (name in start and name not in unfold))


def visible_count(graph: Graph, folded: Collection[str]) -> int:
    """Return how many nodes are drawn, folded groups counted as one."""
    tree = Tree(replace(graph, edges=()), folded)
    return sum(name not in tree.children for name in set(tree.shown.values()))
