"""Horizontal places: straight long edges, balanced short ones (Brandes and Köpf 2002), with ports and real widths."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from plans.core.layout.layers import Layered
from plans.core.layout.values import Spacing


def assign_x(layered: Layered, column: float, spacing: Spacing) -> list[float]:
    """Return the middle of every vertex so that no two of a layer come closer than they may."""
    count = len(layered.widths)
    if not count:
        return []
    conflicts = _conflicts(layered)
    found = []
    for upwards in (False, True):
        for mirrored in (False, True):
            turned = _Turned.of(layered, column, spacing, upwards=upwards, mirrored=mirrored)
            roots, shifts = _align(turned, conflicts)
            x = _compact(turned, roots, shifts)
            found.append([-at for at in x] if mirrored else x)
    return _balance(found, layered)


@dataclass(frozen=True, slots=True)
class _Turned:
    """The layered graph as one of the four passes sees it: from above or below, from the left or the right."""

    layers: list[list[int]]
    place: list[int]
    before: list[list[tuple[int, float]]]
    """Neighbours of the layer treated earlier, in order, with how far right of them a straight arc puts the vertex."""
    gaps: list[list[float]]
    """Per layer the least distance between the middles of neighbours."""
    both: list[list[tuple[int, float]]]
    upwards: bool

    @classmethod
    def of(cls, layered: Layered, column: float, spacing: Spacing, *, upwards: bool, mirrored: bool) -> _Turned:
        layers = layered.layers[::-1] if upwards else layered.layers
        if mirrored:
            layers = [layer[::-1] for layer in layers]
        place = [0] * len(layered.widths)
        for layer in layers:
            for index, vertex in enumerate(layer):
                place[vertex] = index
        sign = -1.0 if mirrored else 1.0
        above = [[(other, sign * (at - own)) for other, at, own in ends] for ends in layered.up]
        below = [[(other, sign * (at - own)) for other, at, own in ends] for ends in layered.down]
        before = below if upwards else above
        for vertex, ends in enumerate(before):
            if len(ends) > 1:
                before[vertex] = sorted(ends, key=lambda end: (place[end[0]], end[1]))
        both = [first + second for first, second in zip(above, below, strict=True)]
        gaps = [
            [
                (layered.widths[left] + layered.widths[right]) / 2 + _gap(layered, left, right, column, spacing)
                for left, right in itertools.pairwise(layer)
            ]
            for layer in layers
        ]
        return cls(layers, place, before, gaps, both, upwards)


def _gap(layered: Layered, left: int, right: int, column: float, spacing: Spacing) -> float:
    items = (left < layered.items) + (right < layered.items)
    return column if items == 2 else column * 0.6 if items else spacing.route


def _conflicts(layered: Layered) -> set[tuple[int, int]]:
    """Return the arcs (upper, lower) that cross a straight long one: those must not be made straight themselves."""
    found: set[tuple[int, int]] = set()
    place = [0] * len(layered.widths)
    for layer in layered.layers:
        for index, vertex in enumerate(layer):
            place[vertex] = index
    for above, layer in zip(layered.layers, layered.layers[1:], strict=False):
        low, done = 0, 0
        for index, vertex in enumerate(layer):
            inner = _inner_above(layered, vertex)
            if inner is None and index < len(layer) - 1:
                continue
            high = place[inner] if inner is not None else len(above) - 1
            for lower in layer[done : index + 1]:
                for upper, _, _ in layered.up[lower]:
                    is_inner = upper >= layered.items and lower >= layered.items
                    if not low <= place[upper] <= high and not is_inner:
                        found.add((upper, lower))
            low, done = high, index + 1
    return found


def _inner_above(layered: Layered, vertex: int) -> int | None:
    if vertex >= layered.items and layered.up[vertex] and layered.up[vertex][0][0] >= layered.items:
        return layered.up[vertex][0][0]
    return None


def _align(turned: _Turned, conflicts: set[tuple[int, int]]) -> tuple[list[int], list[float]]:
    """Return for each vertex the root of its block and how far right of the root it stands."""
    count = len(turned.place)
    root = list(range(count))
    last = list(range(count))  # the end of the block of a root: a block takes one vertex a layer
    shift = [0.0] * count
    place = turned.place
    for layer in turned.layers:
        reached = -1
        for vertex in layer:
            ends = turned.before[vertex]
            if not ends:
                continue
            half = len(ends) // 2
            for other, delta in (ends[half],) if len(ends) % 2 else (ends[half - 1], ends[half]):
                pair = (vertex, other) if turned.upwards else (other, vertex)
                if place[other] > reached and last[root[other]] == other and pair not in conflicts:
                    root[vertex] = root[other]
                    last[root[other]] = vertex
                    shift[vertex] = shift[other] + delta
                    reached = place[other]
                    break
    return root, shift


def _compact(turned: _Turned, root: list[int], shift: list[float]) -> list[float]:
    """Place the blocks as far left as the distances allow, then let loose ones move towards their neighbours."""
    count = len(root)
    after: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    waiting = [0] * count
    for layer, gaps in zip(turned.layers, turned.gaps, strict=True):
        for left, right, gap in zip(layer, layer[1:], gaps, strict=False):
            a, b = root[left], root[right]
            after[a].append((b, gap + shift[left] - shift[right]))
            waiting[b] += 1
    at = [0.0] * count
    order = [vertex for vertex in range(count) if root[vertex] == vertex and not waiting[vertex]]
    for block in order:
        for other, distance in after[block]:
            at[other] = max(at[other], at[block] + distance)
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    members: list[list[int]] = [[] for _ in range(count)]
    for vertex in range(count):
        members[root[vertex]].append(vertex)
    for block in reversed(order):
        if after[block]:
            wish = _wish(turned, block, members[block], root, shift, at)
            limit = min(at[other] - distance for other, distance in after[block])
            if wish is not None and wish > at[block]:
                at[block] = max(at[block], min(limit, wish))
    return [at[root[vertex]] + shift[vertex] for vertex in range(count)]


def _wish(
    turned: _Turned, block: int, members: list[int], root: list[int], shift: list[float], at: list[float]
) -> float | None:
    """Return where the arcs that leave the block would like it to stand."""
    wishes = [
        at[root[other]] + shift[other] + delta - shift[vertex]
        for vertex in members
        for other, delta in turned.both[vertex]
        if root[other] != block
    ]
    return sum(wishes) / len(wishes) if wishes else None


def _balance(found: list[list[float]], layered: Layered) -> list[float]:
    """Return the mean of the middle two of four places, all lined up with the narrowest."""
    half = [width / 2 for width in layered.widths]
    lows = [min(at - h for at, h in zip(x, half, strict=True)) for x in found]
    highs = [max(at + h for at, h in zip(x, half, strict=True)) for x in found]
    narrow = min(range(len(found)), key=lambda index: (highs[index] - lows[index], index))
    moves = [
        lows[narrow] - lows[index] if index % 2 == 0 else highs[narrow] - highs[index] for index in range(len(found))
    ]
    placed = []
    for places in zip(*found, strict=True):
        middle = sorted(place + move for place, move in zip(places, moves, strict=True))
        placed.append((middle[1] + middle[2]) / 2)
    return placed
