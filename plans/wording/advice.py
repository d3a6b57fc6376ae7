"""Sentences of advice on a plan: flow of data, cut, risks, limits, types."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from plans.wording.forms import Params, listed, near


def _clock(seconds: Any) -> str:
    """Return seconds as people say them."""
    value = float(seconds or 0)
    for size, word in ((3600, _("%(n)s h")), (60, _("%(n)s min"))):
        if value >= 2 * size:
            return str(word) % {"n": f"{value / size:.1f}".removesuffix(".0")}
    return str(_("%(n)s s")) % {"n": f"{value:.1f}".removesuffix(".0")}


def _rate_too_low(params: Params) -> str:
    said = _(
        "%(skill)s may be called %(rate)s times a minute: the calls take at least %(took)s, but %(most)s are left."
    )
    return str(said) % {**params, "took": _clock(params["seconds"]), "most": _clock(params["limit"])}


def _deadline_too_small(params: Params) -> str:
    said = _("The plan takes at least %(took)s, likely %(usual)s, but only %(most)s are left.")
    took, usual, most = (_clock(params[key]) for key in ("least", "likely", "limit"))
    return str(said) % {"took": took, "usual": usual, "most": most}


def _deadline_tight(params: Params) -> str:
    said = _("The plan will likely take %(usual)s, but only %(most)s are left.")
    return str(said) % {"usual": _clock(params["likely"]), "most": _clock(params["limit"])}


def _usd(value: Any) -> str:
    return f"{float(value):.2f}" if value is not None else "?"


def _budget_too_small(params: Params) -> str:
    said = _("The plan costs at least %(took)s USD, likely %(usual)s, but the budget is %(most)s.")
    took, usual, most = (_usd(params[key]) for key in ("least", "likely", "limit"))
    return str(said) % {"took": took, "usual": usual, "most": most}


def _budget_tight(params: Params) -> str:
    said = _("The plan will likely cost %(usual)s USD, but the budget is %(most)s.")
    return str(said) % {"usual": _usd(params["likely"]), "most": _usd(params["limit"])}


def _write_conflict(params: Params) -> str:
    if params.get("first") == params.get("second"):
        return str(_("The items of “%(first)s” all write to “%(place)s”, and may do so at once.")) % params
    return str(_("“%(first)s” and “%(second)s” both write to “%(place)s”, and neither waits for the other.")) % params


def _code_syntax(params: Params) -> str:
    if params.get("line") is None:
        return str(_("“%(id)s”: the %(language)s in “%(param)s” cannot be read: %(detail)s.")) % params
    said = _("“%(id)s”: the %(language)s in “%(param)s” cannot be read: line %(line)s, column %(column)s: %(detail)s.")
    return str(said) % params


_CODE: dict[str, Any] = {
    "code_syntax": _code_syntax,
    "code_too_long": _("“%(id)s”: “%(param)s” has %(characters)s characters; at most %(limit)s are read."),
    "code_too_deep": _("“%(id)s”: the brackets in “%(param)s” are nested more than %(limit)s deep."),
    "import_unavailable": _("“%(id)s”: “%(param)s” imports %(name)s (line %(line)s), which cannot work where it runs."),
    "bad_schema": _("“%(id)s”: “%(param)s” is not a JSON Schema (%(path)s): %(detail)s."),
    "bad_url": _("“%(id)s”: “%(param)s” is not a web address (“%(url)s”): %(detail)s."),
    "not_one_query": _("“%(id)s”: “%(param)s” holds %(count)s statements; write one SELECT."),
    "not_a_query": _("“%(id)s”: “%(param)s” is a %(kind)s; only a SELECT is allowed."),
    "unknown_table": near(_("“%(id)s”: the query names the table “%(name)s”, which is not among its tables.")),
    "unknown_value": near(_("“%(id)s”: the query names $%(name)s, which is not among its inputs.")),
}

SENTENCES: dict[str, Any] = {
    **_CODE,
    "foreign_placeholder": listed(
        _("“%(id)s”: in %(field)s, %(written)s would be passed on as text. Placeholders are written {{ name }}."),
        "written",
    ),
    "unknown_placeholder": listed(
        _("“%(id)s”: in %(field)s, %(written)s names a task that does not exist."), "written"
    ),
    "never_runs": _("“%(id)s” can never run: its condition “%(condition)s” is never true."),
    "unreachable_output": _("The result “%(output)s” can never come: “%(id)s” never runs (“%(condition)s”)."),
    "exclusive_reference": _(
        "“%(id)s” reads from “%(upstream)s”, but only one of them ever runs: “%(condition)s” rules out “%(other)s”."
    ),
    "unused_output": listed(_("Nothing reads what “%(id)s” makes: %(outputs)s."), "outputs"),
    "redundant_dependency": _("“%(id)s” need not wait for “%(dependency)s” itself: it waits for a task that does."),
    "mergeable_calls": listed(_("These make the very same call of %(skill)s; once would do: %(tasks)s."), "tasks"),
    "write_conflict": _write_conflict,
    "no_milestones": _("%(count)s steps without milestones are hard to follow; group them (from %(most)s on)."),
    "vague_task": _("“%(id)s” does not say what is to be done: “%(name)s”."),
    "coarse_task": _("“%(id)s” seems to hold several steps: “%(name)s”. A task is one call of a skill."),
    "fine_tasks": listed(_("%(count)s calls of %(skill)s in a row could be fewer: %(tasks)s."), "tasks"),
    "no_undo": _("“%(id)s” is risky, and neither an undo nor the plan's rollback says how to take it back."),
    "no_approval": _("“%(id)s” is risky, and in this run nobody would be asked before it."),
    "rate_too_low": _rate_too_low,
    "deadline_too_small": _deadline_too_small,
    "deadline_tight": _deadline_tight,
    "budget_too_small": _budget_too_small,
    "budget_tight": _budget_tight,
    "comparison_kinds": _("“%(expression)s” in %(field)s compares %(kind)s with %(other)s: they are never equal."),
}
