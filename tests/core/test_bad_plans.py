"""Structural defects of real model answers that are plain JSON: a sensible verdict, in words, never a traceback."""

import json
from pathlib import Path

import pytest

from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan

FOLDER = Path(__file__).resolve().parents[2] / "../shared/corpora/bad_plans"
MANIFEST = (
    json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    if FOLDER.is_dir()
    else {"samples": [], "skills_assumed": []}
)
SAMPLES = {entry["name"]: entry for entry in MANIFEST["samples"]}
CATALOGUE = {name: SkillInfo(name=name, free_params=True) for name in MANIFEST["skills_assumed"]}

# sample number -> what it must be found to be; None: accepted or repaired with the manifest's graph
EXPECTED = {
    "01": None,
    "02": None,
    "19": None,
    "52": None,
    "54": None,
    "56": None,
    "58": None,
    "29": "not_an_object",
    "33": "duplicate_id",
    "34": "duplicate_id",
    "36": "self_dependency",
    "37": "cycle",
    "39": "dangling_dependency",
    "40": "dangling_dependency",
    "41": "unknown_skill",
    "45": "missing_id",
    "46": "empty_plan",
    "47": "empty_text",
    "48": "not_a_plan",
    "49": "not_json",
    "17": "not_json",
}


def sample(number):
    name = next(name for name in SAMPLES if name.startswith(f"samples/{number}_"))
    return SAMPLES[name], compile_plan((FOLDER / name).read_bytes(), CATALOGUE)


@pytest.mark.parametrize("number", [number for number in EXPECTED if SAMPLES])
def test_a_structural_sample_gets_its_verdict(number):
    entry, result = sample(number)
    code = EXPECTED[number]
    if code is None:
        assert result.outcome == {"accept": "accepted", "repair": "repaired"}[entry["outcome"]]
        graph = entry["expected_graph"]
        nodes, edges = graph.get("nodes"), graph.get("edges")
        assert len(result.nodes) == graph.get("node_count", len(nodes or []))
        assert len(result.edges) == graph.get("edge_count", len(edges or []))
        assert nodes is None or (result.nodes == nodes and sorted(map(list, result.edges)) == sorted(edges))
    else:
        assert result.outcome == "rejected"
        assert code in [finding.code for finding in result.findings]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_sample_gives_a_traceback_and_a_rejection_says_why(name):
    result = compile_plan((FOLDER / name).read_bytes(), CATALOGUE)
    assert (result.outcome == "rejected") == any(finding.severity == "error" for finding in result.findings)


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_off_answer_never_runs_as_if_it_were_complete(corpora, cut):
    text = (corpora / "bad_plans/samples/01_clean.txt").read_text("utf-8")
    assert compile_plan(text[: int(len(text) * cut)], CATALOGUE).outcome == "rejected"
