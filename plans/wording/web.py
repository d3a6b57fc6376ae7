"""Sentences of the web part: what forms refuse, and one sentence per kind of event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from plans.core.kinds import EventKind


def _expanded(params: Mapping[str, Any]) -> str:
    n = int(params.get("items") or 0)
    words = ngettext("%(task)s is done for %(n)d item.", "%(task)s is done for each of %(n)d items.", n)
    said = words % {"task": params.get("task", ""), "n": n}
    return _now("%(said)s At most %(limit)s are allowed.") % {"said": said, **params} if params.get("limit") else said


def _ready(params: Mapping[str, Any]) -> str:
    keys = params.get("keys") or []
    names = ", ".join(str(key) for key in keys[:5])
    if len(keys) > 5:
        return _now("%(n)d steps can start: %(names)s …") % {"n": len(keys), "names": names}
    return ngettext("%(names)s can start.", "%(n)d steps can start: %(names)s", len(keys)) % {
        "n": len(keys),
        "names": names,
    }


def _model_called(params: Mapping[str, Any]) -> str:
    values = {"model": params.get("model", ""), "n": int(params.get("tokens") or 0), "usd": params.get("usd")}
    if params.get("outcome") != "ok":
        return _now("A call of %(model)s gave nothing usable (%(n)d tokens).") % values
    if values["usd"] is None:
        return _now("%(model)s answered (%(n)d tokens).") % values
    return _now("%(model)s answered (%(n)d tokens, %(usd)s USD).") % values


STAGES = {
    "intent": _("Understanding the goal"),
    "milestones": _("Choosing the milestones"),
    "draft": _("Writing the plan"),
    "repair": _("Mending the plan"),
    "review": _("Looking the plan over"),
    "alternatives": _("Writing other plans"),
    "replan": _("Planning the rest anew"),
    "arguments": _("Looking for other parameters"),
}


def _progress(params: Mapping[str, Any]) -> str:
    stage = STAGES.get(str(params.get("stage")), _("Planning"))
    names = params.get("tasks")
    count = len(names) if isinstance(names, list) else 0
    if not count:
        return f"{stage}."
    return ngettext("%(stage)s: %(n)d step so far.", "%(stage)s: %(n)d steps so far.", count) % {
        "stage": stage,
        "n": count,
    }


def _drafted(params: Mapping[str, Any]) -> str:
    source = params.get("source")
    if source == "edit":
        return _now("The plan was edited: revision %(revision)s.") % params
    if source == "choice":
        return _now("Revision %(revision)s of the plan was chosen.") % params
    return _now("A plan was made.")


SENTENCES: dict[str, Any] = {
    # forms
    "goal_too_short": _("Write a little more, so that a plan can be made: what do you want to have at the end?"),
    "sample_missing": _("The sample file of this example is not there. Attach a file of your own."),
    "example_unusable": _("This example cannot be used as it is. Fill in the form instead."),
    "attachment_gone": _("A file attached before is no longer available. Please attach it again."),
    "attachment_missing_name": _("One file has no name. Please give it one and attach it again."),
    "too_many_files": _("At most %(limit)d files can be attached. Please remove some."),
    "plan_empty": _("Paste a plan or choose a plan file."),
    "plan_too_large": _("This plan is too large: at most %(limit)s characters."),
    "plan_not_text": _("This file is not text. A plan is a JSON file in UTF-8."),
    "form_not_json": _("This is not JSON: texts need double quotes, and nothing may follow the last bracket."),
    "form_choice_missing": _("Choose one of the answers."),
    "form_not_a_number": _("Enter a number, such as 12 or 12.5."),
    "form_not_whole": _("Enter a whole number, such as 12."),
    "form_not_a_date": _("Enter a date as YYYY-MM-DD."),
    "form_not_a_moment": _("Enter a date and a time, such as 2026-11-30T18:00."),
    "budget_out_of_range": _("A budget is at least %(least)s and at most %(most)s USD."),
    "raise_out_of_range": _("Raise by more than 0 and at most %(most)s."),
    "at_once_out_of_range": _("At least 1 and at most %(most)s tasks can run at once."),
    "deadline_past": _("This time has already passed."),
    "form_value_missing": _("This field needs an answer."),
    "not_yours_to_decide": _("This decision belongs to someone else."),
    "plan_changed": _("The plan has changed since this page was shown, so nothing was approved. Look at it again."),
    "plan_edited_elsewhere": _(
        "The plan has changed since this page was shown, so your change was not made. Look at it again."
    ),
    "no_model": _("This needs a model, and none is connected. You can still edit the steps yourself."),
    "output_line_wrong": _("“%(line)s” is not a name and a kind. Kinds: %(kinds)s."),
    "form_not_an_object": _("This is JSON, but not an object: it begins with { and ends with }."),
    "effect_changed": _(
        "What this step would do has changed since this page was shown, so nothing was approved. Look at it again."
    ),
    # events
    EventKind.RUN_CREATED: _("Run created."),
    EventKind.RUN_STARTED: _("Run started."),
    EventKind.RUN_SUCCEEDED: _("Run succeeded."),
    EventKind.RUN_FAILED: _("Run failed."),
    EventKind.RUN_PAUSE_REQUESTED: _("Pausing was asked for."),
    EventKind.RUN_PAUSED: _("Run paused."),
    EventKind.RUN_RESUMED: _("Run resumed."),
    EventKind.RUN_CANCEL_REQUESTED: _("Cancelling was asked for."),
    EventKind.RUN_CANCELLED: _("Run cancelled."),
    EventKind.RUN_STUCK: _("The run does not move."),
    EventKind.RUN_REOPENED: _("Run reopened."),
    EventKind.PLAN_DRAFTED: _drafted,
    EventKind.PLAN_APPROVED: _("Plan approved."),
    EventKind.PLAN_REJECTED: _("Plan rejected."),
    EventKind.PLAN_FAILED: _("No plan could be made."),
    EventKind.PLAN_CHANGES_ASKED: _("Changes to the plan were asked for."),
    EventKind.PLANNING_PROGRESS: _progress,
    EventKind.TASKS_READY: _ready,
    EventKind.TASK_RUNNING: _("%(task)s started (attempt %(attempt)s)."),
    EventKind.TASK_EXPANDED: _expanded,
    EventKind.TASK_SUCCEEDED: _("%(task)s succeeded."),
    EventKind.TASK_FAILED: _("%(task)s failed."),
    EventKind.TASK_RETRYING: _("%(task)s failed on attempt %(attempt)s and will be tried again."),
    EventKind.TASK_WAITING: _("%(task)s waits."),
    EventKind.TASK_SKIPPED: _("%(task)s was skipped."),
    EventKind.TASK_CANCELLED: _("%(task)s was cancelled."),
    EventKind.TASK_LOST: _("The worker of %(task)s stopped answering on attempt %(attempt)s."),
    EventKind.TASK_INTERRUPTED: _("%(task)s was interrupted because the server stopped; it will start again."),
    EventKind.TASK_REOPENED: _("%(task)s was opened again."),
    EventKind.MODEL_CALLED: _model_called,
    EventKind.TASK_REUSED: _("%(task)s had been done in an earlier run; its result is used again."),
    EventKind.TASK_CHECKPOINT: _("%(task)s saved how far it is."),
    EventKind.REQUEST_OPENED: _("A decision is needed."),
    EventKind.REQUEST_DECIDED: _("A decision was taken."),
    EventKind.REQUEST_EXPIRED: _("A request ran out of time; its default was used."),
    EventKind.REQUEST_VOID: _("A request is no longer needed."),
}
SENTENCES = {str(code): text for code, text in SENTENCES.items()}
