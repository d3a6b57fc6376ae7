"""Sentences of the findings part."""

from __future__ import annotations


from typing import Any

SENTENCES: dict[str, Any] = {}
