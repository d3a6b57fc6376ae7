"""`manage.py up` for real: both servers, Ctrl-C, kills, and what it says when it cannot start."""

from __future__ import annotations

import http.cookiejar
import os
import re
import signal
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import Site, Started, is_alive, status, wait_for
from tests.scripted_model import answer
from tests.supervise.starting import children_of, interrupt, start, survivors, worker_leader

pytestmark = pytest.mark.serial


def can_sign_in(address: str, user: str, password: str) -> bool:
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar))
    login = f"{address}admin/login/"
    page = opener.open(login, timeout=30).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page).group(1)
    fields = {"username": user, "password": password, "csrfmiddlewaretoken": token, "next": "/admin/"}
    request = urllib.request.Request(login, urllib.parse.urlencode(fields).encode(), {"Referer": login})
    with opener.open(request, timeout=30) as answer:
        return answer.url == f"{address}admin/"


@dataclass
class Running:
    """One `manage.py up` on a new folder, shared by the tests that leave it running."""

    site: Site
    first: Started
    up: Started

    def again(self, **more: str) -> Started:
        """Return it running, started once more in the same folder where a test has ended it."""
        if self.up.process.poll() is not None:
            self.up = start(self.site, PLANS_WORKERS="1", **more)
        return self.up


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    site = Site(tmp_path_factory.mktemp("up") / "data", is_fresh=True)
    try:
        up = start(site, until="Password: ", PLANS_WORKERS="1")
        yield Running(site, up, up)
    finally:
        site.stop_all()


def shown(up: Started) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in up.said().splitlines() if ": " in line)


def test_first_start_ends_with_address_user_and_a_password_that_works(running):
    running.again()
    lines = running.first.said().partition("\nStopped.")[0].splitlines()
    last = re.fullmatch(
        r"Forethought runs at http://127\.0\.0\.1:\d+/\nUser: (admin)\nPassword: (\S+)", "\n".join(lines[-3:])
    )

    assert can_sign_in(address(running.up), *last.groups())
    assert running.site.data_dir.stat().st_mode & 0o777 == 0o700
    assert (running.site.data_dir / "secret_key").stat().st_mode & 0o777 == 0o600


def address(up: Started) -> str:
    return re.search(r"http\S+", up.said()).group()


def test_second_start_on_the_same_folder_is_refused(running):
    up = running.again()

    second = running.site.manage("up", "--port", "0")

    assert second.wait() == 1
    assert second.said().startswith(
        f"Forethought already runs on the data folder {running.site.data_dir} (process {up.pid})"
    )
    assert second.said().count("\n") == 1


def test_web_server_is_replaced_on_the_same_port(running):
    up = running.again()
    (web,) = [pid for pid in children_of(up.pid) if b"daphne" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    os.kill(web, signal.SIGKILL)

    wait_for(lambda: not is_alive(web))
    wait_for(lambda: status(f"{address(up)}admin/") == 302, what="the address to answer again")


@pytest.mark.parametrize("victim", ["leader", "sentinel"])
def test_killed_cluster_is_cleared_away_and_replaced(running, victim):
    running.again()
    leader = worker_leader(running.site)
    (sentinel,) = wait_for(lambda: [pid for pid in children_of(leader) if children_of(pid)])
    old = [leader, sentinel, *children_of(sentinel)]

    os.kill(leader if victim == "leader" else sentinel, signal.SIGKILL)

    wait_for(lambda: not any(is_alive(pid) for pid in old), what="the old cluster to be gone")
    wait_for(lambda: (running.site.data_dir / "worker.ready").exists() and worker_leader(running.site) != leader)


def test_a_stop_leaves_nothing_and_the_next_start_keeps_data_and_user_and_shows_no_password(running, scripted_model):
    up = running.again()
    assert shown(running.first)["Model"].startswith("No model is connected.")

    assert interrupt(up) == 0
    assert up.said().splitlines()[-1] == "Stopped."
    assert survivors(running.site) == []

    scripted_model.say(answer({"greeting": "Good morning!", "language": "english"}))
    lines = running.again(**scripted_model.environment).said().splitlines()
    assert re.fullmatch(r"Model: The model claude-sonnet-5-5 answers within \d+ ms \(JSON by a grammar\)\.", lines[0])
    assert [line.split("http")[0] for line in lines[1:]] == ["Forethought runs at ", "User: admin"]
    assert can_sign_in(lines[1].split()[-1], "admin", shown(running.first)["Password"])


def test_killed_supervisor_leaves_no_process(running):
    up = running.again()

    os.kill(up.pid, signal.SIGKILL)

    wait_for(lambda: survivors(running.site) == [], timeout=40, what="all processes to end")
    up.wait()


def test_web_and_workers_run_under_two_supervisors(running):
    if running.up.process.poll() is None:
        interrupt(running.up)
    web = start(running.site, "--web")
    workers = start(running.site, "--workers", until="workers run")

    assert "\nForethought runs at http://127.0.0.1:" in web.said()
    assert interrupt(workers) == 0
    assert interrupt(web) == 0


def test_folder_that_cannot_be_made_is_one_line_with_the_remedy(fresh_site, tmp_path):
    (tmp_path / "file").write_text("in the way")

    up = fresh_site.manage("up", "--prepare", PLANS_DATA_DIR=str(tmp_path / "file" / "data"))

    assert up.wait() == 1
    assert up.said() == (
        f"Cannot write to {tmp_path}/file/data: Not a directory. Set PLANS_DATA_DIR to a folder you may write to.\n"
    )


def test_database_that_does_not_answer_is_one_line_with_the_remedy(fresh_site, tmp_path):
    up = fresh_site.manage("up", "--prepare", "--port", "0", DATABASE_URL=f"sqlite:///{tmp_path}/nowhere/db.sqlite3")

    assert up.wait() == 1
    assert up.said() == (
        f"The database {tmp_path}/nowhere/db.sqlite3 does not answer: unable to open database file. "
        "Start it, or correct DATABASE_URL.\n"
    )


def test_database_that_was_not_migrated_is_one_line_with_the_remedy(fresh_site):
    up = fresh_site.manage("up", "--port", "0")

    assert up.wait() == 1
    assert up.said().endswith("is not up to date. Run: manage.py migrate\n")


def test_wrong_setting_is_one_line(fresh_site):
    up = fresh_site.manage("up", PLANS_WORKERS="many")

    assert up.wait() == 1
    assert up.said() == "PLANS_WORKERS must be a number, not 'many'.\n"
