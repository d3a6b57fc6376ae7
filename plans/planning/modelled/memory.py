"""What a planning task has paid for already: kept at checkpoints, so that a worker that dies costs nothing twice."""

from __future__ import annotations

from typing import Any

from plans.core.jsontypes import Json
from plans.core.skill import Context


class Memory:
    """Finished stages by name, as an earlier attempt of the same task left them."""

    def __init__(self, context: Context) -> None:
        self._context = context
        saved = context.saved
        self._kept: dict[str, Any] = dict(saved) if isinstance(saved, dict) else {}

    def get(self, name: str) -> Any:
        """Return what a finished stage gave, None when it is not finished."""
        return self._kept.get(name)

    def keep(self, name: str, value: Json) -> None:
        """Keep a stage's result; returns when it is committed. Raises LeaseLost."""
        self._kept[name] = value
        self._context.checkpoint(self._kept)
