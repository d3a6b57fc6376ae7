"""The secret key: from SECRET_KEY, or generated once into the data folder (0600)."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

WEAK = ("django-insecure", "changeme", "change-me", "secret", "insecure", "default")


def read(data_dir: Path) -> str:
    """Return the key; on first use generate it. Raises ImproperlyConfigured where the folder cannot be written."""
    given = os.environ.get("SECRET_KEY", "").strip()
    if given:
        return given
    path = data_dir / "secret_key"
    try:
        return path.read_text(encoding="ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        return _generate(path)
    except OSError as error:
        raise ImproperlyConfigured(f"Cannot read {path}: {error.strerror}. Make it readable for this user.") from error


def _generate(path: Path) -> str:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f"secret_key.{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
        # link, not rename: two processes that start together must agree on the first one's key.
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
        temporary.unlink()
        return path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"Cannot write to {path.parent}: {error.strerror}. Set PLANS_DATA_DIR to a folder you may write to."
        ) from error


def refuse_default(key: str) -> None:
    """Raise ImproperlyConfigured for a key that is short or a known placeholder."""
    if len(key) < 32 or key.lower().startswith(WEAK):
        raise ImproperlyConfigured(
            "SECRET_KEY is a default or too short: use at least 32 random characters, or unset it."
        )
