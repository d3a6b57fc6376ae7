"""The supervisor with toy children, as real processes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.processes import Started, is_alive, processes_with, wait_for

TOY = str(Path(__file__).with_name("toy.py"))
READY = "import os, pathlib, signal, sys, time; pathlib.Path('0.ready').touch(); "
OBEDIENT = READY + "time.sleep(600)"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + OBEDIENT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toys").mkdir()
    return tmp_path / "toys"


@pytest.fixture
def supervise(fresh_site, folder):
    """Start a supervisor of children with the given code; returns it once it said what is waited for."""
    fresh_site.data_dir.mkdir(mode=0o700)

    def start(*codes: str, stop_seconds: float = 10, until: str = "ready\n") -> Started:
        started = fresh_site.start(TOY, str(folder), str(stop_seconds), *codes)
        wait_for(lambda: until in started.said() or started.process.poll() is not None, what=until)
        return started

    start.survivors = lambda: processes_with("PLANS_DATA_DIR", str(fresh_site.data_dir))
    return start


def test_interrupt_stops_the_children_and_leaves_nothing(supervise):
    up = supervise(OBEDIENT)

    os.killpg(up.pid, signal.SIGINT)

    assert up.wait() == 0
    assert up.said() == "started child 0\nready\nstopped\n"
    assert supervise.survivors() == []


def test_child_that_ignores_the_request_is_killed_after_its_time(supervise):
    up = supervise(DEAF, stop_seconds=0.1)

    os.killpg(up.pid, signal.SIGTERM)

    assert up.wait() == 0
    assert up.said().endswith("stopping\nstopped\n")
    assert supervise.survivors() == []


def test_second_interrupt_does_not_wait(supervise):
    up = supervise(DEAF, stop_seconds=600)
    os.killpg(up.pid, signal.SIGINT)
    wait_for(lambda: "stopping\n" in up.said())

    os.killpg(up.pid, signal.SIGINT)

    assert up.wait() == 0
    assert supervise.survivors() == []


def test_same_wish_from_two_sides_is_one_wish(supervise, folder):
    orderly = READY + (
        "signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.5), pathlib.Path('orderly').touch(), sys.exit()));"
        "time.sleep(600)"
    )
    up = supervise(orderly)

    for _ in range(3):
        os.kill(up.pid, signal.SIGTERM)

    assert up.wait() == 0
    assert (folder / "orderly").exists()


def test_child_that_ends_unasked_is_started_again_even_when_it_calls_that_a_success(supervise, folder):
    twice = READY + (
        "file = open('lives', 'a'); file.write('x'); file.close();"
        "time.sleep(600) if os.path.getsize('lives') > 2 else sys.exit(0)"
    )

    up = supervise(twice)
    wait_for(lambda: up.said().count("started child 0") == 3)

    assert up.process.poll() is None
    assert wait_for(lambda: (folder / "lives").read_text() == "xxx")


def test_killed_leader_takes_its_group_along_and_is_replaced(supervise, folder):
    leader = READY + (
        "import subprocess; helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "file = open('pids', 'a'); file.write(f'{os.getpid()} {helper.pid}\\n'); file.close(); time.sleep(600)"
    )
    up = supervise(leader)
    first, helper = wait_for(lambda: (folder / "pids").exists() and (folder / "pids").read_text().split())

    os.kill(int(first), signal.SIGKILL)

    wait_for(lambda: not is_alive(int(helper)))
    wait_for(lambda: len((folder / "pids").read_text().split()) == 4)
    assert up.process.poll() is None


def test_orphan_in_a_session_of_its_own_is_killed_with_its_leader(supervise, folder):
    leader = READY + (
        "import subprocess;"
        "helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True);"
        "file = open('helpers', 'a'); file.write(f'{helper.pid}\\n'); file.close();"
        "os._exit(3) if os.path.getsize('helpers') < 9 else time.sleep(600)"
    )
    up = supervise(leader)
    helper = int(wait_for(lambda: (folder / "helpers").exists() and (folder / "helpers").read_text().split())[0])

    wait_for(lambda: not is_alive(helper))

    os.killpg(up.pid, signal.SIGINT)
    assert up.wait() == 0
    assert supervise.survivors() == []


def test_child_that_keeps_failing_ends_everything_with_its_last_words(supervise, folder):
    up = supervise(OBEDIENT, "raise SystemExit('no such thing')", until="row")

    assert up.wait() == 1
    assert up.said().endswith(
        f"The child 1 stopped 6 times in a row (exit code 1): no such thing. Its log is {folder / '1.log'}.\n"
    )
    assert supervise.survivors() == []


def test_children_end_when_the_supervisor_is_killed(supervise):
    up = supervise(OBEDIENT)

    os.kill(up.pid, signal.SIGKILL)

    wait_for(lambda: supervise.survivors() == [])
