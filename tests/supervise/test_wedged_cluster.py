"""A cluster that hangs in earnest: django-q2 with its idle worker killed takes no message any more."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.processes import wait_for
from tests.supervise.starting import children_of, interrupt, start, survivors, worker_leader

pytestmark = [pytest.mark.serial, pytest.mark.django_db(transaction=True)]


def test_cluster_whose_idle_worker_was_killed_is_replaced_and_the_run_finishes(site, owner, tmp_path):
    up = start(site, "--workers", until="workers run", PLANS_WORKERS="1", PLANS_WATCHDOG_SECONDS="2")
    leader = worker_leader(site)
    (sentinel,) = [pid for pid in children_of(leader) if children_of(pid)]
    # The sentinel starts its workers before monitor and pusher.
    os.kill(min(children_of(sentinel)), signal.SIGKILL)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "goal": "one step", "tasks": [{"id": "only", "skill": "noop"}]}))

    run = site.manage("runplan", str(plan), "--approve", "--json", "--timeout", "60", "--as", owner.username)

    assert run.wait(90) == 0, run.said()
    assert json.loads(run.said())["state"] == "succeeded"
    wait_for(lambda: worker_leader(site) != leader, what="another cluster")
    assert "claims nothing" in Path(site.data_dir / "logs" / "supervisor.log").read_text()
    assert interrupt(up) == 0
    assert survivors(site) == []
