"""The SVG of a plan and of a run: what it says, that hostile text stays text, what folds, how many queries it takes."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from plans.core.states import TaskState
from plans.web.graph import drawing
from plans.web.graph.drawing import draw
from plans.web.graph.links import Links
from plans.web.graph.page import graph_shown
from plans.web.graph.svg import edge_class, group_state
from plans.web.graph.values import GraphMilestone, GraphPlan, GraphTask, Look
from tests.web.elements import Elements

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOSTILE = [
    "</text></a></svg><script>alert(1)</script>",
    '" onload="alert(1)" x=\'',
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "]]><!--",
    "&lt;b&gt; &amp; &quot;",
    "مرحبا \u202e txt.exe",
    "移行リスクを洗い出す" * 30,
    "👩‍👩‍👧‍👦 emoji",
    "W" * 5000,
    "a\nb\tc\u0000d",
]


def shown(plan, looks=None, query="", **more):
    return graph_shown(plan, looks, links=Links.of(QueryDict(query)), now=NOW, **more)


def small() -> tuple[GraphPlan, dict[str, Look]]:
    plan = GraphPlan(
        tasks=(
            GraphTask(key="a", title="Load", milestone="m1"),
            GraphTask(key="b", title="Sum", milestone="m1"),
            GraphTask(key="c", title="Chart", milestone="m2"),
        ),
        milestones=(GraphMilestone(key="m1", title="Collect"), GraphMilestone(key="m2", title="Show")),
        edges=(("a", "b"), ("b", "c")),
    )
    looks = {
        "a": Look(state="succeeded", word="Succeeded", length="1.2 s"),
        "b": Look(state="running", word="Running", since=NOW - timedelta(seconds=65)),
        "c": Look(state="pending", word="Pending"),
    }
    return plan, looks


def test_a_node_says_title_state_time_and_dependencies():
    elements = Elements(shown(*small()).svg)
    node = next(found for found in elements.of_class("node") if found["data-key"] == "b")
    assert node["aria-label"] == "Sum. Running, 1m 05s. Depends on: Load."
    assert node["class"] == "node st-running"
    assert (node["data-state"], node["data-in"], node["href"]) == ("running", "m1", "?task=b")
    assert "#g-running" in [found.get("href") for tag, found in elements.found if tag == "use"]
    assert [found["data-since"] for found in elements.of_class("time") if "data-since" in found] == [
        "2026-11-30T11:58:55+00:00"
    ]


def test_edges_carry_their_ends_and_the_class_of_their_states():
    edges = Elements(shown(*small()).svg).of_class("edge")
    assert {(edge["data-from"], edge["data-to"]): edge["class"] for edge in edges} == {
        ("a", "b"): "edge is-active",
        ("b", "c"): "edge",
    }


def test_there_is_one_tab_stop_and_it_is_the_selected_task():
    elements = Elements(shown(*small(), "task=c").svg)
    assert [found["data-key"] for _, found in elements.found if found.get("tabindex") == "0"] == ["c"]
    assert [found["data-key"] for found in elements.of_class("is-sel")] == ["c"]


def test_a_milestone_has_a_header_with_counts_and_a_fold_link():
    heads = Elements(shown(*small()).svg).of_class("g-head")
    assert [(head["href"], head["aria-label"]) for head in heads] == [
        ("?fold=m1", "Milestone Collect, 1 of 2 done. Fold it."),
        ("?fold=m2", "Milestone Show, 0 of 1 done. Fold it."),
    ]


def test_a_folded_milestone_is_one_node_with_counts_that_opens_it():
    elements = Elements(shown(*small(), "fold=m1&task=c").svg)
    (group,) = elements.of_class("is-group")
    assert group["href"] == "?open=m1&task=c"
    assert group["data-counts"] == "succeeded:1 running:1"
    assert group["data-tasks"] == "a:succeeded b:running"
    assert group["data-state"] == "running"
    assert group["aria-label"] == "Collect. 2 steps, 1 of 2 done. Depends on nothing."
    assert [(edge["data-from"], edge["data-to"]) for edge in elements.of_class("edge")] == [("m1", "c")]


def test_finished_milestones_start_folded_and_an_open_in_the_address_wins():
    plan, looks = small()
    looks["b"] = Look(state="succeeded", word="Succeeded")
    assert [found["data-group"] for found in Elements(shown(plan, looks).svg).of_class("is-group")] == ["m1"]
    assert Elements(shown(plan, looks, "open=m1").svg).of_class("is-group") == []


def test_links_keep_the_other_parameters_of_the_page():
    links = Links.of(QueryDict("tab=graph&fold=a%2Cb&open=c&task=t&fold="))
    assert links.task("x&y=1") == "?tab=graph&fold=a%2Cb&open=c&task=x%26y%3D1"
    assert links.fold("c") == "?tab=graph&fold=a%2Cb&fold=c&task=t"
    assert links.open("a,b") == "?tab=graph&open=c&open=a%2Cb&task=t"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_every_place(text):
    plan = GraphPlan(
        tasks=(
            GraphTask(key=text, title=text, milestone="m" + text, note=text),
            GraphTask(key="b", title="Calm", milestone="n" + text),
        ),
        milestones=(GraphMilestone(key="m" + text, title=text), GraphMilestone(key="n" + text, title=text)),
        edges=((text, "b"),),
    )
    look = Look(state="running", word=text, note=text, length=text)
    folds = f"fold={'%6E'}{''.join(f'%{byte:02X}' for byte in text.encode())}"
    calm = {"b": Look(state="pending", word="Pending")}
    for svg in (shown(plan, {text: look} | calm, folds).svg, shown(plan).svg):
        elements = Elements(svg)
        assert {tag for tag, _ in elements.found} <= {"svg", "g", "a", "rect", "path", "use", "text", "tspan", "title"}
        names = {name for _, attributes in elements.found for name in attributes}
        assert not [name for name in names if name == "style" or name.startswith("on")]
        assert all(found["href"].startswith(("?", "#g-")) for _, found in elements.found if "href" in found)
        assert any(found.get("data-key") == text for found in elements.of_class("node")) or "\0" in text
        titles = re.findall(r"<title>(.*?)</title>", svg, re.S)
        assert text in [unescape(title) for title in titles] or "\0" in text


def test_a_long_title_is_cut_by_width_and_whole_in_the_title():
    plan = GraphPlan(tasks=(GraphTask(key="a", title="W" * 5000), GraphTask(key="b", title="移行" * 40)))
    svg = shown(plan).svg
    assert "W" * 5000 in svg
    visible = re.findall(r'<text x="38" y="19">(.*?)</text>', svg)
    assert [len(text) for text in visible] == [13, 13]
    assert all(text.endswith("…") for text in visible)


def test_a_plan_without_states_shows_what_each_step_uses_and_where_it_will_ask():
    plan = GraphPlan(tasks=(GraphTask(key="a", title="Send", note="email, asks first", asks=True),))
    found = shown(plan)
    elements = Elements(found.svg)
    assert elements.of_class("st-planned")[0]["aria-label"] == "Send. email, asks first. Depends on nothing."
    assert "#g-asks" in [attributes.get("href") for tag, attributes in elements.found if tag == "use"]
    assert (found.legend, found.has_states) == ([], False)


def test_the_legend_counts_all_tasks_those_in_folds_too():
    plan, looks = small()
    found = shown(plan, looks, "fold=m1")
    assert {entry.state: entry.n for entry in found.legend if entry.n} == {"succeeded": 1, "running": 1, "pending": 1}


def test_a_cycle_gives_no_picture_but_its_path_in_words():
    plan = GraphPlan(
        tasks=(GraphTask(key="a", title="A"), GraphTask(key="b", title="B")), edges=(("a", "b"), ("b", "a"))
    )
    found = shown(plan)
    assert (str(found.svg), found.problem) == ("", "The tasks wait for each other: a → b → a.")


def test_above_a_thousand_visible_nodes_the_page_asks_and_draws_on_request():
    plan = GraphPlan(tasks=tuple(GraphTask(key=f"t{index}", title="Step") for index in range(1001)))
    found = shown(plan, query="tab=graph")
    assert (str(found.svg), found.asks, found.draw_all) == ("", True, "?tab=graph&draw=all")
    html = render_to_string("plans/graph/_graph.html", {"graph": found})
    assert 'href="?tab=graph&amp;draw=all"' in html
    assert len(Elements(shown(plan, query="draw=all").svg).of_class("node")) == 1001


def test_the_fragments_have_no_style_attribute_and_no_inline_script():
    found = shown(*small(), source="/runs/1/graph")
    for template in ("_graph.html", "_tools.html", "_stage.html"):
        elements = Elements(render_to_string(f"plans/graph/{template}", {"graph": found}))
        for tag, attributes in elements.found:
            assert tag != "script"
            assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_every_state_has_an_icon_and_a_colour_class():
    sprite = render_to_string("plans/graph/_sprite.html")
    symbols = set(re.findall(r'<symbol id="g-([a-z]+)"', sprite))
    states = {state.value for state in TaskState} | {"until", "planned", "asks"}
    assert states <= symbols


def test_the_geometry_of_a_plan_is_made_once_for_each_fold_set():
    plan, _ = small()
    assert draw(plan, frozenset({"m1"})) is draw(GraphPlan(**_fields(plan)), frozenset({"m1"}))
    assert draw(plan) is not draw(plan, frozenset({"m1"}))


def test_the_cache_of_drawings_stays_bounded():
    for index in range(40):
        draw(GraphPlan(tasks=tuple(GraphTask(key=f"{index}-{n}", title="x") for n in range(1000))))
    assert len(drawing._cache) <= drawing.KEPT_NODES // 1000 + 1


def _fields(plan: GraphPlan) -> dict:
    return {"tasks": plan.tasks, "milestones": plan.milestones, "edges": plan.edges}


@pytest.mark.parametrize(
    ("counts", "state"),
    [
        ({"failed": 1, "running": 3}, "failed"),
        ({"waiting": 1, "succeeded": 3}, "waiting"),
        ({"running": 1, "pending": 9}, "running"),
        ({"succeeded": 2, "skipped": 1}, "succeeded"),
        ({"skipped": 2}, "skipped"),
        ({"succeeded": 1, "pending": 1}, "ready"),
        ({"pending": 4}, "pending"),
        ({}, "pending"),
    ],
)
def test_a_folded_milestone_shows_trouble_first(counts, state):
    assert group_state(counts) == state


def test_edge_classes_follow_the_states_of_both_ends():
    assert edge_class("succeeded", "running") == " is-active"
    assert edge_class("succeeded", "skipped") == " is-off"
    assert edge_class("cancelled", "pending") == " is-off"
    assert edge_class("succeeded", "waiting") == " is-done"
    assert edge_class("succeeded", "pending") == ""
