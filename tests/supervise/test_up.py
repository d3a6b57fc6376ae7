"""`manage.py up` for real: both servers, Ctrl-C, kills, and what it says when it cannot start."""

from __future__ import annotations

import http.cookiejar
import os
import re
import signal
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from tests.processes import is_alive, status, wait_for
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


def test_first_start_ends_with_address_user_and_a_password_that_works(fresh_site):
    up = start(fresh_site, until="Password: ")
    lines = up.said().splitlines()
    shown = re.fullmatch(
        r"Forethought runs at (http://127\.0\.0\.1:\d+/)\nUser: (admin)\nPassword: (\S+)", "\n".join(lines[-3:])
    )

    assert can_sign_in(*shown.groups())
    assert fresh_site.data_dir.stat().st_mode & 0o777 == 0o700
    assert (fresh_site.data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert interrupt(up) == 0
    assert up.said().splitlines()[-1] == "Stopped."
    assert survivors(fresh_site) == []


def test_second_start_keeps_data_and_user_and_shows_no_password(fresh_site, scripted_model):
    first = start(fresh_site, until="Password: ")
    shown = dict(line.split(": ") for line in first.said().splitlines() if ": " in line)
    assert shown["Model"].startswith("No model is connected.")
    assert interrupt(first) == 0
    scripted_model.say(answer({"greeting": "Good morning!", "language": "english"}))

    second = start(fresh_site, **scripted_model.environment)

    lines = second.said().splitlines()
    assert re.fullmatch(r"Model: The model claude-sonnet-5-5 answers within \d+ ms \(JSON by a grammar\)\.", lines[0])
    assert [line.split("http")[0] for line in lines[1:]] == ["Forethought runs at ", "User: admin"]
    assert can_sign_in(lines[1].split()[-1], "admin", shown["Password"])
    assert interrupt(second) == 0


def test_killed_supervisor_leaves_no_process(fresh_site):
    up = start(fresh_site)

    os.kill(up.pid, signal.SIGKILL)

    wait_for(lambda: survivors(fresh_site) == [], timeout=40, what="all processes to end")


@pytest.mark.parametrize("victim", ["leader", "sentinel"])
def test_killed_cluster_is_cleared_away_and_replaced(fresh_site, victim):
    up = start(fresh_site, PLANS_WORKERS="1")
    leader = worker_leader(fresh_site)
    (sentinel,) = [pid for pid in children_of(leader) if children_of(pid)]
    old = [leader, sentinel, *children_of(sentinel)]

    os.kill(leader if victim == "leader" else sentinel, signal.SIGKILL)

    wait_for(lambda: not any(is_alive(pid) for pid in old), what="the old cluster to be gone")
    wait_for(lambda: (fresh_site.data_dir / "worker.ready").exists() and worker_leader(fresh_site) != leader)
    assert interrupt(up) == 0
    assert survivors(fresh_site) == []


def test_web_server_is_replaced_on_the_same_port(fresh_site):
    up = start(fresh_site)
    address = re.search(r"http\S+", up.said()).group()
    (web,) = [pid for pid in children_of(up.pid) if b"daphne" in Path(f"/proc/{pid}/cmdline").read_bytes()]

    os.kill(web, signal.SIGKILL)

    wait_for(lambda: not is_alive(web))
    wait_for(lambda: status(f"{address}admin/") == 302, what="the address to answer again")
    assert interrupt(up) == 0


def test_second_start_on_the_same_folder_is_refused(fresh_site):
    up = start(fresh_site)

    second = fresh_site.manage("up", "--port", "0")

    assert second.wait() == 1
    assert second.said().startswith(
        f"Forethought already runs on the data folder {fresh_site.data_dir} (process {up.pid})"
    )
    assert second.said().count("\n") == 1
    assert interrupt(up) == 0


def test_web_and_workers_run_under_two_supervisors(fresh_site):
    web = start(fresh_site, "--web")
    workers = start(fresh_site, "--workers", until="workers run")

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
