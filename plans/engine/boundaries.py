"""Every kind of transaction in which the engine commits, by name. Tests let a process die before and after each."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Literal

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

Side = Literal["before", "after"]


class Boundary(StrEnum):
    """What is committed. One that is added here needs a scenario in the crash tests."""

    CREATE = "create"
    PLAN_AGAIN = "plan_again"
    REVISE = "revise"
    APPROVE = "approve"
    REJECT = "reject"
    CLAIM = "claim"
    CLAIM_LIMITED = "claim_limited"
    FINISH = "finish"
    GATE = "gate"
    FAN_OUT = "fan_out"
    OUTCOME = "outcome"
    CHECKPOINT = "checkpoint"
    PROGRESS = "progress"
    MODEL_CALL = "model_call"
    RENEW = "renew"
    WAKE = "wake"
    REQUEST = "request"
    FAILURE = "failure"
    BUDGET = "budget"
    TIME_BUDGET = "time_budget"
    EXPIRE = "expire"
    PAUSE = "pause"
    PAUSED = "paused"
    RESUME = "resume"
    CANCEL = "cancel"
    AGAIN = "again"
    TAKE_BACK = "take_back"
    MEND = "mend"
    STUCK = "stuck"
    HOLD = "hold"


Hook = Callable[[Boundary, Side], None]
_hook: Hook | None = None


def watch(hook: Hook | None) -> None:
    """Call `hook` before and after each commit of this process. Raises ImproperlyConfigured outside the test suite."""
    global _hook
    if not getattr(settings, "PLANS_FAULT_POINTS", False):
        raise ImproperlyConfigured("Fault points exist in the settings of the test suite only.")
    _hook = hook


def reached(boundary: Boundary, side: Side) -> None:
    if _hook is not None:
        _hook(boundary, side)
