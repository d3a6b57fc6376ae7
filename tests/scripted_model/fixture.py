"""The fixtures `scripted_model` and `connected_model`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel
from tests.scripted_model.server import KEY


@pytest.fixture
def scripted_model() -> Iterator[ScriptedModel]:
    """Run a scripted model for one test; replies it was given and nobody fetched are a failure of the test."""
    with ScriptedModel() as model:
        yield model
        assert model.left == 0, f"{model.left} scripted replies were not asked for"


@pytest.fixture
def connected_model(scripted_model: ScriptedModel, settings: Any) -> ScriptedModel:
    """Connect the scripted model to this process, as an environment with its address would."""
    settings.PLANS_MODEL_BASE_URL = scripted_model.url
    settings.PLANS_MODEL_API_KEY = KEY
    settings.PLANS_MODEL_MODE = "format"
    return scripted_model
