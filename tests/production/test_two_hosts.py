"""Two hosts with folders of their own share PostgreSQL, Redis and STORAGE_URL; one of them dies."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan
from plans.core.kinds import ValueKind
from plans.engine.plans import approve_plan
from plans.engine.runs import create_run_from_plan
from plans.models import Attachment, Attempt, Host, Run, Task
from plans.tasks import catalogue
from tests.engine.plant import check_history
from tests.processes import Site, processes_with, status, wait_for
from tests.skills.holding import write_hold_skill

pytestmark = pytest.mark.django_db(transaction=True)

SLOTS = 2
SPREAD = {
    "goal": "spread",
    "tasks": [{"id": f"h{n}", "skill": "hold", "outputs": {f"n{n}": "number"}} for n in range(2 * SLOTS)],
}
READ = {
    "goal": "read",
    "tasks": [
        {"id": "load", "skill": "load_file", "params": {"file": "{{ inputs.sales }}"}, "outputs": {"sales": "table"}},
        {
            "id": "count",
            "skill": "sql",
            "params": {"query": "SELECT count(*) AS n FROM sales", "tables": {"sales": "{{ sales }}"}},
        },
    ],
}


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """Return the file whose coming lets the skill `hold` end."""
    return tmp_path / "go"


def start_host(site: Site, name: str, folder: Path) -> None:
    """Start a supervisor of workers under its own name and in its own folder."""
    site.manage(
        "up",
        "--workers",
        PLANS_DATA_DIR=str(folder / name),
        PLANS_HOST_NAME=name,
        PLANS_WORKERS="1",
        PLANS_SLOTS_PER_WORKER=str(SLOTS),
        PLANS_LEASE_SECONDS="3",
        PLANS_SKILLS_DIR=str(folder / "skills"),
    )


def lose_power(name: str) -> None:
    """Kill every process of a host at once, its supervisor included: nobody is left to give anything back."""
    for pid in processes_with("PLANS_HOST_NAME", name):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not processes_with("PLANS_HOST_NAME", name))


def begin(owner: User, plan: dict, inputs: dict | None = None) -> Run:
    infos = {**catalogue(), "hold": SkillInfo(name="hold", outputs={"result": ValueKind.JSON})}
    run = create_run_from_plan(owner=owner, compiled=compile_plan(plan, infos), inputs=inputs or {})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=infos)
    return run


def hosts_of(run: Run) -> set[str]:
    """Return the names of the hosts that run steps of `run` now."""
    claimed = Task.objects.filter(run=run, state="running").values_list("claimed_by", flat=True)
    return {worker.partition("-")[0] for worker in claimed}


def ended(run: Run) -> bool:
    run.refresh_from_db()
    return run.is_terminal


def test_work_spreads_over_hosts_and_the_one_that_is_left_finishes_all(
    site: Site, owner: User, client: Client, tmp_path: Path, go: Path
):
    write_hold_skill(tmp_path / "skills", go)
    for name in ("alpha", "beta"):
        start_host(site, name, tmp_path)
    wait_for(lambda: Host.objects.count() == 2, timeout=60, what="both hosts to say that they live")

    _, url = site.web(PLANS_DATABASE_POOL="2")
    wait_for(lambda: status(f"{url}/readyz") == 200, timeout=60, what="the site to be ready")
    # More requests at once than the pool has connections: they wait for one another.
    with ThreadPoolExecutor(max_workers=8) as pool:
        assert set(pool.map(status, [f"{url}/readyz"] * 24)) == {200}

    # This process is another web host: it has a data folder of its own and shares only database and storage.
    client.force_login(owner)
    upload = SimpleUploadedFile("sales.csv", b"month,amount\n2026-01,10\n2026-02,20\n")
    client.post(reverse("new_run"), {"goal": "", "files": upload})
    sales = Attachment.objects.get(filename="sales.csv").as_ref()

    spread = begin(owner, SPREAD)
    wait_for(lambda: hosts_of(spread) == {"alpha", "beta"}, timeout=60, what="both hosts to hold steps")
    wait_for(lambda: Task.objects.filter(run=spread, state="running").count() == 2 * SLOTS)

    lose_power("alpha")
    read = begin(owner, READ, {"sales": sales})
    go.touch()
    for run in (spread, read):
        wait_for(lambda run=run: ended(run), timeout=90, what=f"{run.goal} to end")
        assert run.state == "succeeded"
        check_history(run)

    workers = Attempt.objects.filter(task__run=read).values_list("worker", flat=True)
    assert {worker.partition("-")[0] for worker in workers} == {"beta"}
    lost = Attempt.objects.filter(task__run=spread, state="lost")
    assert {attempt.worker.partition("-")[0] for attempt in lost} == {"alpha"}
    assert lost.count() == SLOTS
