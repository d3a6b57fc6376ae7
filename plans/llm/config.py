"""What the client is told: where the model is, which one answers, and how a form is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from plans.core.model import TIERS, Purpose, Tier

CLAUDE_URL = "https://api.anthropic.com"
CLAUDE_HOSTS = ("anthropic.com", "claude.com")
_VERSION = re.compile(r"claude-(?:opus|sonnet|haiku|fable|mythos)-(\d+)")
# from this generation on a model thinks as much as it finds right, and takes an effort
ADAPTIVE = 5


class Mode(StrEnum):
    """How JSON is asked for: a grammar, a forced tool, or words alone. The reply is checked here in each case."""

    FORMAT = "format"
    TOOL = "tool"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """`mode` None: what the endpoint can is found out with a small call. Times in seconds."""

    models: Mapping[Tier, str]
    api_key: str = field(default="", repr=False)
    base_url: str = ""
    mode: Mode | None = None
    silence_seconds: float = 90.0
    """A reply that brings nothing new for so long is given up; pings are nothing new."""
    retry_base_seconds: float = 1.0
    retry_cap_seconds: float = 30.0
    most_tries: int | None = None
    """None: as many as fit before the deadline."""

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") or CLAUDE_URL

    @property
    def is_claude(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        return host in CLAUDE_HOSTS or host.endswith(tuple(f".{known}" for known in CLAUDE_HOSTS))

    @property
    def is_connected(self) -> bool:
        """True when there is something to ask: a key, or an endpoint of one's own, which may need none."""
        return bool(self.api_key) or not self.is_claude

    def model(self, purpose: Purpose, tier: Tier | None = None) -> str:
        return self.models[tier or TIERS.get(purpose, Tier.PLAN)]

    def is_adaptive(self, model: str) -> bool:
        """Tell whether thinking and effort may be sent: to Claude itself, and to a model that knows them."""
        found = _VERSION.match(model)
        return self.is_claude and found is not None and int(found[1]) >= ADAPTIVE
