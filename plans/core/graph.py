"""Graph algorithms over upstream mappings: iterative, deterministic, linear in edges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from plans.core.errors import CycleError, UnknownDependency

Upstream: TypeAlias = Mapping[str, Collection[str]]
"""Node -> the nodes it waits for. Every node is a key; the order of the mapping breaks no tie."""

UNKNOWN_SECONDS = 1.0
"""What a node without a duration counts, so that chains without estimates still compare by their length."""


def downstream_of(upstream: Upstream) -> dict[str, list[str]]:
    """Return node -> the nodes that wait for it. Raises UnknownDependency."""
    downstream: dict[str, list[str]] = {node: [] for node in upstream}
    for node, ups in upstream.items():
        for up in dict.fromkeys(ups):
            if up not in downstream:
                raise UnknownDependency(task=node, dependency=up)
            downstream[up].append(node)
    return downstream


def order(upstream: Upstream) -> list[str]:
    """Return the nodes upstream first (Kahn 1962). Raises CycleError, UnknownDependency."""
    downstream = downstream_of(upstream)
    waiting = {node: len(set(ups)) for node, ups in upstream.items()}
    done = [node for node, count in waiting.items() if not count]
    for node in done:  # grows while it is read: a queue without a second list
        for down in downstream[node]:
            waiting[down] -= 1
            if not waiting[down]:
                done.append(down)
    if len(done) < len(waiting):
        raise CycleError(find_cycle(upstream) or [])
    return done


def levels(upstream: Upstream, ordered: Sequence[str] | None = None) -> dict[str, int]:
    """Return node -> length of the longest chain above it; roots are 0. `ordered` spares finding the order again."""
    level: dict[str, int] = {}
    for node in ordered or order(upstream):
        level[node] = max((level[up] + 1 for up in upstream[node]), default=0)
    return {node: level[node] for node in upstream}


def batches(upstream: Upstream) -> list[list[str]]:
    """Return the nodes of each level in the order of `upstream`: what could run side by side."""
    return grouped(levels(upstream))


def grouped(level_of: Mapping[str, int]) -> list[list[str]]:
    """Return the nodes of each level in the order of the mapping."""
    found: list[list[str]] = []
    for node, level in level_of.items():
        while len(found) <= level:
            found.append([])
        found[level].append(node)
    return found


def remaining(
    upstream: Upstream, seconds: Mapping[str, float], ordered: Sequence[str] | None = None
) -> dict[str, float]:
    """Return node -> seconds from its start to the end of the longest chain below it, its own included."""
    downstream = downstream_of(upstream)
    left: dict[str, float] = {}
    for node in reversed(ordered or order(upstream)):
        own = seconds.get(node, UNKNOWN_SECONDS)
        left[node] = own + max((left[down] for down in downstream[node]), default=0.0)
    return {node: left[node] for node in upstream}


def critical_path(upstream: Upstream, seconds: Mapping[str, float], ordered: Sequence[str] | None = None) -> list[str]:
    """Return the longest upstream-to-downstream chain by duration; ties go to the later key. Raises CycleError."""
    left = remaining(upstream, seconds, ordered)
    downstream = downstream_of(upstream)
    path: list[str] = []
    choice = [node for node, ups in upstream.items() if not ups]
    while choice:
        path.append(max(choice, key=lambda node: (left[node], node)))
        choice = downstream[path[-1]]
    return path


def _reach(neighbours: Mapping[str, Collection[str]], start: str) -> set[str]:
    seen: set[str] = set()
    stack = list(neighbours[start])
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(neighbours.get(node, ()))
    return seen


def ancestors(upstream: Upstream, node: str) -> set[str]:
    """Return every node that `node` waits for, directly or not. A node of a cycle is its own ancestor."""
    return _reach(upstream, node)


def descendants(upstream: Upstream, node: str) -> set[str]:
    """Return every node that waits for `node`, directly or not."""
    return _reach(downstream_of(upstream), node)


def find_cycle(upstream: Upstream) -> list[str] | None:
    """Return one cycle in the order of execution, its first node repeated at the end, or None.

    The same graph gives the same cycle: nodes and their upstream are tried in sorted order, and the path begins with
    the smallest key. Unknown dependencies are ignored.
    """
    finished: set[str] = set()
    for root in sorted(upstream):
        found = _cycle_from(upstream, root, finished)
        if found:
            turn = found.index(min(found))
            found = found[turn:] + found[:turn]
            return [*found, found[0]]
    return None


def _cycle_from(upstream: Upstream, root: str, finished: set[str]) -> list[str] | None:
    # Depth first against the arrows, so the path found is turned round before it is returned.
    path: dict[str, None] = {}
    stack = [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            del path[node]
            finished.add(node)
        elif node in path:
            nodes = list(path)
            return nodes[nodes.index(node) :][::-1]
        elif node not in finished:
            path[node] = None
            stack.append((node, True))
            stack.extend((up, False) for up in sorted(upstream[node], reverse=True) if up in upstream)
    return None


def ancestor_bits(upstream: Upstream) -> tuple[dict[str, int], dict[str, int]]:
    """Return node -> its own bit, and node -> the bits of its ancestors: reachability for many questions."""
    nodes = order(upstream)
    bit = {node: 1 << index for index, node in enumerate(nodes)}
    above: dict[str, int] = {}
    for node in nodes:
        bits = 0
        for up in upstream[node]:
            bits |= above[up] | bit[up]
        above[node] = bits
    return bit, above


def transitive_reduction(upstream: Upstream) -> dict[str, list[str]]:
    """Return the graph without the edges that other paths imply (Aho, Garey, Ullman 1972). Only on request."""
    bit, above = ancestor_bits(upstream)
    reduced: dict[str, list[str]] = {}
    for node, ups in upstream.items():
        kept = list(dict.fromkeys(ups))
        reduced[node] = [up for up in kept if not any(above[other] & bit[up] for other in kept if other != up)]
    return reduced
