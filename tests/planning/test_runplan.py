"""`runplan`: a plan file runs as it is, or is refused before anything is made."""

from __future__ import annotations

import json

import pytest

from plans.management.headless.files import slug
from plans.models import Attachment, Run
from tests.planning.files import write_spanish_sales

TWO = {
    "schema": 1,
    "goal": "two steps",
    "tasks": [
        {"id": "a", "skill": "noop", "params": {"value": 41}, "outputs": {"first": "json"}},
        {"id": "b", "skill": "noop", "params": {"value": "{{ first + 1 }}"}, "outputs": {"second": "json"}},
    ],
}


def write(path, plan) -> str:
    path.write_text(plan if isinstance(plan, str) else json.dumps(plan), encoding="utf-8")
    return str(path)


def test_a_plan_runs_to_its_result(headless, tmp_path):
    code, document = headless("runplan", write(tmp_path / "p.json", TWO), "--approve")
    assert (code, document["state"], document["result"]) == (0, "succeeded", {"second": 42})
    assert set(document["tasks"]) == {"a", "b"}


def test_a_fenced_plan_runs(headless, tmp_path):
    reply = f"```json\n{json.dumps(TWO)}\n```\n"
    code, document = headless("runplan", write(tmp_path / "reply.txt", reply), "--approve")
    assert (code, document["result"]) == (0, {"second": 42})


def test_without_approve_it_stops_at_review(headless, tmp_path):
    code, document = headless("runplan", write(tmp_path / "p.json", TWO))
    assert (code, document["state"], document["tasks"]) == (0, "review", {})


def test_attachments_are_inputs(headless, tmp_path):
    plan = {
        "schema": 1,
        "tasks": [
            {"id": "a", "skill": "noop", "params": {"value": "{{ inputs.file.filename }}"}, "outputs": {"one": "json"}},
            {
                "id": "b",
                "skill": "noop",
                "params": {"value": "{{ inputs.ventas_2_csv.filename }}"},
                "outputs": {"two": "json"},
            },
        ],
    }
    files = [write_spanish_sales(tmp_path / name) for name in ("ventas.csv", "Ventas 2.csv")]
    attach = [part for file in files for part in ("--attach", str(file))]
    code, document = headless("runplan", write(tmp_path / "p.json", plan), *attach, "--approve")
    assert (code, document["result"]) == (0, {"one": "ventas.csv", "two": "Ventas 2.csv"})


@pytest.mark.parametrize(
    "plan",
    [
        "{ not json",
        {"schema": 1, "tasks": [{"id": "a", "skill": "nothing_like_it"}]},
        {
            "schema": 1,
            "tasks": [
                {"id": "a", "skill": "noop", "depends_on": ["b"]},
                {"id": "b", "skill": "noop", "depends_on": ["a"]},
            ],
        },
    ],
)
def test_a_plan_nobody_may_run_makes_nothing(headless, tmp_path, plan):
    code, document = headless("runplan", write(tmp_path / "p.json", plan), "--approve")
    assert (code, document["error"]["code"]) == (1, "plan_rejected")
    assert (Run.objects.count(), Attachment.objects.count()) == (0, 0)


def test_a_missing_plan_file_is_named(headless, tmp_path):
    code, document = headless("runplan", str(tmp_path / "nothing.json"))
    assert (code, document["error"]["code"]) == (1, "file_not_readable")


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("Sales Q4.csv", "sales_q4_csv"),
        ("access.log", "access_log"),
        ("2024.csv", "f_2024_csv"),
        ("销售.csv", "csv"),
        ("销售", "attachment"),
    ],
)
def test_a_file_name_becomes_a_name(filename, name):
    assert slug(filename) == name
