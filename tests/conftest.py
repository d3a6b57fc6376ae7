"""Fixtures of the whole suite: no outside sockets, the corpora, the personas, and a data folder that is taken away."""

from __future__ import annotations

import ipaddress
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from tests.parts import MISSING_PART

pytest_plugins = ["tests.processes", "tests.flush", "tests.server_database", "tests.scripted_model.fixture"]

# No test asserts a time, not even Hypothesis's 200 ms: a busy machine is not a fault of the code.
hypothesis_settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("suite")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _is_inside(address: object) -> bool:
    """Tell whether a socket address stays on this machine: a Unix socket or loopback."""
    if not isinstance(address, tuple):
        return True
    try:
        return ipaddress.ip_address(address[0].split("%")[0]).is_loopback
    except ValueError:
        return address[0] in ("localhost", "")


@pytest.fixture(scope="session", autouse=True)
def no_outside_sockets() -> Iterator[None]:
    """Forbid every connection that would leave the machine, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            real = getattr(socket.socket, name)

            def guarded(self: socket.socket, address: object, real=real) -> object:
                if not _is_inside(address):
                    raise RuntimeError(f"A test tried to reach {address!r}: only loopback is allowed.")
                return real(self, address)

            patch.setattr(socket.socket, name, guarded)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """In CI everything is there: a test skipped for a missing part is a failure."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and MISSING_PART in str(report.longrepr):
        report.outcome = "failed"
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take away the data folder that settings_test made for this session."""
    made = os.environ.get("PLANS_TEST_DATA_DIR", "")
    if made and Path(made).name.startswith("forethought-test-") and not hasattr(config, "workerinput"):
        shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared material beside the working copy; skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside this working copy")
    return SHARED


@pytest.fixture(scope="session")
def corpora(shared: Path) -> Path:
    """Return ../shared/corpora; skip where it is absent."""
    if not (shared / "corpora").is_dir():
        pytest.skip("no ../shared/corpora beside this working copy")
    return shared / "corpora"


@pytest.fixture
def owner(db: None) -> User:
    """Return the person whose runs a test makes."""
    return User.objects.create_user("owner", "owner@example.test", "owner-password")


@pytest.fixture
def member(db: None) -> User:
    """Return a colleague: sees a run only when it asks for this person."""
    return User.objects.create_user("member", "member@example.test", "member-password")


@pytest.fixture
def outsider(db: None) -> User:
    """Return somebody with an account and no part in any run."""
    return User.objects.create_user("outsider", "outsider@example.test", "outsider-password")


@pytest.fixture
def operator(db: None) -> User:
    """Return a person who may see and steer every run."""
    user = User.objects.create_user("operator", "operator@example.test", "operator-password", is_staff=True)
    user.user_permissions.add(Permission.objects.get(content_type__app_label="plans", codename="operate"))
    return user
