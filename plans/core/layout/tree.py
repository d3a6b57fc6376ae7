"""Groups as a tree with some of them folded: what is visible, and which edges run through which container."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias

from plans.core.errors import GraphError
from plans.core.layout.values import Graph, Group, Node

Key: TypeAlias = tuple[str | None, str | None]
"""A line of a container: (upstream, downstream) as visible; None where it goes on outside."""


class Stretch(NamedTuple):
    """The part of an edge inside one container, between two of its items or an item and the outside (None)."""

    container: str | None
    key: Key
    tail: str | None
    head: str | None


class Tree:
    """`parent` maps every node and group to its group (None: top)."""

    def __init__(self, graph: Graph, folded: Collection[str] = ()) -> None:
        self.nodes: dict[str, Node] = {node.id: node for node in graph.nodes}
        self.groups: dict[str, Group] = {group.id: group for group in graph.groups}
        self.parent: dict[str, str | None] = {node.id: node.group for node in graph.nodes}
        self.parent |= {group.id: group.parent for group in graph.groups}
        self._check_ids(graph)
        self._containers: dict[str, tuple[str, ...]] = {}
        self.shown = {name: self._visible(name, folded) for name in self.parent}
        self.children = self._children()
        self.edges = self._lifted(graph.edges)

    def _check_ids(self, graph: Graph) -> None:
        if len(self.parent) == len(graph.nodes) + len(graph.groups):
            return
        seen: set[str] = set()
        for name in [*(node.id for node in graph.nodes), *(group.id for group in graph.groups)]:
            if name in seen:
                raise GraphError("duplicate_id", id=name, count=2)
            seen.add(name)

    def containers(self, name: str) -> tuple[str, ...]:
        """Return the groups `name` stands in, innermost first."""
        if name not in self._containers:
            found: dict[str, None] = {}
            above = self.parent[name]
            while above is not None:
                if above not in self.groups:
                    raise GraphError("unknown_milestone", milestone=above, user=name)
                if above in found or above == name:
                    raise GraphError("milestone_cycle", path=[*found, above])
                found[above] = None
                above = self.parent[above]
            self._containers[name] = tuple(found)
        return self._containers[name]

    def members(self) -> dict[str, tuple[str, ...]]:
        """Return the groups that are shown as a node, with the ids of the nodes they hide."""
        closed: dict[str, list[str]] = {shown: [] for shown in self.shown.values() if self.is_closed(shown)}
        for name in self.nodes:
            if self.shown[name] in closed:
                closed[self.shown[name]].append(name)
        return {name: tuple(nodes) for name, nodes in closed.items()}

    def is_closed(self, name: str) -> bool:
        """Tell whether a visible item is a group drawn as one node: folded, or with nothing in it."""
        return name in self.groups and name not in self.children

    def inner_first(self) -> Iterator[str | None]:
        """Yield the open containers, each after those inside it; the top (None) last."""
        stack: list[tuple[str | None, bool]] = [(None, False)]
        while stack:
            container, is_leaving = stack.pop()
            if is_leaving:
                yield container
                continue
            stack.append((container, True))
            stack.extend((child, False) for child in reversed(self.children[container]) if child in self.children)

    def stretches(self, up: str, down: str) -> list[Stretch]:
        """Return the way of a visible edge: out of its groups, across, into the groups of its end."""
        outwards = (up, *self.containers(up))
        inwards = (down, *self.containers(down))
        inside = set(inwards)
        leaves = next((index for index, name in enumerate(outwards) if name in inside), len(outwards))
        common = outwards[leaves] if leaves < len(outwards) else None
        enters = inwards.index(common) if common is not None else len(inwards)
        way = [Stretch(outwards[at + 1], (up, None), outwards[at], None) for at in range(leaves - 1)]
        way.append(Stretch(common, (up, down), outwards[leaves - 1], inwards[enters - 1]))
        way.extend(Stretch(inwards[at + 1], (None, down), None, inwards[at]) for at in reversed(range(enters - 1)))
        return way

    def _visible(self, name: str, folded: Collection[str]) -> str:
        """Return `name`, or the outermost folded group that hides it."""
        shown = name
        for group in (name, *self.containers(name)):
            if group in folded and group in self.groups:
                shown = group
        return shown

    def _children(self) -> dict[str | None, list[str]]:
        """Return open container -> its visible items; a group stands where its first node stands."""
        children: dict[str | None, list[str]] = {None: []}
        placed: set[str] = set()
        for name in self.parent:
            item: str | None = self.shown[name]
            while item is not None and item not in placed:
                placed.add(item)
                children.setdefault(self.parent[item], []).append(item)
                item = self.parent[item]
        return children

    def _lifted(self, edges: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Return the visible edges with how many edges each stands for."""
        lifted: dict[tuple[str, str], int] = {}
        for up, down in edges:
            if up not in self.shown or down not in self.shown:
                continue  # `nested` refuses it by name before it gets here
            pair = (self.shown[up], self.shown[down])
            if (
                pair[0] != pair[1]
                and pair[0] not in self.containers(pair[1])
                and pair[1] not in self.containers(pair[0])
            ):
                lifted[pair] = lifted.get(pair, 0) + 1
        return lifted
