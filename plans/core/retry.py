"""Retry as a value: whether, and after how long, a failed attempt is tried again."""

from __future__ import annotations

from dataclasses import dataclass

from plans.core.errors import ErrorClass

RETRYABLE = frozenset({ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.CRASHED})
MAX_LOSSES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """`retries` beyond the first try; delays in seconds."""

    retries: int
    base_seconds: float = 1.0
    cap_seconds: float = 300.0
    idempotent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDecision:
    delay_seconds: float


def backoff_seconds(try_number: int, *, base_seconds: float, cap_seconds: float, jitter: float) -> float:
    """Return a delay in (0, cap]: capped exponential with `jitter` (0 ≤ jitter < 1) taking off up to half.

    The exponent is bounded before the power is taken, so try 1,100 neither overflows nor passes the cap.
    Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (equal jitter).
    """
    ceiling = min(cap_seconds, base_seconds * 2.0 ** min(max(try_number, 1) - 1, 62))
    return ceiling * (1.0 - jitter / 2.0)


def decide(
    *,
    tries_used: int,
    error_class: ErrorClass,
    policy: RetryPolicy,
    jitter: float,
    retry_after_seconds: float | None = None,
) -> RetryDecision | None:
    """Return when to try again, or None. `tries_used` counts failed and lost tries, this one included.

    A skill that is not idempotent is never repeated by itself. `retry_after_seconds` is honoured up to the cap.
    """
    if error_class not in RETRYABLE or not policy.idempotent or tries_used > policy.retries:
        return None
    delay = backoff_seconds(tries_used, base_seconds=policy.base_seconds, cap_seconds=policy.cap_seconds, jitter=jitter)
    if retry_after_seconds is not None:
        delay = min(policy.cap_seconds, max(delay, retry_after_seconds))
    return RetryDecision(delay_seconds=delay)
