"""Choices for state columns, with the words people read; and the check that a column holds nothing else."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.states import AttemptState, Autonomy, RequestKind, RequestState, RunState, TaskKind, TaskState

LABELS = {
    RunState.PLANNING: _("Planning"),
    RunState.REVIEW: _("Needs approval"),
    RunState.RUNNING: _("Running"),
    RunState.PAUSED: _("Paused"),
    RunState.SUCCEEDED: _("Succeeded"),
    RunState.FAILED: _("Failed"),
    RunState.CANCELLED: _("Cancelled"),
    TaskState.PENDING: _("Pending"),
    TaskState.READY: _("Ready"),
    TaskState.WAITING: _("Waiting"),
    TaskState.RETRYING: _("Retrying"),
    TaskState.SKIPPED: _("Skipped"),
    AttemptState.LOST: _("Lost"),
    AttemptState.INTERRUPTED: _("Interrupted"),
    AttemptState.SUSPENDED: _("Suspended"),
    RequestState.OPEN: _("Open"),
    RequestState.DECIDED: _("Decided"),
    RequestState.EXPIRED: _("Expired"),
    RequestState.VOID: _("Void"),
    RequestKind.PLAN_APPROVAL: _("Plan approval"),
    RequestKind.TASK_APPROVAL: _("Task approval"),
    RequestKind.QUESTION: _("Question"),
    RequestKind.FAILURE: _("Decision after a failure"),
    RequestKind.BUDGET: _("Budget"),
    RequestKind.STUCK: _("Run does not move"),
    TaskKind.STEP: _("Step"),
    TaskKind.MILESTONE: _("Milestone"),
    Autonomy.EVERY_STEP: _("Ask before every step"),
    Autonomy.RISKY_STEPS: _("Ask before risky steps"),
    Autonomy.PLAN_ONLY: _("Approve the plan only"),
    Autonomy.UNATTENDED: _("Unattended"),
}


def choices(enum: type[StrEnum]) -> list[tuple[str, str]]:
    """Return Django choices of an enum; LABELS is keyed by text, so equal words share a label."""
    words = {str(key): label for key, label in LABELS.items()}
    return [(member.value, words.get(member.value, member.value)) for member in enum]  # type: ignore[misc]


def one_of(column: str, enum: type[StrEnum], name: str) -> models.CheckConstraint:
    """Return the constraint "`column` is a member of `enum`"."""
    return models.CheckConstraint(condition=models.Q((f"{column}__in", [m.value for m in enum])), name=name)
