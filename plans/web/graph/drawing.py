"""Geometry of a plan under a fold set, with every text cut and every path written, kept in a bounded cache."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from plans.core.layout import Box, Geometry, Graph, Group, Node, Point, clip, lay_out, text_width
from plans.web.graph.values import GraphPlan

TITLE_SIZE = 13.0
SUB_SIZE = 11.5
TITLE_ROOM = 226.0 - 48.0
SUB_ROOM = 226.0 - 46.0
HEADER_ROOM = 340.0
HEADER_EXTRA = 130.0
KEPT_NODES = 30_000
TURN = 24.0


@dataclass(frozen=True, slots=True)
class Edge:
    """A drawn edge between visible keys. `count` edges of the plan run along it."""

    upstream: str
    downstream: str
    path: str
    count: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """All of the SVG that does not depend on the states."""

    width: float
    height: float
    nodes: dict[str, Box]
    groups: dict[str, Box]
    edges: tuple[Edge, ...]
    folded: dict[str, tuple[str, ...]]
    titles: dict[str, str]
    """Key of a task or milestone -> its title cut to its room."""
    upstream: dict[str, tuple[str, ...]]
    """Visible key -> the visible keys it waits for."""
    members: dict[str, tuple[str, ...]]
    """Milestone -> the keys of all tasks in it."""
    parents: dict[str, str]
    """Visible task or milestone -> the milestone it stands in."""


def graph_of(plan: GraphPlan) -> Graph:
    """Return the plan as the layout wants it. A milestone that names no known parent stands at the top."""
    known = {milestone.key for milestone in plan.milestones}
    return Graph(
        nodes=tuple(Node(id=task.key, group=_in(task.milestone, known)) for task in plan.tasks),
        edges=plan.edges,
        groups=tuple(
            Group(
                id=milestone.key,
                parent=_in(milestone.parent, known),
                header_width=round(text_width(header_title(milestone.title), TITLE_SIZE) + HEADER_EXTRA),
            )
            for milestone in plan.milestones
        ),
    )


def header_title(title: str) -> str:
    """Return the title of a milestone cut to the room a header has."""
    return clip(title, HEADER_ROOM, TITLE_SIZE)


def _in(key: str | None, known: set[str]) -> str | None:
    return key if key in known else None


def draw(plan: GraphPlan, folded: frozenset[str] = frozenset()) -> Drawing:
    """Return the drawing, from the cache when the same plan was drawn before. Raises GraphError."""
    key = (plan, folded)
    found = _cache.get(key)
    if found is None:
        found = _draw(plan, folded)
        _cache.put(key, found)
    return found


def _draw(plan: GraphPlan, folded: frozenset[str]) -> Drawing:
    graph = graph_of(plan)
    geometry = lay_out(graph, folded)
    titles = {task.key: clip(task.title, TITLE_ROOM, TITLE_SIZE) for task in plan.tasks}
    for milestone in plan.milestones:
        is_node = milestone.key in geometry.nodes
        titles[milestone.key] = clip(milestone.title, TITLE_ROOM if is_node else HEADER_ROOM, TITLE_SIZE)
    return Drawing(
        width=geometry.width,
        height=geometry.height,
        nodes=dict(geometry.nodes),
        groups=dict(geometry.groups),
        edges=tuple(
            Edge(route.upstream, route.downstream, path(route.points), route.count) for route in geometry.routes
        ),
        folded=dict(geometry.folded),
        titles=titles,
        upstream=_upstream(geometry),
        members=_members(plan),
        parents=_parents(plan),
    )


def _parents(plan: GraphPlan) -> dict[str, str]:
    pairs = [(task.key, task.milestone) for task in plan.tasks] + [(row.key, row.parent) for row in plan.milestones]
    return {key: parent for key, parent in pairs if parent}


def _upstream(geometry: Geometry) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for route in geometry.routes:
        found.setdefault(route.downstream, []).append(route.upstream)
    return {key: tuple(keys) for key, keys in found.items()}


def _members(plan: GraphPlan) -> dict[str, tuple[str, ...]]:
    parent = {milestone.key: milestone.parent for milestone in plan.milestones}
    found: dict[str, list[str]] = {key: [] for key in parent}
    for task in plan.tasks:
        above = task.milestone
        while above is not None and above in found:
            found[above].append(task.key)
            above = parent[above]
    return {key: tuple(keys) for key, keys in found.items()}


def path(points: Sequence[Point]) -> str:
    """Return the path of a route: straight where x stays, else curves that leave and arrive vertically."""
    x, y = points[0]
    parts = [f"M{x:g} {y:g}"]
    downwards = True
    for to_x, to_y in points[1:]:
        if to_x == x:
            parts.append(f"V{to_y:g}")
        else:
            # the same height means a turn: round the bottom when it came down, round the top when it came up
            reach = (to_y - y) / 2 if to_y != y else TURN if downwards else -TURN
            end = to_y - reach if to_y != y else y + reach
            parts.append(f"C{x:g} {y + reach:g} {to_x:g} {end:g} {to_x:g} {to_y:g}")
        if to_y != y:
            downwards = to_y > y
        elif to_x != x:
            downwards = not downwards
        x, y = to_x, to_y
    return "".join(parts)


class _Cache:
    """Drawings by plan and fold set, the oldest dropped when more than KEPT_NODES nodes are kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[GraphPlan, frozenset[str]], Drawing] = OrderedDict()
        self._nodes = 0
        self._lock = threading.Lock()

    def get(self, key: tuple[GraphPlan, frozenset[str]]) -> Drawing | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: tuple[GraphPlan, frozenset[str]], drawing: Drawing) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = drawing
            self._nodes += _weight(key)
            while self._nodes > KEPT_NODES and len(self._kept) > 1:
                oldest, _ = self._kept.popitem(last=False)
                self._nodes -= _weight(oldest)

    def __len__(self) -> int:
        return len(self._kept)


def _weight(key: tuple[GraphPlan, frozenset[str]]) -> int:
    return 1 + len(key[0].tasks)


_cache = _Cache()
