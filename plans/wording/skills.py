"""Sentences of the skills part."""

from __future__ import annotations


from typing import Any

SENTENCES: dict[str, Any] = {}
