"""`manage.py control` about steps that have failed: the same services as the pages, one document, exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from plans.core.errors import BadInputError
from plans.core.kinds import ValueKind
from plans.models import Artifact, Run
from tests.engine.plant import Plant, states, task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def operator() -> User:
    return User.objects.create_superuser("root")


def control(run: Run, *words: str) -> tuple[int, dict[str, Any]]:
    out = io.StringIO()
    code = 0
    try:
        call_command("control", str(run.uuid), *words, "--json", stdout=out)
    except SystemExit as error:
        code = int(error.code or 0)
    return code, json.loads(out.getvalue())


@pytest.fixture
def plant() -> Plant:
    made = Plant()

    def fails(params: dict[str, Any], context: Any) -> Any:
        raise BadInputError("column_missing", name="x")

    made.skill("fails", fails, outputs={"n": ValueKind.JSON})
    return made


def failed(plant: Plant, kind: str = "number", **more: Any) -> Run:
    run = plant.run(
        {"id": "a", "skill": "fails", "outputs": {"n": kind}, **more},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ n }}"}},
    )
    plant.drain()
    return run


@pytest.mark.parametrize("on_failure", ["retry_then_ask", "retry_then_stop"])
def test_mark_done_by_a_file_of_outputs(plant: Plant, tmp_path: Path, on_failure: str):
    run = failed(plant, on_failure=on_failure)
    (tmp_path / "out.json").write_text('{"n": 7}')
    assert control(run, "mark-done", "a", "--output", str(tmp_path / "out.json"))[0] == 0
    plant.drain()
    assert task(run, "b").outputs == {"value": 7}
    run.refresh_from_db()
    assert run.state == "succeeded"


def test_mark_done_reads_a_csv_file_as_the_table_the_step_makes(plant: Plant, tmp_path: Path):
    run = failed(plant, kind="table")
    (tmp_path / "given.csv").write_text("city,count\nKyiv,1\nOslo,2\n")
    assert control(run, "mark-done", "a", "--output", str(tmp_path / "given.csv"))[0] == 0
    artifact = Artifact.objects.get(run=run, name="n")
    assert (artifact.kind, artifact.meta["row_count"]) == ("table", 2)


def test_what_is_wrong_is_said_and_nothing_moves(plant: Plant, tmp_path: Path):
    run = failed(plant)
    (tmp_path / "out.json").write_text('{"n": "many"}')
    before = states(run)
    for words, code in [
        (["mark-done", "a", "--output", str(tmp_path / "out.json")], "output_invalid"),
        (["mark-done", "a", "--output", str(tmp_path / "none.json")], "file_not_readable"),
        (["mark-done", "zz"], "task_unknown"),
        (["retry", "b"], "task_asks_nothing"),
    ]:
        status, shown = control(run, *words)
        assert (status, shown["error"]["code"]) == (1, code)
        assert "%(" not in shown["error"]["message"]
    assert states(run) == before


def test_a_failed_step_is_retried_and_skipped(plant: Plant):
    run = failed(plant, on_failure="retry_then_stop")
    assert control(run, "retry", "a") == (0, {"run": str(run.uuid), "state": "running", "action": "retry"})
    plant.drain()
    assert task(run, "a").attempts.count() == 2
    assert control(run, "skip", "a")[0] == 0
    plant.drain()
    assert states(run) == {"a": "skipped", "b": "succeeded"}
