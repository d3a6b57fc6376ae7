"""Sentences of the failure ladder: what takes over, what people decide about a failed step, what the checks found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import EventKind
from plans.core.states import CorrectionKind

HOW: dict[str, str | Promise] = {
    CorrectionKind.ARGUMENTS: _("%(task)s failed; other parameters are tried."),
    CorrectionKind.FALLBACK: _("%(task)s failed; what the plan names for that takes over."),
    CorrectionKind.OTHER_SKILL: _("%(task)s failed; the skill an administrator named for that takes over."),
    CorrectionKind.REPLAN: _("%(task)s failed; the rest is planned anew."),
    CorrectionKind.RETRY: _("%(task)s is tried again."),
    CorrectionKind.CHANGES: _("%(task)s is tried again with other parameters."),
    CorrectionKind.HINT: _("%(task)s is tried again with a hint."),
    CorrectionKind.MARK_DONE: _("%(task)s was marked as done."),
    CorrectionKind.SKIP: _("%(task)s was left out after it had failed."),
}


def _corrected(params: Mapping[str, Any]) -> str:
    return str(HOW.get(str(params.get("how")), _("%(task)s failed; something was done about it."))) % params


def _check_failed(params: Mapping[str, Any]) -> str:
    values = params.get("values") or {}
    told = _now("The check “%(check)s” does not hold") % {"check": params.get("check", "")}
    if not values:
        return f"{told}."
    return (
        told
        + ": "
        + ", ".join(_now("%(name)s is %(value)s") % {"name": n, "value": v} for n, v in values.items())
        + "."
    )


def _check_unreadable(params: Mapping[str, Any]) -> str:
    from plans.wording import sentence

    why = sentence(str(params.get("reason")), {"id": "", "field": "expect", **(params.get("detail") or {})})
    return _now("The check “%(check)s” cannot be told: %(why)s") % {"check": params.get("check", ""), "why": why}


def _not_finite(params: Mapping[str, Any]) -> str:
    if not params.get("column"):
        return _now("“%(name)s” is not a number that can be used (NaN or infinite).") % params
    return _now("“%(name)s” holds %(count)s values that are NaN or infinite, in the column “%(column)s”.") % params


SENTENCES: dict[str, Any] = {
    EventKind.TASK_CORRECTED.value: _corrected,
    # of checks
    "check_failed": _check_failed,
    "check_unreadable": _check_unreadable,
    "output_empty": _("“%(name)s” came out empty: a table without a single row."),
    "output_not_finite": _not_finite,
    "skill_failed": _("The step could not do its work, and did not say why."),
    # of planning anew
    "replan_unusable": _("No usable plan for the rest came."),
    "replan_unchanged": _("The new plan for the rest is the old one again."),
    "replan_ids_taken": _("The new plan names steps as others were named that are taken out already."),
    # of undoing
    "run_not_ended": _("The run has not ended yet."),
    "nothing_to_undo": _("No finished step of this run says how it is undone."),
    "undo_unresolved": _("“%(step)s” cannot be undone by itself: something its undo reads is not there."),
    # of decisions
    "task_not_failed": _("“%(task)s” has not failed."),
    "hint_empty": _("Say in a sentence what the step should mind."),
    "hint_too_long": _("The hint has %(length)s characters; at most %(limit)s fit."),
    "output_unknown": _("The step makes no “%(name)s”. It makes: %(known)s."),
    "output_not_named": _("The file has to be a JSON object with what the step makes: %(known)s."),
    "output_invalid": _("“%(name)s” has to be %(wanted)s, this is %(came)s."),
    "params_need_step": _(
        "This would use what “%(step)s” makes, which the step does not wait for. Use what comes before it, or plan anew."
    ),
    "file_not_yours": _("A file named here (%(file)s…) belongs neither to this run nor to you."),
}
