"""The first half of `make run`, in a small tree of its own with its own lock files and stand-ins for broken Pythons."""

from __future__ import annotations

import ensurepip
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from planner_site import bootstrap
from tests.parts import need_program

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys._base_executable
TOOLS = ("make", "sh", "bash", "dirname", "uname", "echo", "env")


def tree_in(folder: Path, lock: str = "") -> Path:
    """Make the few files that the start needs before anything is installed."""
    (folder / "planner_site").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", folder)
    shutil.copy(ROOT / "planner_site" / "bootstrap.py", folder / "planner_site")
    for name in ("requirements.lock", "requirements-dev.lock"):
        (folder / name).write_text(lock)
    return folder


def programs_in(folder: Path, **scripts: str) -> str:
    """Return a PATH that has the ordinary tools and just these scripts for Pythons."""
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (folder / tool).symlink_to(found)
    for name, text in scripts.items():
        path = folder / name.replace("_", ".")
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return str(folder)


def make(tree: Path, target: str = "develop", prefix: tuple[str, ...] = (), **more: str) -> subprocess.CompletedProcess:
    """Run make with nothing of this machine's pip settings; stderr is part of the output."""
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON", "MAKE", "MFLAGS"))
    }
    return subprocess.run(
        [*prefix, shutil.which("make"), "--no-print-directory", target],
        cwd=tree,
        env=clean | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PYTHON": PYTHON} | more,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=240,
    )


def said(result: subprocess.CompletedProcess) -> list[str]:
    """Return the lines before make's own."""
    return [line for line in result.stdout.splitlines() if not line.startswith("make")]


def wheel_in(folder: Path) -> str:
    """Write a tiny package and return its sha256."""
    folder.mkdir()
    path = folder / "tiny_part-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_part.py", "VALUE = 1\n")
        wheel.writestr("tiny_part-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-part\nVersion: 1.0\n")
        wheel.writestr(
            "tiny_part-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_part-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_packages_are_installed_once_anew_when_the_lock_changes_and_in_a_new_venv_when_the_old_one_broke(tmp_path):
    digest = wheel_in(tmp_path / "wheels")
    lock = f"tiny-part==1.0 --hash=sha256:{digest}\n"
    tree = tree_in(tmp_path / "tree", lock)
    links = {"PIP_FIND_LINKS": str(tmp_path / "wheels"), "PYTHONDONTWRITEBYTECODE": "1"}

    first = make(tree, **links)
    assert [line.split()[0] for line in said(first)] == ["Making", "Installing"]
    imported = subprocess.run([tree / ".venv/bin/python", "-c", "import tiny_part; print(tiny_part.__cached__)"],
                              capture_output=True, text=True, check=True)  # fmt: skip
    assert Path(imported.stdout.strip()).exists()

    assert said(make(tree, **links)) == []

    (tree / "requirements-dev.lock").write_text(lock + "# changed\n")
    assert [line.split()[0] for line in said(make(tree, **links))] == ["Installing"]

    (tree / ".venv/bin/python").unlink()
    (tree / ".venv/bin/python").symlink_to(tmp_path / "python-that-was-removed")
    assert [line.split()[0] for line in said(make(tree, **links))] == ["Making", "Installing"]


def test_package_that_is_not_the_locked_one_is_refused_and_the_log_is_named(tmp_path):
    wheel_in(tmp_path / "wheels")
    tree = tree_in(tmp_path / "tree", f"tiny-part==1.0 --hash=sha256:{'0' * 64}\n")

    result = make(tree, PIP_FIND_LINKS=str(tmp_path / "wheels"))

    assert result.returncode != 0
    assert said(result)[-1] == (
        "A downloaded package is not the one that was locked, so nothing was installed. "
        "Check the package index or proxy in use. pip's log: .venv/pip.log"
    )
    assert "tiny-part" in (tree / ".venv" / "pip.log").read_text()


def test_index_that_cannot_be_reached_is_one_line(tmp_path):
    tree = tree_in(tmp_path / "tree", f"tiny-part==1.0 --hash=sha256:{'0' * 64}\n")
    closed = {"PIP_NO_INDEX": "", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}

    result = make(tree, **closed)

    assert said(result)[-1].startswith("The package index cannot be reached. Check the network")


def test_python_that_is_only_a_name_is_passed_over(tmp_path):
    broken = 'echo "pyenv: $0: command not found" >&2; exit 127'
    path = programs_in(tmp_path / "bin", python3_13=broken, python3_12=broken, python3_11=broken,
                       python3=f'exec "{PYTHON}" "$@"')  # fmt: skip

    result = make(tree_in(tmp_path / "tree"), PATH=path, PYTHON="")

    assert result.returncode == 0
    assert "pyenv" not in result.stdout


def test_machine_without_a_python_is_told_what_to_install(tmp_path):
    old = 'case "$*" in *version_info*) exit 1;; esac; echo "must not be run"'
    path = programs_in(tmp_path / "bin", python3_11="exit 127", python3=old)

    result = make(tree_in(tmp_path / "tree"), target="run", PATH=path, PYTHON="")

    assert result.returncode != 0
    assert "\n".join(said(result)) == (
        "Python 3.11, 3.12 or 3.13 is needed and none was found. Install one (Debian, Ubuntu: apt-get install python3 "
        "python3-venv) or name it: PYTHON=/path/to/python3 make run"
    )


def test_python_without_ensurepip_is_told_the_package(tmp_path):
    bwrap = need_program("bwrap")
    tree = tree_in(tmp_path / "tree")
    # As on Debian without python3-venv; a module cannot be hidden from outside, so one that fails is laid over it.
    absent = tmp_path / "absent.py"
    absent.write_text("raise ModuleNotFoundError('No module named ensurepip')\n")
    hide = ("--ro-bind", str(absent), ensurepip.__file__)

    result = make(tree, prefix=(bwrap, "--bind", "/", "/", *hide, "--dev", "/dev", "--proc", "/proc"))

    short = ".".join(map(str, sys.version_info[:2]))
    assert result.returncode != 0
    assert said(result)[-1] == (
        f"Python {short} comes without ensurepip, so .venv cannot be made. "
        f"On Debian or Ubuntu: apt-get install python{short}-venv"
    )


def test_read_only_folder_is_one_line_with_the_remedy(tmp_path):
    bwrap = need_program("bwrap")
    tree = tree_in(tmp_path / "tree")

    result = make(tree, prefix=(bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"))

    assert result.returncode != 0
    assert said(result)[-1] == (
        f"Cannot write to {tree}: Read-only file system. Copy Forethought to a folder you may write to."
    )


@pytest.mark.parametrize(
    ("log", "begins"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk with"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM", "A downloaded package is not the one"),
        ("Temporary failure in name resolution", "The package index cannot be reached"),
        ("ERROR: No matching distribution found for x==1\nERROR: y", "pip could not install the packages: No matching"),
        ("", "pip could not install the packages: see its log."),
    ],
)
def test_each_failure_of_pip_is_one_line_that_names_its_log(log, begins):
    line = str(bootstrap.pip_refusal(log))

    assert line.startswith(begins)
    assert line.endswith("pip's log: .venv/pip.log")
    assert "\n" not in line
