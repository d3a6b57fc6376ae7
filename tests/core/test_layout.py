"""Laws of the layout: nothing overlaps, edges go from bottom to top, groups hold what is theirs, folds move no other."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plans.core.errors import CycleError, GraphError, UnknownDependency
from plans.core.layout import Box, Geometry, Graph, Group, Node, lay_out

GENTLE = settings(deadline=None, max_examples=60)


@st.composite
def grouped_graphs(draw, max_nodes=14):
    """Draw an acyclic graph whose nodes stand in nested groups; edges may also start at a group."""
    count = draw(st.integers(0, max_nodes))
    groups = [f"g{index}" for index in range(draw(st.integers(0, 5)))]
    parents = [draw(st.sampled_from([None, *groups[:index]])) for index in range(len(groups))]
    inside = [draw(st.sampled_from([None, *groups])) for _ in range(count)]
    edges = {
        (f"n{up}", f"n{down}")
        for down in range(1, count)
        for up in draw(st.lists(st.integers(0, down - 1), max_size=3, unique=True))
    }
    return Graph(
        nodes=tuple(Node(id=f"n{index}", group=group) for index, group in enumerate(inside)),
        edges=tuple(sorted(edges)),
        groups=tuple(Group(id=name, parent=parent) for name, parent in zip(groups, parents, strict=True)),
    )


@st.composite
def folded_graphs(draw):
    graph = draw(grouped_graphs())
    names = [group.id for group in graph.groups]
    return graph, frozenset(draw(st.lists(st.sampled_from(names), unique=True)) if names else [])


def overlapping(boxes: list[Box]) -> list[tuple[Box, Box]]:
    """Return pairs of overlapping boxes by a sweep from the top."""
    found, open_boxes = [], []
    for box in sorted(boxes, key=lambda box: box.y):
        open_boxes = [other for other in open_boxes if other.bottom > box.y]
        found += [(other, box) for other in open_boxes if other.overlaps(box)]
        open_boxes.append(box)
    return found


def box_of(geometry: Geometry, name: str) -> Box:
    return geometry.nodes[name] if name in geometry.nodes else geometry.groups[name]


def parents(graph: Graph) -> dict[str, str | None]:
    return {node.id: node.group for node in graph.nodes} | {group.id: group.parent for group in graph.groups}


@GENTLE
@given(folded_graphs())
def test_the_same_graph_gives_the_same_geometry(drawn):
    graph, folded = drawn
    assert lay_out(graph, folded) == lay_out(graph, folded)


@GENTLE
@given(folded_graphs())
def test_no_node_overlaps_another_and_all_lie_in_the_picture(drawn):
    geometry = lay_out(*drawn)
    assert overlapping(list(geometry.nodes.values())) == []
    frame = Box(x=0, y=0, width=geometry.width, height=geometry.height)
    assert all(frame.holds(box) for box in [*geometry.nodes.values(), *geometry.groups.values()])


@GENTLE
@given(folded_graphs())
def test_every_edge_runs_from_the_bottom_of_its_upstream_to_the_top_of_its_downstream(drawn):
    geometry = lay_out(*drawn)
    for route in geometry.routes:
        up, down = box_of(geometry, route.upstream), box_of(geometry, route.downstream)
        (start_x, start_y), (end_x, end_y) = route.points[0], route.points[-1]
        assert start_y == pytest.approx(up.bottom, abs=0.1)
        assert end_y == pytest.approx(down.y, abs=0.1)
        assert up.x <= start_x <= up.right
        assert down.x <= end_x <= down.right


@GENTLE
@given(folded_graphs())
def test_a_group_holds_its_nodes_and_no_others(drawn):
    graph, _ = drawn
    geometry = lay_out(*drawn)
    parent = parents(graph)

    def containers(name: str) -> set[str]:
        above = parent[name]
        return set() if above is None else {above} | containers(above)

    for name, box in [*geometry.nodes.items(), *geometry.groups.items()]:
        for group, frame in geometry.groups.items():
            if group in containers(name):
                assert frame.holds(box)
            elif group != name and name not in containers(group):
                assert not frame.overlaps(box)


@GENTLE
@given(folded_graphs())
def test_each_node_is_shown_once_or_hidden_in_one_folded_group(drawn):
    graph, folded = drawn
    geometry = lay_out(graph, folded)
    hidden = [name for members in geometry.folded.values() for name in members]
    shown = [name for name in geometry.nodes if name not in geometry.folded]
    assert sorted([*hidden, *shown]) == sorted(node.id for node in graph.nodes)
    assert {name for name, members in geometry.folded.items() if members} <= folded


@GENTLE
@given(grouped_graphs(), st.data())
def test_folding_one_group_leaves_the_inside_of_the_others_as_it_was(graph, data):
    if not graph.groups:
        return
    folded = data.draw(st.sampled_from([group.id for group in graph.groups]))
    before, after = lay_out(graph), lay_out(graph, {folded})
    parent = parents(graph)

    def touched(name: str) -> bool:
        """A group around the folded one changes with it."""
        above: str | None = folded
        while above is not None:
            if above == name:
                return True
            above = parent[above]
        return False

    for group in after.groups:
        if touched(group):
            continue
        for node in graph.nodes:
            if node.group == group:
                assert _within(before, group, node.id) == _within(after, group, node.id)


def _within(geometry: Geometry, group: str, node: str) -> tuple[float, float]:
    frame, box = geometry.groups[group], geometry.nodes[node]
    return (round(box.x - frame.x, 3), round(box.y - frame.y, 3))


@GENTLE
@given(folded_graphs())
def test_edges_of_a_folded_group_are_lifted_to_it_and_counted(drawn):
    graph, folded = drawn
    geometry = lay_out(graph, folded)
    shown = {name: name for name in geometry.nodes} | {
        name: group for group, members in geometry.folded.items() for name in members
    }
    wanted: dict[tuple[str, str], int] = {}
    for up, down in graph.edges:
        pair = (shown[up], shown[down])
        if pair[0] != pair[1]:
            wanted[pair] = wanted.get(pair, 0) + 1
    assert {(route.upstream, route.downstream): route.count for route in geometry.routes} == wanted


def test_an_edge_may_start_at_a_group_and_leaves_at_its_bottom():
    graph = Graph(
        nodes=(Node(id="a", group="m"), Node(id="b")), groups=(Group(id="m"),), edges=(("m", "b"), ("a", "m"))
    )
    geometry = lay_out(graph)
    assert [(route.upstream, route.downstream) for route in geometry.routes] == [("m", "b")]
    assert geometry.routes[0].points[0][1] == geometry.groups["m"].bottom


def test_groups_that_wait_for_each_other_are_drawn_with_one_edge_going_back():
    graph = Graph(
        nodes=(Node(id="a", group="m1"), Node(id="b", group="m2"), Node(id="c", group="m1")),
        groups=(Group(id="m1"), Group(id="m2")),
        edges=(("a", "b"), ("b", "c")),
    )
    geometry = lay_out(graph)
    back = next(route for route in geometry.routes if route.downstream == "c")
    assert geometry.groups["m1"].bottom < geometry.groups["m2"].y
    assert back.points[0][1] == geometry.nodes["b"].bottom
    assert back.points[-1][1] == geometry.nodes["c"].y


def test_a_cycle_is_refused_by_its_path():
    graph = Graph(nodes=(Node(id="a"), Node(id="b"), Node(id="c")), edges=(("a", "b"), ("b", "c"), ("c", "b")))
    with pytest.raises(CycleError) as caught:
        lay_out(graph)
    assert caught.value.path == ["b", "c", "b"]


def test_a_task_that_waits_for_its_own_milestone_is_refused_as_a_cycle():
    graph = Graph(nodes=(Node(id="a", group="m"),), groups=(Group(id="m"),), edges=(("m", "a"),))
    with pytest.raises(CycleError) as caught:
        lay_out(graph)
    assert caught.value.path == ["a", "m", "a"]


def test_unknown_ends_repeated_ids_and_bad_nesting_are_refused_by_name():
    with pytest.raises(UnknownDependency) as unknown:
        lay_out(Graph(nodes=(Node(id="a"),), edges=(("ghost", "a"),)))
    assert unknown.value.params == {"task": "a", "dependency": "ghost"}
    with pytest.raises(GraphError) as repeated:
        lay_out(Graph(nodes=(Node(id="a"), Node(id="a"))))
    assert (repeated.value.code, repeated.value.params["id"]) == ("duplicate_id", "a")
    with pytest.raises(GraphError) as nested:
        lay_out(Graph(nodes=(Node(id="a", group="g"),), groups=(Group(id="g", parent="h"), Group(id="h", parent="g"))))
    assert nested.value.code == "milestone_cycle"


def test_a_title_wider_than_its_group_widens_the_group():
    graph = Graph(nodes=(Node(id="a", group="g"),), groups=(Group(id="g", header_width=500),))
    assert lay_out(graph).groups["g"].width == 500


def test_nothing_is_a_picture_too():
    geometry = lay_out(Graph(nodes=()))
    assert (geometry.nodes, geometry.groups, geometry.routes) == ({}, {}, ())


def test_tasks_that_hang_on_nothing_stand_in_rows_not_in_one_line():
    geometry = lay_out(Graph(nodes=tuple(Node(id=str(index)) for index in range(100))))
    assert geometry.width < 4 * geometry.height
    assert overlapping(list(geometry.nodes.values())) == []


def real_graphs(corpora: Path) -> list[tuple[str, Graph]]:
    found = []
    for path in sorted((corpora / "dags").glob("*.json")):
        tasks = json.loads(path.read_text(encoding="utf-8")).get("tasks")
        if tasks is not None:
            nodes = tuple(Node(id=task["id"]) for task in tasks)
            edges = tuple((up, task["id"]) for task in tasks for up in task["depends_on"])
            found.append((path.name, Graph(nodes=nodes, edges=edges)))
    return found


def test_real_graphs_are_drawn_without_overlaps_or_refused_for_their_cycle(corpora):
    manifest = json.loads((corpora / "dags" / "manifest.json").read_text(encoding="utf-8"))
    answers = {entry["name"]: entry["right_answers"]["expected"] for entry in manifest["files"]}
    drawn, refused, largest = 0, 0, 0
    for name, graph in real_graphs(corpora):
        if answers[name] != "valid":
            with pytest.raises((CycleError, UnknownDependency)) as caught:
                lay_out(graph)
            assert answers[name] == f"reject: {caught.value.code.replace('_', ' ')}", name
            refused += 1
            continue
        geometry = lay_out(graph)
        assert len(geometry.nodes) == len(graph.nodes)
        assert overlapping(list(geometry.nodes.values())) == [], name
        # long edges of one task share their way, so that even 15,000 edges stay small enough to send
        assert sum(len(route.points) for route in geometry.routes) < 40 * len(geometry.routes) + 1, name
        largest = max(largest, len(geometry.nodes))
        drawn += 1
    assert drawn > 20
    assert refused > 0
    assert largest == 2971
