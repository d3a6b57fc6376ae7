"""Real graphs from the field: every one gets the manifest's verdict, edges, levels and critical path."""

import json
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from plans.core import graph
from plans.core.catalogue import AnySkill
from plans.core.compile import compile_plan

FOLDER = Path(__file__).resolve().parents[2] / "../shared/corpora/dags"
FILES = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["files"] if FOLDER.is_dir() else []
ANSWERS = {entry["name"]: entry["right_answers"] for entry in FILES}
VERDICTS = {"valid": (set(), "accepted"), "reject: unknown dependency": ({"dangling_dependency"}, "rejected")}


@cache
def compiled(name):
    """Return the file's compilation: the largest take a second, and several tests look at the same."""
    return compile_plan((FOLDER / name).read_bytes(), AnySkill())


def converted(name):
    """Return the corpus file as a plan: its durations become estimates, 0 where there is none."""
    raw = json.loads((FOLDER / name).read_text("utf-8"))
    tasks = [
        {
            "id": task["id"],
            "name": task["name"],
            "depends_on": task["depends_on"],
            "estimate": {"seconds": task.get("duration_s", 0.0)},
        }
        for task in raw["tasks"]
    ]
    return {"tasks": tasks}


def test_the_corpus_is_here(corpora):
    assert len(ANSWERS) >= 40


@pytest.mark.parametrize("name", ANSWERS)
def test_the_file_as_it_is_gives_nodes_edges_and_verdict(name):
    answer = ANSWERS[name]
    result = compiled(name)
    errors = {finding.code for finding in result.findings if finding.severity == "error"}
    expected, outcome = VERDICTS.get(answer["expected"], (errors & {"cycle", "self_dependency"}, "rejected"))
    assert (result.outcome, errors) == (outcome, expected)
    assert (outcome == "rejected") == bool(errors)
    assert (len(result.nodes), len(result.edges)) == (answer["nodes"], answer["edges"])


@pytest.mark.parametrize("name", ANSWERS)
def test_dangling_and_cyclic_parts_are_named(name):
    answer = ANSWERS[name]
    result = compiled(name)
    dangling = {finding.params["dependency"] for finding in result.findings if finding.code == "dangling_dependency"}
    assert dangling >= set(answer["dangling"])
    assert len(dangling) == answer["dangling_count"]
    loops = [finding.task for finding in result.findings if finding.code == "self_dependency"]
    assert sorted(loops) == sorted(answer.get("self_loops", []))
    cycles = [finding.params["path"] for finding in result.findings if finding.code == "cycle"]
    assert len(cycles) >= answer.get("cyclic_components", 0)
    edges = set(result.edges)
    assert all(pair in edges for path in cycles for pair in pairwise(path))


@pytest.mark.parametrize("name", [name for name, answer in ANSWERS.items() if "depth_levels" in answer])
def test_levels_and_critical_path_are_the_manifests(name):
    answer = ANSWERS[name]
    result = compile_plan(converted(name), AnySkill())
    widths = [len(level) for level in result.levels]
    assert (len(widths), max(widths), widths[:10]) == (
        answer["depth_levels"],
        answer["max_width"],
        answer["level_widths_first10"],
    )
    assert len(result.levels[0]) == answer["roots"]
    if answer.get("critical_path_s") is not None:
        assert result.estimate["seconds"] == pytest.approx(answer["critical_path_s"], abs=0.01)
        edges = set(result.edges)
        assert all(pair in edges for pair in pairwise(result.critical_path))


@pytest.mark.parametrize("name", [name for name, answer in ANSWERS.items() if answer["acyclic"]])
def test_transitive_reduction_of_a_real_graph_keeps_its_levels(name):
    result = compiled(name)
    upstream = {node: [] for node in result.nodes}
    for up, down in result.edges:
        upstream[down].append(up)
    assert graph.levels(graph.transitive_reduction(upstream)) == graph.levels(upstream)
