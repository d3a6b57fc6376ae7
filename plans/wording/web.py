"""Sentences of the web part."""

from __future__ import annotations


from typing import Any

SENTENCES: dict[str, Any] = {}
