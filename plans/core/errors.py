"""The error tree.

PlannerError
├ GraphError: CycleError(path), UnknownDependency
├ ExpressionError
├ StateError: IllegalTransition, LeaseLost, StaleDecision, AlreadyDecided
├ InputError                       what a person sent is wrong; `wording` says how to mend it
├ DraftError: MalformedPlan, NoPlaybook
└ SkillError: RetryableSkillError, PermanentSkillError, BadInputError, CheckFailed, NeedsPerson, SkillTimeout, SkillCancelled,
              SkillCrashed, BudgetReached, ModelError(error_class, retry_after_seconds)

Each error carries a `code` and `params`; `plans.wording` turns them into the user's sentence, `str(error)` is for the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar


class ErrorClass(StrEnum):
    """Why an attempt failed; decides what the failure ladder does next."""

    TRANSIENT = "transient"
    PERMANENT = "permanent"
    BAD_INPUT = "bad_input"
    CHECK_FAILED = "check_failed"
    NEEDS_PERSON = "needs_person"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    BUDGET = "budget"


class PlannerError(Exception):
    """Base of every error the product raises on purpose."""

    default_code: ClassVar[str] = "internal"

    def __init__(self, code: str | None = None, **params: Any) -> None:
        self.code = code or self.default_code
        self.params: Mapping[str, Any] = params
        super().__init__(f"{self.code} {params}" if params else self.code)


class GraphError(PlannerError):
    default_code = "graph"


class CycleError(GraphError):
    """The graph has a cycle; `path` names it, first node repeated at the end."""

    default_code = "cycle"

    def __init__(self, path: Sequence[str]) -> None:
        self.path = list(path)
        super().__init__(path=list(path))


class UnknownDependency(GraphError):
    default_code = "unknown_dependency"


class ExpressionError(PlannerError):
    default_code = "expression"


class StateError(PlannerError):
    default_code = "state"


class IllegalTransition(StateError):
    default_code = "illegal_transition"


class LeaseLost(StateError):
    """Another worker owns the task now; the late result must be dropped."""

    default_code = "lease_lost"


class StaleDecision(StateError):
    """What was shown is not what would happen now."""

    default_code = "stale_decision"


class AlreadyDecided(StateError):
    default_code = "already_decided"


class InputError(PlannerError):
    default_code = "input"


class DraftError(PlannerError):
    default_code = "draft"


class MalformedPlan(DraftError):
    default_code = "malformed_plan"


class NoPlaybook(DraftError):
    default_code = "no_playbook"


class SkillError(PlannerError):
    """A skill could not do its work."""

    default_code = "skill_failed"
    error_class: ClassVar[ErrorClass] = ErrorClass.PERMANENT


class RetryableSkillError(SkillError):
    """The same call may succeed later. `retry_after_seconds` is honoured where given."""

    error_class = ErrorClass.TRANSIENT

    def __init__(self, code: str | None = None, retry_after_seconds: float | None = None, **params: Any) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__(code, **params)


class DiskFull(RetryableSkillError):
    """There is no room for what should be stored."""

    default_code = "disk_full"


class PermanentSkillError(SkillError):
    pass


class BadInputError(SkillError):
    """The inputs are wrong; the same call can never succeed."""

    default_code = "bad_input"
    error_class = ErrorClass.BAD_INPUT


class CheckFailed(SkillError):
    default_code = "check_failed"
    error_class = ErrorClass.CHECK_FAILED


class NeedsPerson(SkillError):
    default_code = "needs_person"
    error_class = ErrorClass.NEEDS_PERSON


class SkillTimeout(SkillError):
    default_code = "timeout"
    error_class = ErrorClass.TIMEOUT


class SkillCancelled(SkillError):
    """The run was cancelled or the worker stops; not a failure of the skill."""

    default_code = "cancelled"


class SkillCrashed(SkillError):
    """The child process died (signal, out of memory)."""

    default_code = "crashed"
    error_class = ErrorClass.CRASHED


class BudgetReached(SkillError):
    """The next call or step would pass the run's budget; a person is asked."""

    default_code = "budget_reached"
    error_class = ErrorClass.BUDGET


class ModelError(SkillError):
    """No usable reply came from the model. Its class says what helps: waiting, a person, or nothing.

    `reply` is the `core.model.Reply` that came, where one came that could not be used.
    """

    default_code = "model_failed"
    reply: Any = None

    def __init__(
        self,
        code: str | None = None,
        error_class: ErrorClass = ErrorClass.PERMANENT,
        retry_after_seconds: float | None = None,
        **params: Any,
    ) -> None:
        self.error_class = error_class  # type: ignore[misc]  # an instance may be of another class than its kind
        self.retry_after_seconds = retry_after_seconds
        super().__init__(code, **params)
