"""Ask a model next to nothing, to learn whether it answers, in which mode and how fast; or what is in the way."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from importlib import import_module

from plans.core.errors import ModelError
from plans.core.model import Ledger, Message, Purpose, Tier
from plans.llm import probe
from plans.llm.client import Client
from plans.llm.config import Config, Mode

# unlike the probe it asks for what is wanted: a model that only does as it is told is fine
SYSTEM = "You answer exactly in the form that is asked for."


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What came of it: `error`, or the mode and the milliseconds of one small call."""

    model: str
    mode: Mode | None = None
    latency_ms: int = 0
    error: ModelError | None = None


def check(config: Config, tier: Tier, ledger: Ledger) -> Checked:
    """Make one call (of an endpoint nobody knows up to three) and say what came of it. Raises what the ledger raises."""
    model = config.models[tier]
    # who asks wants to know how it is now, not whether it gets better
    client = Client(config=replace(config, most_tries=1), ledger=ledger)
    try:
        # importing the vendor's client is no part of how fast the model answers
        import_module("plans.llm.transport")
        mode = client.mode_of(model)
        began = time.monotonic()
        client.ask(
            purpose=Purpose.TEST,
            system=SYSTEM,
            messages=[Message(role="user", text=probe.WORDS)],
            schema=probe.SCHEMA,
            max_tokens=probe.MOST_TOKENS,
            effort="low",
            tier=tier,
        )
    except ModelError as error:
        return Checked(model=model, error=error)
    return Checked(model=model, mode=mode, latency_ms=round((time.monotonic() - began) * 1000))
