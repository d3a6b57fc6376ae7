"""How plans are scored against gold graphs, and the benchmark of the connected model."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from plans.core.catalogue import AnySkill
from plans.core.compile import compile_plan
from plans.planning.modelled.wire import from_wire
from plans.supervise.bench import planner, run
from plans.supervise.bench.graphs import Graph, Scores, compare
from tests.conftest import SHARED
from tests.modelled.desk import answer, step, wire
from tests.scripted_model import Call, ScriptedModel, said


def graph(tools: str, *edges: str, words: dict[str, str] | None = None) -> Graph:
    steps = {key: (tool, (words or {}).get(key, "")) for key, tool in (each.split(":") for each in tools.split())}
    return Graph(steps=steps, edges=frozenset((edge[0], edge[1]) for edge in edges))


GOLD = graph("a:load b:sql c:chart d:report", "ab", "bc", "bd", "cd")


@pytest.mark.parametrize(
    ("written", "nodes", "edges", "part"),
    [
        (graph("w:load x:sql y:chart z:report", "wx", "xy", "xz", "yz"), 1, 1, 1),
        (graph("w:load x:sql y:chart z:report", "wx", "xy", "yz"), 1, 6 / 7, 1),
        (graph("w:load x:sql y:chart z:report"), 1, 0, 2 * 1 / 8),
        (graph("w:load x:sql y:report", "wx", "xy"), 6 / 7, 4 / 6, 6 / 7),
        (graph("w:load y:mail", "wy"), 2 / 6, 0, 2 / 6),
        (graph("w:load x:sql y:chart z:report", "xw", "yx", "zx", "zy"), 1, 0, 2 / 8),
        (graph("w:LOAD x:sql q:sql", "wx", "wq"), 4 / 7, 2 / 6, 4 / 7),
    ],
)
def test_likeness_is_counted_by_hand(written: Graph, nodes: float, edges: float, part: float):
    found = compare(written, GOLD)
    assert (found.nodes, found.edges, found.graph) == pytest.approx((nodes, edges, part))


def test_two_graphs_without_edges_agree_on_them():
    assert compare(graph("x:do"), graph("a:do")) == Scores(nodes=1, edges=1, graph=1)


def test_the_same_tool_twice_is_told_apart_by_words():
    gold = graph("a:sql b:sql c:report", "ac", words={"a": "by month", "b": "by region"})
    written = graph("x:sql y:sql z:report", "yz", words={"x": "sales by region", "y": "sales by month"})
    assert compare(written, gold).edges == 1


def test_without_tools_words_decide():
    gold = graph("a: b:", "ab", words={"a": "Find bus stops near the library", "b": "Compare the routes"})
    written = graph("x: y:", "xy", words={"x": "Find stops near library", "y": "Send a letter"})
    assert compare(written, gold).nodes == 0.5


def test_every_gold_graph_is_a_plan_in_the_wire_form(corpora: Path):
    items = json.loads((corpora / "goals" / "gold_plans.json").read_text(encoding="utf-8"))["items"]
    assert len(items) > 100
    wrong = []
    for item in items:
        above = {node["id"]: [] for node in item["gold"]["nodes"]}
        for up, down in item["gold"]["edges"]:
            above[down].append(up)
        steps = [
            step(node["id"], node.get("tool") or "do", name=node["name"], depends_on=above[node["id"]])
            for node in item["gold"]["nodes"]
        ]
        compiled = compile_plan(from_wire(wire(*steps), AnySkill())[0], AnySkill())
        edges = {tuple(edge) for edge in item["gold"]["edges"]}
        if (compiled.outcome, set(compiled.nodes), set(compiled.edges)) != ("accepted", set(above), edges):
            wrong.append(item["id"])
        gold = planner.gold_of(item)
        assert compare(gold, gold).nodes == 1, item["id"]
    assert wrong == []


def bench(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> dict[str, Any]:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    assert run.run("planner", True, *arguments) == 0
    return dict(json.loads(out.getvalue()))


def perfect(call: Call) -> Any:
    """Answer with the gold graph of the goal the prompt holds."""
    items = json.loads(planner.GOALS.read_text(encoding="utf-8"))["items"]
    item = next(item for item in items if item["goal"] in call.prompt)
    above: dict[str, list[str]] = {node["id"]: [] for node in item["gold"]["nodes"]}
    for up, down in item["gold"]["edges"]:
        above[down].append(up)
    if item["id"] == "hello" and call.purpose == "draft":
        return said("no plan")
    return answer(
        wire(
            *(
                step(node["id"], node["tool"], name=node["name"], depends_on=above[node["id"]])
                for node in item["gold"]["nodes"]
            )
        )
    )


@pytest.mark.django_db
def test_the_benchmark_measures_the_connected_model(connected_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch):
    connected_model.respond(perfect)
    found = bench(monkeypatch)
    figures = {each["name"]: each["value"] for each in found["figures"]}
    assert (found["model"], found["goals"], found["problems"]) == ("claude-sonnet-5-5", 8, {})
    assert figures["planner.f1_nodes"] == figures["planner.f1_edges"] == figures["planner.f1_graph"] == 1
    assert (figures["planner.schema_valid"], figures["planner.first_try"]) == (7 / 8, 7 / 8)
    assert (figures["planner.accepted"], figures["planner.repair_rounds"]) == (1, 1 / 8)
    assert figures["planner.usd"] > 0


@pytest.mark.django_db
def test_a_scripted_model_gets_no_f1(connected_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, settings: Any):
    settings.PLANS_PLAN_MODEL = "scripted"
    connected_model.respond(perfect)
    found = bench(monkeypatch, "", 2)
    assert (found["model"], found["goals"]) == ("scripted", 2)
    assert not any("f1" in each["name"] for each in found["figures"])


@pytest.mark.django_db
def test_without_a_model_or_goals_the_benchmark_says_so(connected_model: ScriptedModel, capsys: Any, settings: Any):
    assert run.run("planner", False, str(SHARED / "nothing.json")) == 1
    settings.PLANS_MODEL_API_KEY = settings.PLANS_MODEL_BASE_URL = ""
    assert run.run("planner", False) == 1
    assert "cannot be opened" in (said_there := capsys.readouterr().err)
    assert "No model is connected" in said_there
