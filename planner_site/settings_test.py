"""Settings of the test suite: a data folder and a database of its own per xdist worker, on what DATABASE_URL names."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
if "PLANS_DATA_DIR" not in os.environ or "PLANS_TEST_DATA_DIR" in os.environ:
    os.environ.setdefault("PLANS_TEST_DATA_DIR", tempfile.mkdtemp(prefix="forethought-test-"))
    os.environ["PLANS_DATA_DIR"] = str(Path(os.environ["PLANS_TEST_DATA_DIR"]) / _WORKER)
os.environ["Q_CLUSTER_NAME"] = f"test-{_WORKER}-{os.getpid()}"

# No test asks a real model, whatever this machine's environment or .env holds.
for _name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
    os.environ[_name] = ""

from planner_site.settings import *  # noqa: E402, F403
from planner_site.settings import DATABASES, PLANS_DATA_DIR, STATIC_ROOT  # noqa: E402

# whitenoise warns about a folder that is not there, and warnings are errors
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
# pytest-django adds the xdist worker's name to the server's; several suites may share one server.
os.environ.setdefault("PLANS_TEST_SESSION", str(os.getpid()))
IS_SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
_NAME = PLANS_DATA_DIR / "test.sqlite3" if IS_SQLITE else f"test_forethought_{os.environ['PLANS_TEST_SESSION']}"
DATABASES["default"]["TEST"] = {"NAME": str(_NAME)}
if not IS_SQLITE:
    # The suite's own rows need not outlive a power cut.
    DATABASES["default"]["OPTIONS"]["options"] = "-c synchronous_commit=off"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Hashing a password is the slowest part of most page tests; strength is Django's matter, not ours to test.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# A drain in the test's own process is alone: nothing comes while it lingers.
PLANS_LINGER_SECONDS = 0.01
# Tests may let a process die at the engine's commits (plans.engine.boundaries).
PLANS_FAULT_POINTS = True
