"""Which model this site uses: the settings, what an administrator set in their place, and the client made of both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from plans.core.circumstances import Price
from plans.core.errors import ErrorClass, ModelError
from plans.core.model import CallEnd, CallStart, Connect, Ledger, Message, Model, Purpose, Reply, Tier
from plans.engine import ledger
from plans.llm.check import Checked
from plans.llm.check import check as check_model
from plans.llm.client import Client
from plans.llm.config import Config, Mode
from plans.llm.prices import price_of
from plans.models import ModelSettings
from plans.sealing import CannotUnseal, unseal
from plans.skills.llm import TIERS
from plans.wording import sentence

CHECK_SECONDS = 20.0
OF_ONE_MODEL = frozenset({"model_unknown", "model_not_allowed", "model_request_rejected"})


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


def prices() -> dict[str, Price]:
    """Return the price of a call by the quality that an `llm` step asks for; what has no known price is left out."""
    try:
        models = config().models
    except ModelError:
        return {}
    found = {quality.value: price_of(models[tier]) for quality, tier in TIERS.items() if models.get(tier)}
    return {
        quality: Price(input_usd=float(price.input), output_usd=float(price.output))
        for quality, price in found.items()
        if price is not None
    }


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
        return lambda _bound: broken
    if not found.is_connected:
        return None

    def bind(bound: Ledger) -> Model:
        return Client(config=found, ledger=bound)

    return bind


@dataclass(slots=True, kw_only=True)
class SiteLedger:
    """The ledger of calls that belong to no run: written at once, where rows may be touched."""

    deadline: float

    def cancelled(self) -> bool:
        return False

    def begin(self, start: CallStart) -> int:
        return ledger.begin(start)

    def recall(self, request_hash: str) -> str | None:
        return None

    def end(self, call: int, ended: CallEnd) -> None:
        ledger.end(call, ended)


def check(tiers: Sequence[Tier] = (Tier.PLAN,), *, seconds: float = CHECK_SECONDS) -> list[Checked]:
    """Ask the models of these tiers next to nothing, each once; nothing when no model is connected."""
    try:
        found = config()
    except ModelError as error:
        return [Checked(model="", error=error)]
    if not found.is_connected:
        return []
    asked: dict[str, Checked] = {}
    for tier in tiers:
        model = found.models[tier]
        if model in asked:
            continue
        asked[model] = check_model(found, tier, SiteLedger(deadline=time.monotonic() + seconds))
        problem = asked[model].error
        if problem is not None and problem.code not in OF_ONE_MODEL:
            # it is the endpoint or the key: the others would only say the same
            break
    return list(asked.values())


def told(checked: Sequence[Checked]) -> list[str]:
    """Return a sentence for each model that was asked, or the one that says there is none."""
    return [_told(one) for one in checked] or [sentence("model_not_connected")]


def _told(one: Checked) -> str:
    if one.error is None:
        return sentence("model_answers", {"model": one.model, "mode": one.mode, "ms": one.latency_ms})
    said = sentence(one.error.code, one.error.params)
    return sentence("model_does_not_answer", {"model": one.model, "why": said}) if one.model else said


class _Broken:
    """A model that is set up but cannot be asked: whoever asks learns why."""

    def __init__(self, error: ModelError) -> None:
        self._error = error

    def ask(self, *, purpose: Purpose, system: str, messages: Sequence[Message], **_: object) -> Reply:
        raise ModelError(self._error.code, self._error.error_class, **self._error.params)
