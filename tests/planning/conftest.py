"""Fixtures of the planning tests: a superuser and the two headless commands."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

Headless = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def boss(transactional_db: None) -> User:
    return User.objects.create_superuser("boss", "boss@example.test", "boss-password")


@pytest.fixture
def headless(boss: User) -> Headless:
    """Return a caller of a command with --json --local: gives exit code and document."""

    def call(command: str, *arguments: str) -> tuple[int, dict[str, Any]]:
        out, code = io.StringIO(), 0
        try:
            call_command(command, *arguments, "--local", "--json", stdout=out)
        except SystemExit as error:
            code = int(error.code or 0)
        return code, json.loads(out.getvalue())

    return call
