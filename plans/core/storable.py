"""Text as every database stores it: PostgreSQL takes no NUL, and half a character is no text anywhere."""

from __future__ import annotations

import json
import re
from typing import Any

from plans.core.jsontypes import Json

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def storable(text: str) -> str:
    """Return `text` with what no database stores replaced."""
    return UNSTORABLE.sub(REPLACEMENT, text)


def storable_json(value: Json) -> Any:
    """Return a JSON value whose texts and keys are storable; one that is so already is returned as it is."""
    # Written with escapes it is one quick search, and nearly always there is nothing to replace.
    if not re.search(r"\\u(?:0000|d[89a-f])", json.dumps(value)):
        return value
    return _clean(value)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    return value
