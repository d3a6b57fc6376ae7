"""The picture inside one container: items in layers, ports where edges come in at the top and go out at the bottom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from plans.core.layout.coordinates import assign_x
from plans.core.layout.layers import Arc, Layered, backward, chain, components, rank
from plans.core.layout.ordering import put_in_order
from plans.core.layout.values import Point, Spacing

PORT_STEP = 16.0
SLOPE = 12.0
STEEPEST = 90.0
SHARE_ABOVE = 2_500
"""With more dummies than this, the long edges of one task run together until they part."""
ASPECT = 1.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A node or an open group. `level` says how deep its tasks stand in the whole graph."""

    id: str
    width: float
    height: float
    level: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An edge within the container. `tail` None: it comes in from above by `key`; `head` None: it goes out below.

    An offset is where it meets a group, from the middle of its box; None lets the layout choose.
    """

    key: str
    tail: str | None
    head: str | None
    tail_offset: float | None = None
    head_offset: float | None = None


@dataclass(slots=True, kw_only=True)
class Inside:
    """Places relative to the top left corner of the content."""

    width: float
    height: float
    corners: dict[str, Point] = field(default_factory=dict)
    lines: list[list[Point]] = field(default_factory=list)
    """Points of each line in the order given."""
    entries: dict[str, float] = field(default_factory=dict)
    exits: dict[str, float] = field(default_factory=dict)


def arrange(items: Sequence[Item], lines: Sequence[Line], *, column: float, row: float, spacing: Spacing) -> Inside:
    """Lay out the items of one container; parts that hang on nothing else stand in rows beside each other."""
    number = {item.id: index for index, item in enumerate(items)}
    pairs = [(number[line.tail], number[line.head]) for line in lines if line.tail and line.head]
    if len(pairs) < len(lines):  # ports tie everything to the frame
        return _connected(items, lines, column=column, row=row, spacing=spacing)
    parts = components(len(items), pairs)
    if len(parts) < 2:
        return _connected(items, lines, column=column, row=row, spacing=spacing)
    of = {item: index for index, part in enumerate(parts) for item in part}
    own: list[list[int]] = [[] for _ in parts]
    for index, pair in enumerate(pairs):
        own[of[pair[0]]].append(index)
    pictures = [
        _connected(
            [items[item] for item in part], [lines[index] for index in rows], column=column, row=row, spacing=spacing
        )
        for part, rows in zip(parts, own, strict=True)
    ]
    return _packed(pictures, own, column, row)


def _packed(pictures: Sequence[Inside], own: Sequence[Sequence[int]], column: float, row: float) -> Inside:
    """Put pictures side by side in rows, about ASPECT times as wide as high."""
    area = sum((picture.width + column) * (picture.height + row) for picture in pictures)
    limit = max(max(picture.width for picture in pictures), math.sqrt(area * ASPECT))
    whole = Inside(width=0.0, height=0.0)
    placed: dict[int, list[Point]] = {}
    x = y = deepest = 0.0
    for picture, rows in zip(pictures, own, strict=True):
        if x and x + picture.width > limit:
            x, y, deepest = 0.0, y + deepest + row, 0.0
        for name, (left, top) in picture.corners.items():
            whole.corners[name] = (left + x, top + y)
        for index, line in zip(rows, picture.lines, strict=True):
            placed[index] = [(at + x, down + y) for at, down in line]
        deepest = max(deepest, picture.height)
        whole.width, whole.height = max(whole.width, x + picture.width), max(whole.height, y + deepest)
        x += picture.width + column
    whole.lines = [placed[index] for index in sorted(placed)]
    return whole


def _connected(items: Sequence[Item], lines: Sequence[Line], *, column: float, row: float, spacing: Spacing) -> Inside:
    plan = _Plan(items, lines)
    put_in_order(plan.layered)
    x = assign_x(plan.layered, column, spacing)
    # whole numbers keep the drawing short
    left = min((at - width / 2 for at, width in zip(x, plan.layered.widths, strict=True)), default=0.0)
    x = [round(at - left) for at in x]
    tops, bottoms = _rows(plan, x, row, spacing)
    ends = _ends(plan, x)
    width = max((at + width / 2 for at, width in zip(x, plan.layered.widths, strict=True)), default=0.0)
    inside = Inside(width=width, height=bottoms[-1] if bottoms else 0.0)
    for number, item in enumerate(items):
        inside.corners[item.id] = (x[number] - item.width / 2, tops[plan.layer[number]])
    inside.entries = {key: x[vertex] for key, vertex in plan.entries.items()}
    inside.exits = {key: x[vertex] for key, vertex in plan.exits.items()}
    inside.lines = [_points(plan, index, x, tops, bottoms, ends) for index in range(len(lines))]
    return inside


class _Plan:
    """The layered graph of a container and which vertices each line goes through."""

    def __init__(self, items: Sequence[Item], lines: Sequence[Line]) -> None:
        self.items, self.lines = items, lines
        number = {item.id: index for index, item in enumerate(items)}
        pairs = [(number[line.tail], number[line.head]) for line in lines if line.tail and line.head]
        self.turned = backward(len(items), pairs, [item.level for item in items])
        ranks = rank(len(items), [pair for pair in pairs if pair not in self.turned])
        first = 1 if any(line.tail is None for line in lines) else 0
        depth = max(ranks, default=-1) + 1 + first
        last = 1 if any(line.head is None for line in lines) else 0
        self.entry_row, self.exit_row = bool(first), bool(last)
        self.layered = Layered(items=len(items), widths=[], heights=[], layers=[[] for _ in range(depth + last)])
        for item, at in zip(items, ranks, strict=True):
            self.layered.add(at + first, item.width, item.height)
        self.entries = self._ports(lines, 0, entering=True)
        self.exits = self._ports(lines, depth, entering=False)
        self.layer = [0] * len(self.layered.widths)
        for at, vertices in enumerate(self.layered.layers):
            for vertex in vertices:
                self.layer[vertex] = at
        self.ends = [self._ends_of(line, number) for line in lines]
        spans = sum(max(0, self.layer[arc.head] - self.layer[arc.tail] - 1) for arc in self.ends)
        self.shares = spans > SHARE_ABOVE
        self.trunks: dict[tuple[int, float], list[int]] = {}
        self.chains = [self._chain(arc) for arc in self.ends]

    def _ports(self, lines: Sequence[Line], layer: int, *, entering: bool) -> dict[str, int]:
        keys = dict.fromkeys(line.key for line in lines if (line.tail if entering else line.head) is None)
        return {key: self.layered.add(layer) for key in keys}

    def _ends_of(self, line: Line, number: Mapping[str, int]) -> Arc:
        return Arc(
            self.entries[line.key] if line.tail is None else number[line.tail],
            self.exits[line.key] if line.head is None else number[line.head],
            line.tail_offset or 0.0,
            line.head_offset or 0.0,
        )

    def _chain(self, arc: Arc) -> list[int]:
        """Return the dummies from tail to head; a line against the layers goes up beside its two ends."""
        if (arc.tail, arc.head) not in self.turned:
            trunk = self.trunks.setdefault((arc.tail, arc.tail_offset), []) if self.shares else []
            return chain(self.layered, arc, self.layer[arc.tail], self.layer[arc.head], trunk)
        dummies = [self.layered.add(at) for at in range(self.layer[arc.head], self.layer[arc.tail] + 1)]
        for upper, lower in itertools.pairwise(dummies):
            self.layered.link(upper, lower)
        return dummies[::-1]


def _rows(plan: _Plan, x: Sequence[float], row: float, spacing: Spacing) -> tuple[list[float], list[float]]:
    """Return top and bottom of each layer. Rows stand further apart where lines run far to the side."""
    tops: list[float] = []
    bottoms: list[float] = []
    at = 0.0
    layers = plan.layered.layers
    for index, layer in enumerate(layers):
        if index:
            is_port_row = (plan.entry_row and index == 1) or (plan.exit_row and index == len(layers) - 1)
            reach = max(
                (abs(x[other] + end - x[v] - own) for v in layer for other, end, own in plan.layered.up[v]), default=0.0
            )
            at += (spacing.port_row if is_port_row else row) + min(STEEPEST, round(reach / SLOPE))
        tops.append(at)
        at += max((plan.layered.heights[vertex] for vertex in layer), default=0.0)
        bottoms.append(at)
    return tops, bottoms


def _ends(plan: _Plan, x: Sequence[float]) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Return, for items, where on their bottom and top the line to each next vertex is attached (from the middle)."""
    below: dict[int, set[int]] = {}
    above: dict[int, set[int]] = {}
    for line, arc, dummies in zip(plan.lines, plan.ends, plan.chains, strict=True):
        if line.tail_offset is None:
            below.setdefault(arc.tail, set()).add(dummies[0] if dummies else arc.head)
        if line.head_offset is None:
            above.setdefault(arc.head, set()).add(dummies[-1] if dummies else arc.tail)
    return _spread(plan, below, x), _spread(plan, above, x)


