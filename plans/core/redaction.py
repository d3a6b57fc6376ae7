"""Take secrets out of text before it is kept, logged, shown or sent on: known values, and what looks like a key."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
# A shorter value would take ordinary words out of texts.
SHORTEST = 8

_PATTERNS = [
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        (r"\bsk-[A-Za-z0-9_-]{16,}", 0),
        (r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{16,}", 0),
        (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", 0),
        (r"\bAIza[A-Za-z0-9_-]{35}", 0),
        (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", 0),
        (r"(?<=://)[^/\s:@\"']{1,200}:[^/\s@\"']{1,200}(?=@)", 0),
    )
]
# a name that says "secret" and its value: the name stays
_NAMED = re.compile(
    r"(?P<name>\b(?:authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic)?|bearer|(?:api|access|secret|private)[_-]?key|"
    r"password|passwd|client[_-]?secret|(?:access|auth|refresh)[_-]?token)[\"']?\s*[:=]?\s*[\"']?)"
    r"(?P<value>[A-Za-z0-9+/_.~-]{12,}=*)",
    re.IGNORECASE,
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` with every one of `secrets` masked, in the forms texts carry them, and what looks like a key."""
    for form in sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True):
        text = text.replace(form, MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    return _NAMED.sub(_masked, text)


def _masked(match: re.Match[str]) -> str:
    value = match["value"]
    # words and numbers alone are prose ("api key rotation-schedule"), a key mixes both
    if value.startswith(MASK) or not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
        return match[0]
    return match["name"] + MASK


def _forms(secret: str) -> set[str]:
    """Return the secret as it is, in JSON, in an address and in base64."""
    if len(secret) < SHORTEST:
        return set()
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    forms = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe="")}
    return forms | {quote_plus(secret), encoded}
