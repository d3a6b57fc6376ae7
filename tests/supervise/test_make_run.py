"""`make run` as on a fresh machine: a copy of the tree, its own `.venv`, a first and a second start, Ctrl-C."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import processes_with, status, wait_for

pytestmark = pytest.mark.timeout(900)
ROOT = Path(__file__).resolve().parents[2]
INSTALL_SECONDS = 600


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy what git would hand to somebody: no `.venv`, no data."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "tree" / name)
    return tmp_path / "tree"


class MakeRun:
    """One `make run` in a terminal of its own."""

    def __init__(self, tree: Path, output: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PLANS_", "PYTEST_", "MAKE", "MFLAGS"))}
        foreign = ("DATABASE_URL", "STORAGE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "Q_CLUSTER_NAME", "PYTHON")
        environment = {key: value for key, value in kept.items() if key not in foreign}
        self.output = output
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                ["make", "run"],
                cwd=tree,
                env=environment | {"PLANS_PORT": "0", "MADE_BY": str(output), "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def lines(self) -> list[str]:
        return self.output.read_text(encoding="utf-8").splitlines()

    def wait_until(self, begins: str) -> list[str]:
        """Wait for a line that begins so and return all lines up to now."""
        wait_for(
            lambda: any(line.startswith(begins) for line in self.lines()) or self.process.poll() is not None,
            timeout=INSTALL_SECONDS,
            what=begins,
        )
        assert self.process.poll() is None, self.lines()
        return self.lines()

    def interrupt(self) -> None:
        """Press Ctrl-C: the terminal tells the whole group."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(60)

    def survivors(self) -> list[int]:
        return processes_with("MADE_BY", str(self.output))


@pytest.fixture
def make_run(tree: Path, tmp_path: Path) -> Iterator[type[MakeRun]]:
    started: list[MakeRun] = []

    def start() -> MakeRun:
        started.append(MakeRun(tree, tmp_path / f"make-{len(started)}.log"))
        return started[-1]

    yield start
    for run in started:
        for pid in run.survivors():
            os.kill(pid, signal.SIGKILL)


def test_two_starts_on_a_fresh_copy(make_run, tree):
    first = make_run()
    lines = first.wait_until("Password: ")
    assert [line.split()[0] for line in lines] == [
        "Making",
        "Installing",
        "Model:",
        "Forethought",
        "User:",
        "Password:",
    ]
    address = re.search(r"http://127\.0\.0\.1:\d+/", lines[3]).group()
    assert status(f"{address}admin/") == 302
    assert list((tree / ".venv" / "lib").glob("python*/site-packages/django/__pycache__/*.pyc"))
    first.interrupt()
    assert first.lines()[-1] == "Stopped."
    assert first.survivors() == []
    key = (tree / "var" / "secret_key").read_text()

    second = make_run()
    lines = second.wait_until("User: ")
    assert [line.split()[0] for line in lines] == ["Model:", "Forethought", "User:"]
    second.process.terminate()
    second.process.wait(60)
    assert "Stopped." in second.lines()
    assert second.survivors() == []
    assert (tree / "var" / "secret_key").read_text() == key
