"""Run a benchmark in a process of its own, on a database and folder made for it and thrown away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from plans.core.errors import InputError
from plans.supervise.bench import engine, live, page, planner
from plans.supervise.bench.figures import document, table
from plans.wording import sentence

INSIDE = "PLANS_BENCH_INSIDE"
KINDS = {"engine": engine.measure, "live": live.measure, "page": page.measure}

PLANNER = "planner"


def run(kind: str, as_json: bool, goals: str = "", limit: int | None = None) -> int:
    """Measure and print; return the exit code."""
    if kind == PLANNER:
        return _planner(as_json, Path(goals) if goals else None, limit)
    if os.environ.get(INSIDE) != "1":
        return _apart(kind, as_json)
    call_command("migrate", verbosity=0)
    figures = KINDS[kind]()
    sys.stdout.write((json.dumps(document(figures), indent=2) if as_json else table(figures)) + "\n")
    return 0


def _planner(as_json: bool, goals: Path | None, limit: int | None) -> int:
    """Measure the model this site uses: nothing is written, so it needs no database of its own."""
    try:
        figures, about = planner.measure(goals, limit)
    except InputError as error:
        sys.stderr.write(sentence(error.code, error.params) + "\n")
        return 1
    if as_json:
        sys.stdout.write(json.dumps({**document(figures), **about}, indent=2) + "\n")
    else:
        sys.stdout.write(f"model: {about['model']}, {about['goals']} goals\n{table(figures)}\n")
        sys.stdout.writelines(f"{name}: {problem}\n" for name, problem in about["problems"].items())
    return 0


def _apart(kind: str, as_json: bool) -> int:
    folder = Path(tempfile.mkdtemp(prefix="forethought-bench-"))
    environment: dict[str, Any] = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        INSIDE: "1",
        "PLANS_DATA_DIR": str(folder),
        "STORAGE_URL": (folder / "blobs").as_uri(),
        "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
        "Q_CLUSTER_NAME": f"bench-{os.getpid()}",
        "PLANS_SKILLS_DIR": str(Path(__file__).parent / "skills"),
        "LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "bench", kind, *(["--json"] if as_json else [])]
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)
