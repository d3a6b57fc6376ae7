"""The JSON type every layer shares."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any] | list[Any] | str | int | float | bool | None
JsonObject: TypeAlias = dict[str, Any]
