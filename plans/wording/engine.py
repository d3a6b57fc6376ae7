"""Sentences of the engine: events, failures, decisions, reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext


def _ready(params: Mapping[str, Any]) -> str:
    keys = params.get("keys", [])
    words = ngettext("Ready: %(keys)s", "Ready (%(count)s): %(keys)s", len(keys))
    return words % {"keys": ", ".join(keys), "count": len(keys)}


def _waiting(params: Mapping[str, Any]) -> str:
    words = {
        "task_approval": _now("%(task)s needs approval"),
        "question": _now("%(task)s needs an answer"),
        "failure": _now("%(task)s failed and needs a decision"),
        "time": _now("%(task)s waits until %(until)s"),
    }
    return words.get(str(params.get("why")), _now("%(task)s waits")) % {"task": "", "until": "", **params}


def _skipped(params: Mapping[str, Any]) -> str:
    words = {
        "condition": _now("%(task)s was skipped: its condition did not hold"),
        "person": _now("%(task)s was skipped by a person"),
        "on_failure": _now("%(task)s failed and was skipped, as planned"),
        "upstream": _now("%(task)s was skipped: something it needs did not succeed"),
    }
    return words.get(str(params.get("reason")), _now("%(task)s was skipped")) % {"task": "", **params}


def _decided(params: Mapping[str, Any]) -> str:
    words = {
        "approve": _now("Approved by %(actor)s"),
        "reject": _now("Rejected by %(actor)s"),
        "answer": _now("Answered by %(actor)s"),
        "retry": _now("%(actor)s chose Retry"),
        "skip": _now("%(actor)s chose Skip"),
        "stop": _now("%(actor)s chose Stop run"),
    }
    return words.get(str(params.get("decision")), _now("Decided by %(actor)s")) % {"actor": "?", **params}


def _request_opened(params: Mapping[str, Any]) -> str:
    words = {
        "plan_approval": _now("The plan needs approval"),
        "task_approval": _now("%(task)s asks for approval"),
        "question": _now("%(task)s asks a question"),
        "failure": _now("%(task)s asks what to do about its failure"),
        "stuck": _now("The run cannot go on by itself"),
    }
    return words.get(str(params.get("kind")), _now("Something needs a decision")) % {"task": "", **params}


def _run_succeeded(params: Mapping[str, Any]) -> str:
    return _now("Run succeeded with gaps") if params.get("gaps") else _now("Run succeeded")


# Events take `task` (its name or key) and `actor` besides their own data.
EVENTS: dict[str, Any] = {
    "run.created": _("Run created by %(actor)s"),
    "run.started": _("Run started"),
    "run.succeeded": _run_succeeded,
    "run.failed": _("Run failed"),
    "run.cancel_requested": _("Cancel asked for by %(actor)s"),
    "run.cancelled": _("Run cancelled"),
    "run.stuck": _("The run cannot go on by itself"),
    "run.reopened": _("Run reopened by %(actor)s"),
    "plan.drafted": _("Plan drafted: %(tasks)s steps, revision %(revision)s"),
    "plan.approved": _("Plan revision %(revision)s approved"),
    "plan.rejected": _("Plan rejected by %(actor)s"),
    "plan.failed": _("Planning failed"),
    "tasks.ready": _ready,
    "task.running": _("%(task)s started"),
    "task.succeeded": _("%(task)s succeeded"),
    "task.failed": _("%(task)s failed"),
    "task.retrying": _("%(task)s failed and is tried again in %(delay_seconds)s s"),
    "task.waiting": _waiting,
    "task.skipped": _skipped,
    "task.cancelled": _("%(task)s was cancelled"),
    "task.lost": _("The worker of %(task)s died in mid-step"),
    "task.interrupted": _("%(task)s was given back by a worker that stopped"),
    "task.reopened": _("%(task)s was reopened by %(actor)s"),
    "task.checkpoint": _("%(task)s kept a checkpoint"),
    "request.opened": _request_opened,
    "request.decided": _decided,
    "request.expired": _("A request passed its deadline and took its default"),
    "request.void": _("A request is no longer needed"),
}

SENTENCES: dict[str, Any] = EVENTS | {
    "goal_empty": _("Say in a sentence what you want to have at the end."),
    "goal_too_long": _("The goal has %(length)s characters; at most %(limit)s fit. Put long texts in a file."),
    "autonomy_unknown": _("“%(value)s” is not one of the ways to run a plan."),
    "autonomy_not_allowed": _("You are not allowed to run plans without approval."),
    "file_empty": _("%(file)s is empty (0 bytes). Choose the file again, or another one."),
    "file_too_large": _("%(file)s is larger than %(limit_mb)s MB. Cut it to the part you need."),
    "plan_unreadable": _("This is not a plan that can be read."),
    "plan_has_errors": _("The plan has errors and cannot be approved. Mend them or make a new plan."),
    "plan_changed": _("The plan has changed since you opened it (now revision %(revision)s). Look at it again."),
    "skill_not_enabled": _("Not available any more: %(skills)s. An administrator can switch it on under Skills."),
    "already_decided": _("Already decided by %(by)s."),
    "no_longer_open": _("This is no longer open: the run has moved on or ended."),
    "effect_changed": _("What would happen has changed since you opened it. Look at it again before you decide."),
    "not_allowed": _("You may not decide this."),
    "answer_invalid": _("%(message)s"),
    "choice_unknown": _("“%(choice)s” is not one of the choices."),
    "run_ended": _("The run has already ended."),
    "timeout": _("It took longer than %(seconds)s seconds and was stopped."),
    "cancelled": _("It was cancelled."),
    "worker_lost": _("The worker died in the middle of the step (%(losses)s times)."),
    "worker_lost_unsure": _(
        "The worker died in the middle of this step. It may or may not have taken effect, and it must not happen "
        "twice: look before you decide."
    ),
    "crashes_worker": _("This step made its worker crash %(losses)s times; it is not tried again."),
    "skill_bug": _("The skill “%(skill)s” has a fault; the log has the details. This is not your mistake."),
    "output_not_json": _("The step gave a value that cannot be stored: %(reason)s."),
    "condition_not_boolean": _("The condition “%(expression)s” gives neither true nor false."),
    "secret_missing": _("The secret “%(name)s” is not set up. Ask an administrator."),
    "illegal_transition": _("That is not possible in this state."),
    "lease_lost": _("Another worker has taken over."),
    "internal": _("Something went wrong on our side; the log has the details."),
}
