"""Forms that many sentences share: what may have been meant, lists written out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Params = Mapping[str, Any]


def near(said: Promise) -> Callable[[Params], str]:
    """Add what may have been meant, where something known is like it."""

    def tell(params: Params) -> str:
        text = str(said) % params
        return f"{text} {_('Did you mean “%(nearest)s”?') % params}" if params.get("nearest") else text

    return tell


def listed(said: Promise, key: str, between: str = ", ") -> Callable[[Params], str]:
    """Write the list `key` out."""

    def tell(params: Params) -> str:
        return str(said) % {**params, key: between.join(str(item) for item in params.get(key, []))}

    return tell
