"""Fixtures of the engine tests."""

from __future__ import annotations

import pytest

from tests.engine.plant import Plant


@pytest.fixture
def plant() -> Plant:
    return Plant()
