"""Order of the vertices within their layers: few crossings, by sweeps from several starts and exchanges of neighbours."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from plans.core.layout.layers import Layered

SWEEPS = 24
PATIENCE = 4
EXCHANGES = 6
SIFTINGS = 1
SIFTED_WIDTH = 40
SMALL, MEDIUM = 1_500, 6_000
"""Up to so many vertices three starts are tried, then two, then one."""


def put_in_order(layered: Layered) -> None:
    """Reorder `layered.layers` in place. The same graph gives the same order."""
    if len(layered.layers) < 2:
        return
    work = _Work(layered)
    first = _depth_first(layered)
    starts = [first, [layer[::-1] for layer in first], [sorted(layer) for layer in first]]
    total = len(layered.widths)
    best: tuple[int, list[list[int]]] | None = None
    for layers in starts[: 3 if total <= SMALL else 2 if total <= MEDIUM else 1]:
        found = work.improve(layers)
        if found[0]:
            # exchanges open a way that sweeps alone do not find
            found = min(found, work.improve([layer[:] for layer in found[1]]), key=lambda one: one[0])
        if best is None or found[0] < best[0]:
            best = found
        if not best[0]:
            break
    if best:
        if best[0] and total <= SMALL:
            work.sift(best[1])
        layered.layers = best[1]


def crossings(layered: Layered) -> int:
    """Return how often arcs cross in the present order."""
    work = _Work(layered)
    work.number(layered.layers)
    return work.crossings(layered.layers)


def _depth_first(layered: Layered) -> list[list[int]]:
    """Return a start in which what hangs together stands together."""
    seen: dict[int, int] = {}
    for root in (vertex for layer in layered.layers for vertex in layer):
        stack = [root]
        while stack:
            vertex = stack.pop()
            if vertex not in seen:
                seen[vertex] = len(seen)
                stack.extend(down for down, _, _ in reversed(layered.down[vertex]))
    return [sorted(layer, key=seen.__getitem__) for layer in layered.layers]


class _Work:
    """Arcs meet slots, not vertices: a vertex is its own slot 0, an open group has one more for each port off the middle.

    `at[slot]` is where the slot stands in its layer: the vertex's place and, for a port, a part of one.
    """

    def __init__(self, layered: Layered) -> None:
        self.at: list[float] = [0.0] * len(layered.widths)
        self.ports: dict[int, list[tuple[int, float]]] = {}
        self.up = self._met(layered, layered.up)
        self.down = self._met(layered, layered.down)
        # where arcs meet the top of a vertex at different places, their order there is given
        self.given: dict[int, list[int]] = {
            vertex: sorted(range(len(ends)), key=lambda index, ends=ends: ends[index][2])  # type: ignore[misc]
            for vertex, ends in enumerate(layered.up)
            if any(own for _, _, own in ends)
        }

    def _met(self, layered: Layered, links: list[list[tuple[int, float, float]]]) -> list[list[int]]:
        slots: dict[tuple[int, float], int] = {}
        met: list[list[int]] = []
        for ends in links:
            row = []
            for other, offset, _ in ends:
                slot = other
                if offset:
                    if (other, offset) not in slots:
                        slots[other, offset] = len(self.at)
                        self.ports.setdefault(other, []).append((len(self.at), offset / layered.widths[other] * 0.98))
                        self.at.append(0.0)
                    slot = slots[other, offset]
                row.append(slot)
            met.append(row)
        return met

    def improve(self, layers: list[list[int]]) -> tuple[int, list[list[int]]]:
        """Return the crossings of the best order found from `layers`, and that order."""
        self.number(layers)
        best, count = [layer[:] for layer in layers], self.crossings(layers)
        stale = 0
        for sweep in range(SWEEPS):
            if not count or stale >= PATIENCE:
                break
            self._sweep(layers, downwards=sweep % 2 == 0, median=sweep % 4 >= 2)
            now = self.crossings(layers)
            stale = 0 if now < count else stale + 1
            if now < count:
                best, count = [layer[:] for layer in layers], now
        if count:
            self.number(best)
            self._exchange(best)
            count = self.crossings(best)
        return count, best

    def number(self, layers: list[list[int]]) -> None:
        for layer in layers:
            self._number(layer)

    def _number(self, layer: list[int]) -> None:
        at, ports = self.at, self.ports
        for index, vertex in enumerate(layer):
            at[vertex] = index
            if vertex in ports:
                for slot, part in ports[vertex]:
                    at[slot] = index + part

    def _sweep(self, layers: list[list[int]], *, downwards: bool, median: bool) -> None:
        at = self.at
        get = at.__getitem__
        neighbours = self.up if downwards else self.down
        for layer in layers[1:] if downwards else layers[-2::-1]:
            keys: dict[int, float] = {}
            for vertex in layer:
                met = neighbours[vertex]
                count = len(met)
                if count == 1:
                    keys[vertex] = at[met[0]]
                elif not count:
                    keys[vertex] = at[vertex]
                elif median:
                    row = sorted(map(get, met))
                    half = count // 2
                    keys[vertex] = row[half] if count % 2 else (row[half - 1] + row[half]) / 2
                else:
                    keys[vertex] = sum(map(get, met)) / count
            layer.sort(key=keys.__getitem__)  # stable: equal keys keep their order
            self._number(layer)

    def crossings(self, layers: list[list[int]]) -> int:
        return sum(_inversions(self._upper_ends(layer)) for layer in layers[1:])

    def _upper_ends(self, layer: list[int]) -> list[float]:
        """Return where the arcs above `layer` start, in the order in which they end."""
        get, up, given = self.at.__getitem__, self.up, self.given
        ends: list[float] = []
        for vertex in layer:
            met = up[vertex]
            if len(met) == 1:
                ends.append(get(met[0]))
            elif vertex in given:
                ends.extend(get(met[index]) for index in given[vertex])
            elif met:
                ends.extend(sorted(map(get, met)))
        return ends

    def _exchange(self, layers: list[list[int]]) -> None:
        """Swap neighbours while that removes crossings (Gansner et al. 1993, "transpose")."""
        for _ in range(EXCHANGES):
            better = False
            for layer in layers:
                moved = False
                for index in range(len(layer) - 1):
                    left, right = layer[index], layer[index + 1]
                    if self._gain(left, right) > 0:
                        layer[index], layer[index + 1] = right, left
                        moved = True
                if moved:
                    self._number(layer)
                    better = True
            if not better:
                break

    def sift(self, layers: list[list[int]]) -> None:
        """Move each vertex to the best place in its layer, the others staying (Matuszewski et al. 1999)."""
        self.number(layers)
        for _ in range(SIFTINGS):
            gained = 0
            for layer in layers:
                if 2 < len(layer) <= SIFTED_WIDTH:
                    gained += sum(self._sift_one(layer, vertex) for vertex in layer[:])
            if not gained:
                break

    def _sift_one(self, layer: list[int], vertex: int) -> int:
        at = layer.index(vertex)
        best = where = 0
        gain = 0
        for index in range(at + 1, len(layer)):
            gain += self._gain(vertex, layer[index])
            if gain > best:
                best, where = gain, index
        gain = 0
        for index in range(at - 1, -1, -1):
            gain += self._gain(layer[index], vertex)
            if gain > best:
                best, where = gain, index
        if best:
            layer.insert(where, layer.pop(at))
            self._number(layer)
        return best

    def _gain(self, left: int, right: int) -> int:
        """Return how many crossings fewer there are when `right` stands before `left`."""
        get = self.at.__getitem__
        gain = 0
        for side in (self.up, self.down):
            if side[left] and side[right]:
                theirs = list(map(get, side[right]))
                for key in map(get, side[left]):
                    for other in theirs:
                        gain += (key > other) - (key < other)
        return gain


def _inversions(keys: Sequence[float]) -> int:
    seen: list[float] = []
    count = 0
    for key in keys:
        where = bisect_right(seen, key)
        count += len(seen) - where
        seen.insert(where, key)
    return count
