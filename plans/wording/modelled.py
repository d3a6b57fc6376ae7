"""Sentences of planning with a model: what is asked first, what is refused, what became of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext


def _questions(params: Mapping[str, Any]) -> str:
    count = int(params.get("count") or 1)
    return ngettext(
        "One thing must be known before a plan can be made.",
        "%(count)d things must be known before a plan can be made.",
        count,
    ) % {"count": count}


def _out_of_reach(params: Mapping[str, Any]) -> str:
    missing = ", ".join(f"“{each}”" for each in params.get("missing") or [])
    if not missing:
        return _now("No plan was made, because it needs what no skill here can do. %(said)s") % {"said": params["said"]}
    return _now("No plan was made, because no skill here can do this: %(missing)s. %(said)s") % {
        "missing": missing,
        "said": params["said"],
    }


def _remark(params: Mapping[str, Any]) -> str:
    return _now("Second opinion: %(text)s") % {"text": params["text"]}


SENTENCES: dict[str, Any] = {
    "no_model_to_plan": _("No model is connected, so this plan cannot be planned again. Edit it, or connect a model."),
    "no_model_to_measure": _("No model is connected, so there is nothing to measure. Set ANTHROPIC_API_KEY."),
    "planning_questions": _questions,
    "planning_anything_else": _("Anything else the planner should know (may stay empty)"),
    "planning_say_more": _("What do you want to have at the end, and from which data?"),
    "date_from_today": _("“%(words)s” is taken as %(dates)s, counted from today, %(today)s (%(zone)s)."),
    "date_from_file": _("“%(words)s” is taken as %(dates)s: the file %(file)s is older, so its last day counts."),
    "goal_refused": _("No plan was made: %(said)s"),
    "goal_is_none": _("This is no goal that could be planned. %(said)s"),
    "goal_out_of_reach": _out_of_reach,
    "intent_unreadable": _(
        "The model's answers could not be read (%(tries)s tries). They are kept under Model calls; try again or stop."
    ),
    "arguments_unreadable": _("The model's answer about other parameters could not be read."),
    "reply_unreadable": _("The model's answer holds no plan that can be read. It is shown below as it came."),
    "same_reply_twice": _("The model gave the same answer again in round %(rounds)s; it was not asked further."),
    "repair_gave_up": _("The model was asked %(rounds)s times to mend the plan, and did not."),
    "milestone_not_planned": _(
        "No steps could be read for the milestone “%(name)s”. Ask for changes to have them written."
    ),
    "param_unreadable": _("A parameter of “%(id)s” has no name or value that can be read."),
    "param_twice": _("“%(id)s” gives the parameter “%(param)s” twice, with different values."),
    "param_not_json": _(
        "“%(id)s”: the value of “%(param)s” is broken JSON (%(problem)s), so it was not used: %(text)s"
    ),
    "review_remark": _remark,
    "review_unreadable": _("The second opinion could not be read."),
}
