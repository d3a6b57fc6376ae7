"""One supervisor per data folder and duty."""

from __future__ import annotations

import os

import pytest

from plans.supervise import locks
from plans.supervise.refusals import CannotStart


def test_second_start_on_a_folder_is_refused_and_names_the_first(tmp_path):
    with locks.take(tmp_path, "web"), pytest.raises(CannotStart) as refused:
        locks.take(tmp_path, "web")

    assert str(refused.value).startswith(
        f"Forethought already runs on the data folder {tmp_path} (process {os.getpid()})."
    )


def test_web_and_workers_may_be_two_supervisors(tmp_path):
    with locks.take(tmp_path, "web"), locks.take(tmp_path, "workers"):
        assert sorted(path.name for path in tmp_path.iterdir()) == ["web.lock", "workers.lock"]


def test_lock_is_free_again_after_its_holder(tmp_path):
    locks.take(tmp_path, "web").close()

    with locks.take(tmp_path, "web") as lock:
        assert not lock.closed
