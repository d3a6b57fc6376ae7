"""Sentences of the llm part: why no reply came from the model, and who or what can help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

REFUSALS = {
    "cyber": _("it may help to break into computers"),
    "bio": _("it may help to make something that harms life"),
    "frontier_llm": _("it may help to build a competing model"),
    "reasoning_extraction": _("it asks for the model's own reasoning"),
    "general_harms": _("it may do harm"),
}
MINUTE = 60
HOUR = 3600


def _seconds(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return _now("%(n)d s") % {"n": round(seconds)}
    if seconds < 2 * HOUR:
        return _now("%(n)d minutes") % {"n": round(seconds / MINUTE)}
    return _now("%(n)d hours") % {"n": round(seconds / HOUR)}


def _tried(text: str, params: Mapping[str, Any]) -> str:
    """Add how often it was tried and how long the endpoint wants to be left alone, where that is known."""
    tries = int(params.get("tries") or 0)
    if tries > 1:
        within = {"n": tries, "time": _seconds(float(params.get("seconds") or 0))}
        text += (
            " " + ngettext("Tried %(n)d time within %(time)s.", "Tried %(n)d times within %(time)s.", tries) % within
        )
    if params.get("wait"):
        text += " " + _now("It asks to wait %(time)s.") % {"time": _seconds(float(params["wait"]))}
    return text


def _busy(params: Mapping[str, Any]) -> str:
    return _tried(_now("The model is overloaded, or its limit of calls is reached."), params)


def _down(params: Mapping[str, Any]) -> str:
    text = _now("The model's server has a fault of its own (%(status)s).") % {"status": params.get("status", "")}
    return _tried(text, params)


def _unreachable(params: Mapping[str, Any]) -> str:
    text = _now("The model's address %(address)s cannot be reached: %(detail)s.")
    said = str(params.get("detail", "")).rstrip(".")
    return _tried(text % {"address": params.get("address", ""), "detail": said}, params)


def _silent(params: Mapping[str, Any]) -> str:
    return _tried(_now("The model stopped answering in the middle."), params)


def _cut(params: Mapping[str, Any]) -> str:
    return _tried(_now("The connection to the model broke before its answer was complete."), params)


def _refused(params: Mapping[str, Any]) -> str:
    reason = REFUSALS.get(str(params.get("category", "")))
    if reason is None:
        return _now(
            "The model declined to answer this. Say the goal in other words, or leave out what it may object to."
        )
    return _now("The model declined to answer this: %(reason)s. Say the goal in other words.") % {"reason": reason}


MODES = {
    "format": _("JSON by a grammar"),
    "tool": _("JSON by a forced tool"),
    "prompt": _("JSON by asking in words"),
}


def _answers(params: Mapping[str, Any]) -> str:
    values = {**params, "how": MODES.get(str(params.get("mode")), "")}
    return _now("The model %(model)s answers within %(ms)s ms (%(how)s).") % values


SENTENCES: dict[str, Any] = {
    "model_answers": _answers,
    "model_does_not_answer": _("The model %(model)s does not answer: %(why)s"),
    "model_not_connected": _("No model is connected. An administrator can connect one under Admin › Models."),
    "model_key_unreadable": _(
        "The stored key of the model cannot be read: this site's secret key has changed. "
        "An administrator can enter it again under Admin › Models."
    ),
    "model_key_refused": _(
        "The model's endpoint does not accept the key (401). An administrator can enter another one under Admin › Models."
    ),
    "model_no_credit": _("The account of the model has no credit left. Add some with its provider, then try again."),
    "model_not_allowed": _("The key may not use the model “%(model)s” (403). Choose another model or another key."),
    "model_unknown": _("The endpoint does not know the model “%(model)s”. Correct its name under Admin › Models."),
    "model_request_rejected": _("The model's endpoint refused the request (%(status)s): %(detail)s"),
    "model_context_full": _(
        "There is more text than the model can read at once. Give it less, or choose a model with more room."
    ),
    "model_busy": _busy,
    "model_down": _down,
    "model_unreachable": _unreachable,
    "model_silent": _silent,
    "model_stream_cut": _cut,
    "model_too_slow": _("The model's answer was not complete when the time of this step was over."),
    "model_not_an_api": _("%(address)s does not answer as a model does. Correct the address of the endpoint."),
    "model_refused": _refused,
    "model_out_of_tokens": _("The model's answer is longer than the limit of %(limit)s tokens and was cut off."),
    "model_reply_invalid": _("The model's answer does not have the form asked for: %(problems)s"),
    "model_stopped_oddly": _("The model stopped for a reason this version does not know (%(reason)s)."),
    "model_failed": _("No usable answer came from the model."),
}
