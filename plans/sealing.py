"""Seal secrets for the database, with a key made of the site's own: who reads the rows alone learns nothing."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

SALT = b"forethought sealing 1\0"


class CannotUnseal(Exception):
    """The text was sealed under another secret key, or is damaged."""


def seal(secret: str) -> str:
    """Return `secret` as text for a row; the empty secret stays empty."""
    return _cipher(settings.SECRET_KEY).encrypt(secret.encode()).decode() if secret else ""


def unseal(sealed: str) -> str:
    """Return the secret. Earlier secret keys (SECRET_KEY_FALLBACKS) are tried as well. Raises CannotUnseal."""
    if not sealed:
        return ""
    for key in map(str, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)):
        try:
            return _cipher(key).decrypt(sealed.encode()).decode()
        except InvalidToken:
            continue
    raise CannotUnseal


def _cipher(key: str) -> Fernet:
    # The site's key is random and long, so one round of a hash is enough; the salt keeps its other uses apart.
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(SALT + key.encode()).digest()))
