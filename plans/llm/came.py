"""What one request brought, as a value: the transport fills it, the verdict reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plans.core.jsontypes import Json
from plans.core.model import Usage
from plans.llm.faults import Fault


@dataclass(slots=True)
class Came:
    """What one request brought, whole or not. `fault` is None when a message came to its end."""

    text: str = ""
    thinking: str = ""
    tool_input: Json = None
    stop_reason: str | None = None
    stop_details: Any = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    request_id: str = ""
    began: bool = False
    fault: Fault | None = None
    raised: Exception | None = None
    """What `on_progress` raised: it ended the request."""
