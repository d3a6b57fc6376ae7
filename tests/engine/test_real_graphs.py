"""Real graphs from the field run to their end as no-ops, each step after everything it waits for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plans.models import Event
from tests.engine.plant import Plant

pytestmark = pytest.mark.django_db(transaction=True)

FOLDER = Path(__file__).resolve().parents[2] / "../shared/corpora/dags"
FILES = json.loads((FOLDER / "manifest.json").read_text("utf-8"))["files"] if FOLDER.is_dir() else []
VALID = [entry["name"] for entry in FILES if entry["right_answers"]["expected"] == "valid"]


def test_the_corpus_is_here(corpora: Path):
    assert len(VALID) >= 25


@pytest.mark.parametrize("name", VALID)
def test_a_real_graph_runs_to_the_end_in_order(plant: Plant, name: str):
    tasks = json.loads((FOLDER / name).read_text("utf-8"))["tasks"]
    run = plant.run(*({"id": each["id"], "depends_on": list(dict.fromkeys(each["depends_on"]))} for each in tasks))
    plant.drain()

    run.refresh_from_db()
    assert (run.state, run.left) == ("succeeded", 0)
    found = Event.objects.filter(run=run).exclude(task_key="").values_list("seq", "kind", "task_key")
    started = {key: seq for seq, kind, key in found if kind == "task.running"}
    ended = {key: seq for seq, kind, key in found if kind == "task.succeeded"}
    assert started.keys() == ended.keys() == {each["id"] for each in tasks}
    early = [(up, each["id"]) for each in tasks for up in each["depends_on"] if ended[up] > started[each["id"]]]
    assert early == []
