"""Fixtures of planning with a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.plant import Plant
from tests.modelled.desk import Desk
from tests.scripted_model import ScriptedModel


@pytest.fixture
def desk(tmp_path: Path, scripted_model: ScriptedModel) -> Desk:
    return Desk(root=tmp_path, model=scripted_model)


@pytest.fixture
def plant() -> Plant:
    return Plant()
