"""What models cost: dated data, USD per million tokens. A model that is not here has no known price.

Source: the vendor's public price page, read on PRICED_ON. Prices change: docs/models.md says how to bring this up to date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from plans.core.model import Usage

PRICED_ON = date(2026, 11, 30)
MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD per million tokens. Above `long_prompt` tokens of input everything costs `long_factor` times as much."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal
    long_prompt: int | None = None
    long_factor: Decimal = Decimal(1)


def _price(input: str, output: str, cache_write: str, cache_read: str, **more: object) -> Price:
    values = (Decimal(value) for value in (input, output, cache_write, cache_read))
    names = ("input", "output", "cache_write", "cache_read")
    return Price(**dict(zip(names, values, strict=True)), **more)  # type: ignore[arg-type]


PRICES: Mapping[str, Price] = {
    "claude-opus-5-5": _price("4", "20", "5", "0.20"),
    "claude-sonnet-5-5": _price("2", "10", "2.50", "0.20"),
    # reading from the cache: inferred from the batch price
    "claude-haiku-5-5": _price("0.10", "0.50", "0.125", "0.01", long_prompt=100_000, long_factor=Decimal(5)),
}
_DATED = re.compile(r"-20\d{6}$")


def price_of(model: str) -> Price | None:
    """Return the price of `model`; a name with a date at its end costs what the name costs."""
    return PRICES.get(model) or PRICES.get(_DATED.sub("", model))


def cost(model: str, usage: Usage) -> Decimal | None:
    """Return what `usage` costs in USD, None where the model's price is not known."""
    price = price_of(model)
    if price is None:
        return None
    usd = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_write_tokens * price.cache_write
        + usage.cache_read_tokens * price.cache_read
    )
    prompt = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
    is_long = price.long_prompt is not None and prompt > price.long_prompt
    return usd * (price.long_factor if is_long else 1) / MILLION
