"""How much a written plan is like a gold one: nodes matched, edges between them, the largest part that is the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plans.planning.modelled.offering import words

# Below this two descriptions share too little to mean the same step.
LEAST_LIKE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Steps by id, each with its tool ("" where only words tell) and its words; edges are (upstream, downstream)."""

    steps: Mapping[str, tuple[str, str]]
    edges: frozenset[tuple[str, str]] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """F1 of nodes, of edges, and of the largest connected part that both graphs have; each 0 to 1."""

    nodes: float
    edges: float
    graph: float


def compare(written: Graph, gold: Graph) -> Scores:
    """Score a plan against the gold graph. Two graphs without edges agree on them."""
    pairs = matched(written, gold)
    mapped = {(pairs[up], pairs[down]) for up, down in written.edges if up in pairs and down in pairs}
    shared = mapped & gold.edges
    return Scores(
        nodes=f1(len(pairs), len(written.steps), len(gold.steps)),
        edges=f1(len(shared), len(written.edges), len(gold.edges)) if written.edges or gold.edges else 1.0,
        graph=f1(_largest(set(pairs.values()), shared), len(written.steps), len(gold.steps)),
    )


def matched(written: Graph, gold: Graph) -> dict[str, str]:
    """Return written step → gold step, each used once: the same tool, or words enough in common; the most alike first."""
    ranked = sorted(
        (
            (like, one, other)
            for one, step in written.steps.items()
            for other, wanted in gold.steps.items()
            if (like := alike(step, wanted)) >= LEAST_LIKE
        ),
        key=lambda found: (-found[0], found[1], found[2]),
    )
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for _, one, other in ranked:
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return pairs


def alike(step: tuple[str, str], wanted: tuple[str, str]) -> float:
    """Return how alike two steps are: tools decide where both have one, the words in common (0 to 1) order the rest."""
    common = _common(step[1], wanted[1])
    if step[0] and wanted[0]:
        return 1 + common if step[0].casefold() == wanted[0].casefold() else 0.0
    return common


def _common(one: str, other: str) -> float:
    first, second = set(words(one)), set(words(other))
    return len(first & second) / len(first | second) if first | second else 0.0


def f1(shared: int, written: int, gold: int) -> float:
    """Return the harmonic mean of shared/written and shared/gold."""
    return 2 * shared / (written + gold) if written + gold else 1.0


def _largest(nodes: set[str], edges: Sequence[tuple[str, str]] | set[tuple[str, str]]) -> int:
    """Return the number of nodes in the largest connected part."""
    beside: dict[str, set[str]] = defaultdict(set)
    for up, down in edges:
        beside[up].add(down)
        beside[down].add(up)
    largest, seen = 0, set[str]()
    for start in nodes:
        if start in seen:
            continue
        part, waiting = set[str](), [start]
        while waiting:
            node = waiting.pop()
            if node not in part:
                part.add(node)
                waiting += beside[node] - part
        seen |= part
        largest = max(largest, len(part))
    return largest
