"""What the layout takes and gives: nodes, edges and nested groups in; boxes and routes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]

NODE_WIDTH = 226.0
NODE_HEIGHT = 44.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One task. `group` is the group it stands in, None at the top."""

    id: str
    group: str | None = None
    width: float = NODE_WIDTH
    height: float = NODE_HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One milestone. `header_width` is the least width its title needs."""

    id: str
    parent: str | None = None
    header_width: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Ids are unique over nodes and groups together; an edge may start or end at either."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...] = ()
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spacing:
    """Distances in the units of the node sizes (pixels at scale 1)."""

    column: float = 24.0
    row: float = 38.0
    route: float = 11.0
    port_row: float = 14.0
    group_column: float = 30.0
    group_row: float = 52.0
    pad: float = 14.0
    header: float = 26.0
    margin: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle by its top left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def holds(self, other: Box) -> bool:
        """Tell whether `other` lies inside."""
        return self.x <= other.x and self.y <= other.y and other.right <= self.right and other.bottom <= self.bottom

    def overlaps(self, other: Box) -> bool:
        """Tell whether the insides meet; touching sides do not count."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An edge as drawn: from the bottom of `upstream` to the top of `downstream`, both as visible (folded groups).

    Between two points of the same x the line is straight, otherwise it leaves and arrives vertically. `count` tells how
    many edges of the plan it stands for.
    """

    upstream: str
    downstream: str
    points: tuple[Point, ...]
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The picture. `nodes` holds tasks and folded groups, `groups` the open ones, outer ones first."""

    width: float
    height: float
    nodes: Mapping[str, Box]
    groups: Mapping[str, Box]
    routes: tuple[Route, ...]
    folded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Folded group that is shown as a node -> the ids of the tasks in it."""
