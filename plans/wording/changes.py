"""Sentences of what differs between two revisions of a plan (`plans.core.revision_diff`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

LONGEST = 160

FIELDS: dict[str, str | Promise] = {
    "name": _("name"),
    "description": _("description"),
    "skill": _("skill"),
    "expected_output": _("what it gives"),
    "milestone": _("milestone"),
    "run_if": _("condition"),
    "for_each": _("list to repeat over"),
    "expect": _("checks"),
    "on_failure": _("what happens when it fails"),
    "fallback_skill": _("skill to try instead"),
    "fallback_value": _("value to use instead"),
    "retries": _("retries"),
    "timeout_seconds": _("longest run time in seconds"),
    "approval": _("approval"),
    "assignees": _("who is asked"),
    "risk": _("risk"),
    "confidence": _("confidence"),
    "priority": _("priority"),
    "pool": _("pool"),
    "weight": _("weight"),
    "estimate": _("estimate"),
    "always_run": _("runs in any case"),
    "undo": _("undo"),
}


def shown(value: Any) -> str:
    """Return a value as it stands in a sentence: short, quoted, nothing where there is none."""
    if value in (None, "", [], {}):
        return _now("nothing")
    if isinstance(value, bool):
        return _now("yes") if value else _now("no")
    if isinstance(value, dict) and value.keys() == {"seconds", "usd"}:
        value = _estimate(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return cut if isinstance(value, int | float) else f"“{cut}”"


def _estimate(value: Mapping[str, Any]) -> str:
    said = [(_now("%(n)s s"), value["seconds"]), (_now("%(n)s USD"), value["usd"])]
    return ", ".join(text % {"n": f"{amount:g}"} for text, amount in said if amount is not None)


def _field(params: Mapping[str, Any]) -> str:
    name = str(params["field"])
    values = {"step": params["step"], "field": FIELDS.get(name, name), "now": shown(params.get("now"))}
    if params.get("before") is None:
        return _now("“%(step)s”: %(field)s is now %(now)s") % values
    return _now("“%(step)s”: %(field)s was %(before)s and is now %(now)s") % {
        **values,
        "before": shown(params.get("before")),
    }


def _after(params: Mapping[str, Any]) -> str:
    names = list(params["after"])
    if not names:
        return _now("“%(step)s” starts at once") % params
    after = ", ".join(f"“{name}”" for name in names)
    return _now("“%(step)s” comes after %(after)s") % {"step": params["step"], "after": after}


def _said(text: str | Promise) -> Callable[[Mapping[str, Any]], str]:
    """Return a sentence whose `before`, `now` and `text` are cut and quoted."""

    def sentence(params: Mapping[str, Any]) -> str:
        values = {key: shown(value) if key in {"before", "now", "text"} else value for key, value in params.items()}
        return str(text) % values

    return sentence


SENTENCES: dict[str, Any] = {
    "change_assumption": _said(_("Assumption %(before)s is now %(now)s")),
    "change_assumption_added": _said(_("Assumption %(text)s")),
    "change_assumption_removed": _said(_("Assumption %(text)s")),
    "change_risk": _said(_("Risk %(before)s is now %(now)s")),
    "change_risk_added": _said(_("Risk %(text)s")),
    "change_risk_removed": _said(_("Risk %(text)s")),
    "change_precondition": _said(_("Needed before: %(before)s is now %(now)s")),
    "change_precondition_added": _said(_("Needed before: %(text)s")),
    "change_precondition_removed": _said(_("Needed before: %(text)s")),
    "change_summary": _said(_("What was understood is now %(now)s")),
    "change_expected_output": _said(_("The expected result is now %(now)s")),
    "change_goal": _said(_("The goal is now %(now)s")),
    "change_rollback": _said(_("How to undo the whole is now %(now)s")),
    "change_result": _said(_("The result is now %(now)s")),
    "change_milestone": _("Milestone “%(name)s”"),
    "change_milestone_added": _("Milestone “%(name)s”"),
    "change_milestone_removed": _("Milestone “%(name)s”"),
    "change_step_added": _("“%(step)s” (%(skill)s)"),
    "change_step_removed": _("“%(step)s”"),
    "change_order": _("The order of the steps"),
    "change_step_field": _field,
    "change_step_after": _after,
    "change_step_param": _said(_("“%(step)s”: %(name)s was %(before)s and is now %(now)s")),
    "change_step_param_added": _said(_("“%(step)s”: %(name)s is %(now)s")),
    "change_step_param_removed": _said(_("“%(step)s”: %(name)s was %(before)s")),
    "change_step_output": _said(_("“%(step)s”: output %(name)s was %(before)s and is now %(now)s")),
    "change_step_output_added": _said(_("“%(step)s”: output %(name)s (%(now)s)")),
    "change_step_output_removed": _said(_("“%(step)s”: output %(name)s")),
}
