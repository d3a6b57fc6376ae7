"""The version of this copy, read from where the packages of the project are declared."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from django.conf import settings


@cache
def version() -> str:
    """Return the version in `pyproject.toml`."""
    with (Path(settings.BASE_DIR) / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])
