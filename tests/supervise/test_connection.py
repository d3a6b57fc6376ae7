"""Which model a site uses, and where its key may go."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.errors import ModelError
from plans.core.model import Purpose, Tier
from plans.llm.config import Mode
from plans.models import ModelCall, ModelSettings
from plans.sealing import CannotUnseal, seal, unseal
from plans.supervise import checkup, connection
from plans.wording import sentence

pytestmark = pytest.mark.django_db
KEY = "sk-admin-0123456789"


def stored(**columns: Any) -> ModelSettings:
    return ModelSettings.objects.create(**columns)


def test_without_a_key_no_model_is_connected():
    assert connection.connect() is None


def test_the_environment_connects_a_model_with_the_default_names(settings: Any):
    settings.PLANS_MODEL_API_KEY = "sk-env"
    found = connection.config()
    assert (found.api_key, found.is_claude, found.mode) == ("sk-env", True, None)
    assert found.models == {
        Tier.PLAN: "claude-sonnet-5-5",
        Tier.HARD: "claude-opus-5-5",
        Tier.SMALL: "claude-haiku-5-5",
    }
    assert connection.connect() is not None


def test_what_an_administrator_set_comes_first(settings: Any):
    settings.PLANS_MODEL_API_KEY = "sk-env"
    stored(api_key=seal(KEY), base_url="http://127.0.0.1:8080", mode="tool", plan_model="mine")
    found = connection.config()
    assert (found.api_key, found.url, found.mode) == (KEY, "http://127.0.0.1:8080", Mode.TOOL)
    assert (found.models[Tier.PLAN], found.models[Tier.SMALL]) == ("mine", "claude-haiku-5-5")


def test_the_key_of_the_environment_is_not_sent_to_another_address(settings: Any):
    settings.PLANS_MODEL_API_KEY = "sk-env"
    stored(base_url="https://models.example.test")
    assert connection.config().api_key == ""


def test_a_key_is_not_readable_in_its_row():
    row = stored(api_key=seal(KEY))
    assert KEY not in row.api_key
    assert unseal(row.api_key) == KEY
    assert seal(KEY) != seal(KEY)


def test_a_key_sealed_under_an_earlier_secret_key_is_read(settings: Any):
    sealed = seal(KEY)
    earlier, settings.SECRET_KEY = settings.SECRET_KEY, "another-secret-key-" * 3
    with pytest.raises(CannotUnseal):
        unseal(sealed)
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert unseal(sealed) == KEY


def test_a_key_that_cannot_be_read_is_told_to_whoever_asks(settings: Any):
    stored(api_key=seal(KEY))
    settings.SECRET_KEY = "another-secret-key-" * 3
    bind = connection.connect()
    assert bind is not None
    with pytest.raises(ModelError, match="model_key_unreadable"):
        bind(None).ask(purpose=Purpose.TEST, system="", messages=[])  # type: ignore[arg-type]


def test_the_checkup_judges_the_model_by_its_last_call(settings: Any):
    assert checkup.model().code == "doctor_no_model"
    settings.PLANS_MODEL_API_KEY = "sk-env"
    stored(plan_model="mine")
    assert (checkup.model().code, checkup.model().params["model"]) == ("doctor_model", "mine")
    ModelCall.objects.create(purpose="draft", model="mine", outcome="error", problem="model_unknown")
    part = checkup.model()
    assert (part.is_good, sentence(part.code, part.params)[:45]) == (
        False,
        "The endpoint does not know the model “mine”. "[:45],
    )
    ModelCall.objects.create(purpose="test", model="mine", outcome="ok")
    assert checkup.model().is_good
    ModelSettings.objects.update(api_key="damaged")
    assert checkup.model().code == "model_key_unreadable"
