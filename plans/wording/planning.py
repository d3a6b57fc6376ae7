"""Sentences of the planning part."""

from __future__ import annotations


from typing import Any

SENTENCES: dict[str, Any] = {}
