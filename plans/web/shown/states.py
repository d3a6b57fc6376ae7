"""The word, icon character and colour class of every state: never colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import Risk
from plans.core.states import (
    AttemptState,
    CancelReason,
    RequestKind,
    RequestState,
    RunState,
    SkipReason,
    TaskState,
)
from plans.models import Attempt, Request, Run, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One state as people see it; `until` is set when a task waits for a moment."""

    word: str | Promise
    icon: str
    css: str
    until: datetime | None = None

    @property
    def symbol(self) -> str:
        """Return the name of the state's drawing in icons.svg."""
        return SYMBOLS.get(self.icon, "dots")


SYMBOLS = {
    "…": "running",
    "!": "hand",
    "‖": "pause",
    "○": "pending",
    "▷": "ready",
    "▶": "running",
    "◷": "until",
    "↻": "retry",
    "✓": "check",
    "✕": "x",
    "»": "skip",
    "⊘": "ban",
}
STATES: dict[str, Shown] = {
    RunState.PLANNING: Shown(word=_("Planning"), icon="…", css="s-running"),
    RunState.REVIEW: Shown(word=_("Needs approval"), icon="!", css="s-approval"),
    RunState.PAUSED: Shown(word=_("Paused"), icon="‖", css="s-paused"),
    TaskState.PENDING: Shown(word=_("Pending"), icon="○", css="s-pending"),
    TaskState.READY: Shown(word=_("Ready"), icon="▷", css="s-ready"),
    TaskState.RUNNING: Shown(word=_("Running"), icon="▶", css="s-running"),
    TaskState.WAITING: Shown(word=_("Waiting"), icon="◷", css="s-approval"),
    TaskState.RETRYING: Shown(word=_("Retrying"), icon="↻", css="s-retrying"),
    TaskState.SUCCEEDED: Shown(word=_("Succeeded"), icon="✓", css="s-success"),
    TaskState.FAILED: Shown(word=_("Failed"), icon="✕", css="s-failed"),
    TaskState.SKIPPED: Shown(word=_("Skipped"), icon="»", css="s-skipped"),
    TaskState.CANCELLED: Shown(word=_("Cancelled"), icon="⊘", css="s-cancelled"),
    AttemptState.LOST: Shown(word=_("Lost: its worker stopped answering"), icon="✕", css="s-failed"),
    AttemptState.INTERRUPTED: Shown(word=_("Interrupted: the server was stopped"), icon="‖", css="s-cancelled"),
    AttemptState.SUSPENDED: Shown(word=_("Set aside while it waits"), icon="◷", css="s-cancelled"),
    RequestState.OPEN: Shown(word=_("Open"), icon="!", css="s-approval"),
    RequestState.DECIDED: Shown(word=_("Decided"), icon="✓", css="s-success"),
    RequestState.EXPIRED: Shown(word=_("Expired"), icon="◷", css="s-cancelled"),
    RequestState.VOID: Shown(word=_("No longer needed"), icon="⊘", css="s-cancelled"),
}
GROUP_WORDS: dict[str, str | Promise] = {
    "needs": _("Needs you"),
    RunState.RUNNING: _("Running"),
    RunState.PAUSED: _("Paused"),
    RunState.FAILED: _("Failed"),
    RunState.SUCCEEDED: _("Succeeded"),
    RunState.CANCELLED: _("Cancelled"),
}
NEEDS: dict[str, str | Promise] = {
    RequestKind.PLAN_APPROVAL: _("Needs approval"),
    RequestKind.TASK_APPROVAL: _("Needs approval"),
    RequestKind.QUESTION: _("Needs an answer"),
    RequestKind.FAILURE: _("Needs a decision"),
    RequestKind.BUDGET: _("Needs a decision"),
    RequestKind.STUCK: _("Needs a decision"),
}
REASONS: dict[str, str | Promise] = {
    SkipReason.CONDITION: _("Skipped: its condition was not met"),
    SkipReason.PERSON: _("Skipped: a person said so"),
    SkipReason.ON_FAILURE: _("Skipped after it failed, as the plan says"),
    SkipReason.SIBLING: _("Skipped: another item of the list failed"),
    SkipReason.UPSTREAM: _("Skipped: a step it needs did not finish"),
    SkipReason.SIBLING: _("Skipped: another item failed"),
    CancelReason.RUN: _("Cancelled with the run"),
    CancelReason.REMOVED: _("Removed from the plan"),
}
RISKS: dict[str, str | Promise] = {
    Risk.LOW: _("Low risk"),
    Risk.MEDIUM: _("Medium risk"),
    Risk.HIGH: _("High risk"),
}


def run_state(run: Run, open_kind: str | None = None) -> Shown:
    """Return the state of `run`; one that waits for a person reads as what it needs (`open_kind`)."""
    if run.is_terminal:
        if run.state == RunState.SUCCEEDED and run.has_gaps:
            return Shown(word=_("Succeeded with gaps"), icon="✓", css="s-approval")
        return STATES[run.state]
    if run.cancel_requested_at:
        return Shown(word=_("Cancelling"), icon="⊘", css="s-cancelled")
    if run.pause_requested_at and run.state == RunState.RUNNING:
        return Shown(word=_("Pausing"), icon="‖", css="s-cancelled")
    if open_kind and run.state in {RunState.RUNNING, RunState.PLANNING}:
        return needs(open_kind)
    return STATES[run.state]


def needs(kind: str) -> Shown:
    """Return what an open request of this kind reads as."""
    return Shown(word=NEEDS[kind], icon="!", css="s-approval")


def task_state(task: Task, open_kind: str | None) -> Shown:
    """Return the state of `task`; `open_kind` is the kind of its open request, if any."""
    base = STATES[task.state]
    if task.state == TaskState.WAITING and (open_kind or task.item_count):
        # A fan-out waits for whatever its items need.
        return needs(open_kind or RequestKind.FAILURE)
    if task.state == TaskState.WAITING and task.ready_at:
        return Shown(word=_("Waits until"), icon="◷", css="s-ready", until=task.ready_at)
    if task.state == TaskState.RETRYING and task.ready_at:
        return Shown(word=_("Tries again at"), icon=base.icon, css=base.css, until=task.ready_at)
    if task.state == TaskState.SKIPPED and task.item_count == 0:
        return Shown(word=_("Skipped: its list was empty"), icon=base.icon, css=base.css)
    if task.reason and task.state in {TaskState.SKIPPED, TaskState.CANCELLED}:
        return Shown(word=REASONS.get(task.reason, base.word), icon=base.icon, css=base.css)
    return base


def attempt_state(attempt: Attempt) -> Shown:
    return STATES[attempt.state]


def request_state(request: Request) -> Shown:
    """Return the state of a request: an open one reads as what it needs."""
    if request.state == RequestState.OPEN:
        return needs(request.kind)
    return STATES[request.state]
