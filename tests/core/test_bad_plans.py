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

OUTCOMES = {"accept": "accepted", "repair": "repaired", "reject": "rejected"}
# sample number -> the code that says why it is refused
REASONS = {
    "17": "plan_cut_off",
    "29": "not_an_object",
    "31": "no_plan_in_text",
    "34": "duplicate_id",
    "36": "self_dependency",
    "37": "cycle",
    "39": "dangling_dependency",
    "41": "unknown_skill",
    "46": "empty_plan",
    "47": "empty_text",
    "48": "not_a_plan",
    "49": "no_plan_in_text",
    "61": "unknown_function",
}
REAL = FOLDER / "real_model_plans.jsonl"
RECORDS = [json.loads(line) for line in REAL.read_text("utf-8").splitlines()] if REAL.is_file() else []


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_gets_the_manifests_outcome(name):
    entry = SAMPLES[name]
    result = compile_plan((FOLDER / name).read_bytes(), CATALOGUE)
    assert result.outcome == OUTCOMES[entry["outcome"]]
    number = name.removeprefix("samples/")[:2]
    if result.outcome == "rejected":
        assert REASONS[number] in [finding.code for finding in result.findings if finding.severity == "error"]
        return
    graph = entry["expected_graph"]
    if "nodes" in graph and "edges_by_name" not in graph:
        assert result.nodes == graph["nodes"]
        assert sorted(map(list, result.edges)) == sorted(graph["edges"])
    if "edges_by_name" in graph:
        names = {task.id: task.name for task in result.plan.tasks}
        assert [[names[up], names[down]] for up, down in result.edges] == graph["edges_by_name"]
    assert len(result.nodes) == graph.get("node_count", len(result.nodes))
    assert len(result.edges) == graph.get("edge_count", len(result.edges))
    for milestone, steps in graph.get("groups", {}).items():
        assert [task.id for task in result.plan.tasks if task.milestone == milestone] == steps


@pytest.mark.parametrize("name", SAMPLES)
def test_no_sample_gives_a_traceback_and_a_rejection_says_why(name):
    result = compile_plan((FOLDER / name).read_bytes(), CATALOGUE)
    assert (result.outcome == "rejected") == any(finding.severity == "error" for finding in result.findings)


FATAL = ("cycle", "unknown tool", "self link", "same tool twice", "malformed link", "argument refers")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_real_reply_is_refused_for_its_defects_and_read_without_them(record):
    """Nodes and links by the tools' names, as the models wrote them; which tool is unknown is the corpus's word."""
    unknown = {
        tool
        for defect in record["defects"]
        if defect.startswith("unknown tool")
        for tool in defect.partition(": ")[2].split(", ")
    }
    tools = {node["task"] for node in record["plan"]["task_nodes"]} - unknown
    result = compile_plan(record["plan"], {name: SkillInfo(name=name, free_params=True) for name in tools})
    if any(defect.startswith(FATAL) for defect in record["defects"]) or len(record["plan"]["task_nodes"]) < 2:
        assert result.outcome == "rejected"
    elif record["defects"]:
        # A link to "TextExpander" where the tool is "Text Expander" means one thing; other missing nodes do not.
        assert result.outcome in {"rejected", "repaired"}
    else:
        assert result.outcome == "repaired"
        links = {(link["source"], link["target"]) for link in record["plan"]["task_links"]}
        skills = {task.id: task.skill for task in result.plan.tasks}
        assert {(skills[up], skills[down]) for up, down in result.edges} == links


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_a_cut_off_answer_never_runs_as_if_it_were_complete(corpora, cut):
    text = (corpora / "bad_plans/samples/01_clean.txt").read_text("utf-8")
    assert compile_plan(text[: int(len(text) * cut)], CATALOGUE).outcome == "rejected"
