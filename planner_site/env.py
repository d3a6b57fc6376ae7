"""Typed readers of the environment: a wrong value is refused by name at start-up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def read_dotenv(path: Path) -> Mapping[str, str]:
    """Return `KEY=value` lines of a .env file; quotes around a value are taken off, `#` lines are skipped."""
    values: dict[str, str] = {}
    if not path.is_file():
        return values
    for line in path.read_text(encoding="utf-8").splitlines():
        key, found, value = line.strip().removeprefix("export ").partition("=")
        if found and not key.startswith("#"):
            values[key.strip()] = value.strip().strip("'\"")
    return values


def text(name: str, default: str) -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool) -> bool:
    """Read a yes/no value. Raises ImproperlyConfigured for anything else."""
    raw = os.environ.get(name)
    if raw is None:
        return default
    if raw.strip().lower() in TRUE:
        return True
    if raw.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {raw!r}.")


def number(name: str, default: float, *, low: float, high: float) -> float:
    """Read a number between `low` and `high`. Raises ImproperlyConfigured outside them."""
    raw = os.environ.get(name)
    if raw is None or not raw.strip():
        return default
    try:
        value = float(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a number, not {raw!r}.") from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} must be between {low:g} and {high:g}, not {raw}.")
    return value


def whole(name: str, default: int, *, low: int, high: int) -> int:
    """Read a whole number. Raises ImproperlyConfigured."""
    value = number(name, default, low=low, high=high)
    if value != int(value):
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value}.")
    return int(value)


def choice(name: str, default: str, known: Sequence[str]) -> str:
    """Read one of a few words. Raises ImproperlyConfigured for any other."""
    value = text(name, default).lower()
    if value not in known:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(filter(None, known))}, not {value!r}.")
    return value


def items(name: str, default: str) -> list[str]:
    return [part.strip() for part in text(name, default).split(",") if part.strip()]
