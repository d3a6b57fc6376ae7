"""The whole picture: each group laid out by itself, then the groups in theirs, edges lifted to what is visible."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from plans.core.errors import CycleError, UnknownDependency
from plans.core.graph import find_cycle, levels
from plans.core.layout.container import Inside, Item, Line, arrange
from plans.core.layout.tree import Key, Stretch, Tree
from plans.core.layout.values import NODE_HEIGHT, NODE_WIDTH, Box, Geometry, Graph, Point, Route, Spacing

DEFAULT = Spacing()
JOG = 1.0


def lay_out(graph: Graph, folded: Collection[str] = (), spacing: Spacing = DEFAULT) -> Geometry:
    """Return the picture of `graph` with the groups in `folded` drawn as one node each.

    The same input gives the same output. Raises CycleError with the path named, UnknownDependency, GraphError.
    """
    level = _levels(graph)
    tree = Tree(graph, folded)
    lines = _lines(tree)
    pictures: dict[str | None, _Picture] = {}
    for container in tree.inner_first():
        pictures[container] = _picture(tree, container, lines.get(container, {}), pictures, level, spacing)
    return _Assembly(tree, pictures).geometry()


def _levels(graph: Graph) -> dict[str, int]:
    """Return how deep each node stands, a group as its first node. Raises CycleError, UnknownDependency."""
    tree = Tree(graph)
    upstream: dict[str, set[str]] = {name: set() for name in tree.parent}
    for up, down in graph.edges:
        if up not in upstream or down not in upstream:
            raise UnknownDependency(task=down, dependency=up)
        upstream[down].add(up)
    for name, parent in tree.parent.items():
        if parent is not None:
            upstream[parent].add(name)  # what waits for a group waits for all in it
    try:
        level = levels(upstream)
    except CycleError:
        raise CycleError(find_cycle(upstream) or []) from None
    for node in tree.nodes:
        for group in tree.containers(node):
            level[group] = min(level[group], level[node])
    return level


def _lines(tree: Tree) -> dict[str | None, dict[Key, Stretch]]:
    """Return what runs through each container; edges that leave from, or come to, one node share one port."""
    lines: dict[str | None, dict[Key, Stretch]] = {}
    for up, down in tree.edges:
        for stretch in tree.stretches(up, down):
            lines.setdefault(stretch.container, {}).setdefault(stretch.key, stretch)
    return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Picture:
    inside: Inside
    width: float
    height: float
    dx: float
    dy: float
    """Where the content starts within the box."""
    line: Mapping[Key, int]
    """Which of `inside.lines` belongs to a stretch."""


def _picture(
    tree: Tree,
    container: str | None,
    stretches: Mapping[Key, Stretch],
    pictures: Mapping[str | None, _Picture],
    level: Mapping[str, int],
    spacing: Spacing,
) -> _Picture:
    children = tree.children[container]
    has_groups = any(name in pictures for name in children)
    inside = arrange(
        [_item(tree, name, pictures, level) for name in children],
        [_line(stretch, pictures) for stretch in stretches.values()],
        column=spacing.group_column if has_groups else spacing.column,
        row=spacing.group_row if has_groups else spacing.row,
        spacing=spacing,
    )
    line = {key: index for index, key in enumerate(stretches)}
    if container is None:
        margin = spacing.margin
        return _Picture(
            inside=inside,
            width=inside.width + 2 * margin,
            height=inside.height + 2 * margin,
            dx=margin,
            dy=margin,
            line=line,
        )
    # A port row brings its own distance; without one the content keeps clear of the frame by as much.
    above = spacing.header + (0.0 if inside.entries else spacing.port_row)
    below = 0.0 if inside.exits else spacing.port_row
    return _Picture(
        inside=inside,
        width=max(inside.width + 2 * spacing.pad, tree.groups[container].header_width),
        height=inside.height + above + below,
        dx=spacing.pad,
        dy=above,
        line=line,
    )


def _item(tree: Tree, name: str, pictures: Mapping[str | None, _Picture], level: Mapping[str, int]) -> Item:
    if name in pictures:
        return Item(id=name, width=pictures[name].width, height=pictures[name].height, level=level[name])
    node = tree.nodes.get(name)
    size = (node.width, node.height) if node else (NODE_WIDTH, NODE_HEIGHT)
    return Item(id=name, width=size[0], height=size[1], level=level[name])


def _line(stretch: Stretch, pictures: Mapping[str | None, _Picture]) -> Line:
    up, down = stretch.key
    return Line(
        key=f"{up or ''}\0{down or ''}",
        tail=stretch.tail,
        head=stretch.head,
        tail_offset=_port(pictures, stretch.tail, up, entering=False),
        head_offset=_port(pictures, stretch.head, down, entering=True),
    )


def _port(
    pictures: Mapping[str | None, _Picture], item: str | None, end: str | None, *, entering: bool
) -> float | None:
    """Return where a line meets an open group, from its middle; None: at a node, or at an end of the line itself."""
    if item is None or item == end or end is None:
        return None
    picture = pictures[item]
    key = f"\0{end}" if entering else f"{end}\0"
    ports = picture.inside.entries if entering else picture.inside.exits
    return ports[key] + picture.dx - picture.width / 2


class _Assembly:
    """Puts the pictures into each other."""

    def __init__(self, tree: Tree, pictures: Mapping[str | None, _Picture]) -> None:
        self.tree, self.pictures = tree, pictures
        self.corner: dict[str | None, Point] = {None: (0.0, 0.0)}

    def geometry(self) -> Geometry:
        nodes: dict[str, Box] = {}
        groups: dict[str, Box] = {}
        for container in reversed(list(self.tree.inner_first())):
            dx, dy = self._content(container)
            for name, (x, y) in self.pictures[container].inside.corners.items():
                if name in self.pictures:
                    self.corner[name] = (x + dx, y + dy)
                    picture = self.pictures[name]
                    groups[name] = Box(x=x + dx, y=y + dy, width=picture.width, height=picture.height)
                else:
                    node = self.tree.nodes.get(name)
                    size = (node.width, node.height) if node else (NODE_WIDTH, NODE_HEIGHT)
                    nodes[name] = Box(x=x + dx, y=y + dy, width=size[0], height=size[1])
        root = self.pictures[None]
        return Geometry(
            width=root.width,
            height=root.height,
            nodes={name: nodes[name] for name in dict.fromkeys(self.tree.shown.values()) if name in nodes},
            groups=groups,
            routes=tuple(self._route(up, down, count) for (up, down), count in self.tree.edges.items()),
            folded=self.tree.members(),
        )

    def _content(self, container: str | None) -> Point:
        x, y = self.corner[container]
        picture = self.pictures[container]
        return x + picture.dx, y + picture.dy

    def _route(self, up: str, down: str, count: int) -> Route:
        points: list[Point] = []
        for stretch in self.tree.stretches(up, down):
            container = stretch.container
            picture = self.pictures[container]
            dx, dy = self._content(container)
            part = [(x + dx, y + dy) for x, y in picture.inside.lines[picture.line[stretch.key]]]
            top = self.corner[container][1]
            if stretch.tail is None:
                part.insert(0, (part[0][0], top))
            if stretch.head is None:
                part.append((part[-1][0], top + picture.height))
            points.extend(part)
        return Route(upstream=up, downstream=down, points=_tidy(points), count=count)


def _tidy(points: list[Point]) -> tuple[Point, ...]:
    """Drop repeated points and those in the middle of a vertical line; a jog of a pixel becomes none."""
    kept: list[Point] = []
    for x, y in points:
        point = (round(x, 1), round(y, 1))
        if kept and abs(kept[-1][0] - point[0]) <= JOG:
            point = (kept[-1][0], point[1])
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and kept[-1][0] == kept[-2][0] == point[0]:
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)