def _spread(plan: _Plan, met: Mapping[int, set[int]], x: Sequence[float]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for vertex, others in met.items():
        if vertex >= len(plan.items):
            continue
        order = sorted(others, key=lambda other: (x[other], other))
        step = min(PORT_STEP, plan.layered.widths[vertex] * 0.6 / max(1, len(order) - 1))
        for index, other in enumerate(order):
            found[vertex, other] = (index - (len(order) - 1) / 2) * step
    return found


def _points(
    plan: _Plan,
    index: int,
    x: Sequence[float],
    tops: Sequence[float],
    bottoms: Sequence[float],
    ends: tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]],
) -> list[Point]:
    """Return the corners of one line, from the bottom of its tail to the top of its head."""
    arc, dummies = plan.ends[index], plan.chains[index]
    below, above = ends
    start = x[arc.tail] + below.get((arc.tail, dummies[0] if dummies else arc.head), arc.tail_offset)
    end = x[arc.head] + above.get((arc.head, dummies[-1] if dummies else arc.tail), arc.head_offset)
    upper, lower = plan.layer[arc.tail], plan.layer[arc.head]
    points = [(start, tops[upper] + plan.layered.heights[arc.tail]), (start, bottoms[upper])]
    is_turned = lower <= upper
    for step, dummy in enumerate(dummies):
        at = upper - step if is_turned else upper + 1 + step
        passage = [(x[dummy], tops[at]), (x[dummy], bottoms[at])]
        points.extend(passage[::-1] if is_turned else passage)
    points.append((end, tops[lower]))
    return points
