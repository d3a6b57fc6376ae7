"""The fixture `scripted_model`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scripted_model import ScriptedModel


@pytest.fixture
def scripted_model() -> Iterator[ScriptedModel]:
    """Run a scripted model for one test; replies it was given and nobody fetched are a failure of the test."""
    with ScriptedModel() as model:
        yield model
        assert model.left == 0, f"{model.left} scripted replies were not asked for"
