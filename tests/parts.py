"""Parts a test may need from the machine: where one is missing the test says so, and in CI it fails."""

from __future__ import annotations

import shutil

import pytest

MISSING_PART = "missing part:"


def need_program(*names: str) -> str:
    """Return the path of the first program found; skip (in CI: fail) when there is none."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    return skip_for(" or ".join(names))


def skip_for(part: str) -> str:
    """Skip the test because `part` is not on this machine; tests/conftest.py makes that a failure in CI."""
    pytest.skip(f"{MISSING_PART} {part}")
