"""Ranks of items and the proper layered graph: every arc spans one layer, long ones through dummies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Arc:
    """From item `tail` to item `head`; the offsets say where it is attached, from the middle of the item."""

    tail: int
    head: int
    tail_offset: float = 0.0
    head_offset: float = 0.0


@dataclass(slots=True)
class Layered:
    """Vertices are numbered: items first, then ports, then dummies."""

    items: int
    widths: list[float]
    heights: list[float]
    layers: list[list[int]] = field(default_factory=list)
    # neighbour and where the arc is attached to it and to the vertex, from the middles
    up: list[list[tuple[int, float, float]]] = field(default_factory=list)
    down: list[list[tuple[int, float, float]]] = field(default_factory=list)

    def add(self, layer: int, width: float = 0.0, height: float = 0.0) -> int:
        """Add a vertex to a layer and return its number."""
        self.widths.append(width)
        self.heights.append(height)
        self.up.append([])
        self.down.append([])
        vertex = len(self.widths) - 1
        self.layers[layer].append(vertex)
        return vertex

    def link(self, upper: int, lower: int, upper_offset: float = 0.0, lower_offset: float = 0.0) -> None:
        self.down[upper].append((lower, lower_offset, upper_offset))
        self.up[lower].append((upper, upper_offset, lower_offset))


def rank(count: int, arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each item: longest path, then items with more below than above sink towards it."""
    below: list[list[int]] = [[] for _ in range(count)]
    above = [0] * count
    for tail, head in arcs:
        below[tail].append(head)
        above[head] += 1
    waiting = above[:]
    order = [item for item in range(count) if not waiting[item]]
    layer = [0] * count
    for item in order:
        for head in below[item]:
            layer[head] = max(layer[head], layer[item] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                order.append(head)
    for item in reversed(order):
        if len(below[item]) > above[item]:
            layer[item] = max(layer[item], min(layer[head] for head in below[item]) - 1)
    return layer


def backward(count: int, arcs: Sequence[tuple[int, int]], level: Sequence[float]) -> set[tuple[int, int]]:
    """Return the arcs to turn round so that the rest has no cycle; where one must be cut, lower `level` goes first.

    Tasks never form a cycle here, but groups of them may: m1 -> m2 -> m1 by different tasks.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for tail, head in dict.fromkeys(arcs):
        below[tail].append(head)
        waiting[head] += 1
    place: dict[int, int] = {}
    free = [item for item in range(count) if not waiting[item]]
    left = sorted(range(count), key=lambda item: (-level[item], -item))
    while len(place) < count:
        if free:
            item = free.pop()
        else:
            item = left.pop()
            while item in place:
                item = left.pop()
        place[item] = len(place)
        for head in below[item]:
            waiting[head] -= 1
            if not waiting[head] and head not in place:
                free.append(head)
    return {(tail, head) for tail, head in arcs if place[tail] > place[head]}


def chain(layered: Layered, arc: Arc, tail_layer: int, head_layer: int, trunk: list[int]) -> list[int]:
    """Link two vertices of different layers through one dummy a layer, and return the dummies.

    `trunk` holds dummies below the tail that the arc may share with others; missing ones are added to it.
    """
    for layer in range(tail_layer + 1 + len(trunk), head_layer):
        dummy = layered.add(layer)
        if trunk:
            layered.link(trunk[-1], dummy)
        else:
            layered.link(arc.tail, dummy, arc.tail_offset)
        trunk.append(dummy)
    dummies = trunk[: head_layer - tail_layer - 1]
    if dummies:
        layered.link(dummies[-1], arc.head, 0.0, arc.head_offset)
    else:
        layered.link(arc.tail, arc.head, arc.tail_offset, arc.head_offset)
    return dummies


def components(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected parts, larger ones first, then in the order of their first items."""
    near: list[list[int]] = [[] for _ in range(count)]
    for one, other in pairs:
        near[one].append(other)
        near[other].append(one)
    seen: set[int] = set()
    parts: list[list[int]] = []
    for start in range(count):
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for item in part:
            for other in near[item]:
                if other not in seen:
                    seen.add(other)
                    part.append(other)
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: -len(part))
