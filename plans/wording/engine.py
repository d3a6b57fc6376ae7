"""Sentences of the engine: failures, decisions, refusals. Events are told in `wording.web`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from plans.wording import sentence


def _file_empty(params: Mapping[str, Any]) -> str:
    # A step that reads a file does not know what its owner calls it.
    name = params.get("file") or _now("The file")
    return _now("%(file)s is empty (0 bytes). Choose the file again, or another one.") % {"file": name}


def _params_invalid(params: Mapping[str, Any]) -> str:
    # The compiler's own words: the same fault in a plan reads the same.
    if not params.get("finding"):
        return _now("This does not fit what the step needs.")
    return sentence(str(params["finding"]), params.get("params"))


SENTENCES: dict[str, Any] = {
    "goal_empty": _("Say in a sentence what you want to have at the end."),
    "goal_too_long": _("The goal has %(length)s characters; at most %(limit)s fit. Put long texts in a file."),
    "raise_by_more": _("Say by how much: a number above zero."),
    "comment_empty": _("Say in a sentence what should be different."),
    "comment_too_long": _("The comment has %(length)s characters; at most %(limit)s fit."),
    "planning_under_way": _("A planner is already at work on this run. Wait until it is done."),
    "autonomy_unknown": _("“%(value)s” is not one of the ways to run a plan."),
    "autonomy_not_allowed": _("You are not allowed to run plans without approval."),
    "file_empty": _file_empty,
    "file_too_large": _("%(file)s is larger than %(limit_mb)s MB. Cut it to the part you need."),
    "plan_unreadable": _("This is not a plan that can be read."),
    "nothing_changed": _("Nothing was changed: the plan is as it was."),
    "revision_unknown": _("There is no revision %(number)s of this plan."),
    "step_unknown": _("The plan has no step “%(step)s” any more."),
    "step_id_taken": _("There already is a step or milestone called “%(step)s”."),
    "last_step": _("This is the only step of the plan. Reject the plan if nothing should be done."),
    "assumption_unknown": _("The plan does not make this assumption any more."),
    "fix_not_applicable": _("This fix cannot be made here. Edit the step instead."),
    "plan_has_errors": _("The plan has errors and cannot be approved. Mend them or make a new plan."),
    "skill_not_enabled": _("Not available any more: %(skills)s. An administrator can switch it on under Skills."),
    "pool_missing": _("There is no pool called %(pools)s. An administrator can make it under Pools."),
    "already_decided": _("Already decided by %(by)s."),
    "no_longer_open": _("This is no longer open: the run has moved on or ended."),
    "not_allowed": _("You may not decide this."),
    "answer_invalid": _("%(message)s"),
    "params_invalid": _params_invalid,
    "decision_unknown": _("“%(choice)s” is not one of the choices."),
    "run_ended": _("The run has already ended."),
    "run_not_running": _("The run does not run yet: its plan has not been approved."),
    "run_cancelling": _("The run is being cancelled, so it cannot be paused."),
    "run_not_paused": _("The run is not paused."),
    "run_unknown": _("There is no run “%(run)s”."),
    "task_asks_nothing": _("“%(task)s” does not wait for a decision."),
    "no_plan": _("There is no such plan to run again."),
    "task_unknown": _("The run has no step “%(task)s”."),
    "disk_full": _("There is no room left to store this. Let an administrator free space, then try again."),
    "cancelled": _("It was cancelled."),
    "worker_lost": _("The worker died in the middle of the step (%(losses)s times)."),
    "worker_lost_unsure": _(
        "The worker died in the middle of this step. It may or may not have taken effect, and it must not happen "
        "twice: look before you decide."
    ),
    "crashes_worker": _("This step made its worker crash %(losses)s times; it is not tried again."),
    "task_unreadable": _("The step, or what it gave, cannot be stored or read; the log has the details."),
    "skill_bug": _("The skill “%(skill)s” has a fault; the log has the details. This is not your mistake."),
    "output_not_json": _("The step gave a value that cannot be stored: %(reason)s."),
    "condition_not_boolean": _("The condition “%(expression)s” gives neither true nor false."),
    "budget_usd_reached": _(
        "The budget of %(budget)s USD is used up: %(spent)s USD are spent or under way, and the next model call may take "
        "up to %(most)s USD."
    ),
    "budget_estimate_reached": _(
        "The budget of %(budget)s USD does not reach: %(spent)s USD are spent or reserved, and this step may take "
        "%(most)s USD."
    ),
    "budget_seconds_reached": _("The run has taken the time it was given (%(budget)s seconds) and is paused."),
    "deadline_reached": _("The deadline of the run is reached; it is paused."),
    "budget_tokens_reached": _(
        "The budget of %(budget)s tokens is used up: %(spent)s are spent or under way, and the next model call may take "
        "up to %(most)s."
    ),
    "too_many_items": _(
        "“%(expression)s” of “%(id)s” gives %(count)s items; a step may be done for at most %(limit)s. Take fewer, or let an "
        "administrator raise PLANS_FAN_OUT_MAX."
    ),
    "items_not_editable": _(
        "What a step does for each item of a list is not edited here. Reject it, or change the plan and run it again."
    ),
    "items_failed": _("%(failed)s of %(count)s items failed; the first is %(first)s."),
    "secret_missing": _("The secret “%(name)s” is not set up. Ask an administrator."),
    "illegal_transition": _("That is not possible in this state."),
    "lease_lost": _("Another worker has taken over."),
    "internal": _("Something went wrong on our side; the log has the details."),
}
