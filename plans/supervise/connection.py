"""Which model this site uses: the settings, what an administrator set in their place, and the client made of both."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from plans.core.errors import ErrorClass, ModelError
from plans.core.model import Connect, Ledger, Message, Model, Purpose, Reply, Tier
from plans.llm.client import Client
from plans.llm.config import Config, Mode
from plans.models import ModelSettings
from plans.sealing import CannotUnseal, unseal


def config() -> Config:
    """Return what the client is told, read from the row each time. Raises ModelError `model_key_unreadable`."""
    row = ModelSettings.objects.first() or ModelSettings()
    mode = row.mode or settings.PLANS_MODEL_MODE
    base_url = row.base_url or settings.PLANS_MODEL_BASE_URL
    # A key from the environment is for the endpoint the environment names: it is not sent to any other.
    own_place = row.base_url in ("", settings.PLANS_MODEL_BASE_URL)
    return Config(
        api_key=_key(row) or (settings.PLANS_MODEL_API_KEY if own_place else ""),
        base_url=base_url,
        mode=Mode(mode) if mode else None,
        models={
            Tier.PLAN: row.plan_model or settings.PLANS_PLAN_MODEL,
            Tier.HARD: row.hard_model or settings.PLANS_HARD_MODEL,
            Tier.SMALL: row.small_model or settings.PLANS_SMALL_MODEL,
        },
        silence_seconds=settings.PLANS_MODEL_SILENCE_SECONDS,
    )


def _key(row: ModelSettings) -> str:
    try:
        return unseal(row.api_key)
    except CannotUnseal as error:
        raise ModelError("model_key_unreadable", ErrorClass.NEEDS_PERSON) from error


def connect() -> Connect | None:
    """Return what binds the model to an attempt's ledger, None while no model is connected."""
    try:
        found = config()
    except ModelError as error:
        broken = _Broken(error)
        return lambda ledger: broken
    if not found.is_connected:
        return None

    def bind(ledger: Ledger) -> Model:
        return Client(config=found, ledger=ledger)

    return bind


class _Broken:
    """A model that is set up but cannot be asked: whoever asks learns why."""

    def __init__(self, error: ModelError) -> None:
        self._error = error

    def ask(self, *, purpose: Purpose, system: str, messages: Sequence[Message], **_: object) -> Reply:
        raise ModelError(self._error.code, self._error.error_class, **self._error.params)
