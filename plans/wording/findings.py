"""Sentences of the findings part: what the compiler says of a plan, and what an expression says when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.wording.forms import Params, listed, near


def _unknown_skill(params: Params) -> str:
    known = ", ".join(params.get("known", []))
    text = str(_("“%(id)s” uses the skill “%(skill)s”, which is not enabled here.") % params)
    return f"{near(_('%(text)s'))({**params, 'text': text})} {_('Known: %(known)s.') % {'known': known}}"


def _duplicate_id(params: Params) -> str:
    names = ", ".join(params.get("names", []))
    if names:
        return str(_("The id “%(id)s” is used %(count)s times (%(names)s).")) % {**params, "names": names}
    return str(_("The id “%(id)s” is used %(count)s times.")) % params


_BAD_NAMES: Mapping[str, Promise] = {
    "identifier": _("it must be ASCII letters, digits and _, begin with no digit, and be no word of the language"),
    "reserved": _("the name already means something else in expressions"),
    "task_id": _("a task has this id"),
}


def _bad_output_name(params: Params) -> str:
    reason = _BAD_NAMES.get(str(params.get("reason")), "")
    return str(_("“%(id)s” cannot call an output “%(output)s”: %(reason)s.")) % {**params, "reason": reason}


def _not_available_yet(params: Params) -> str:
    if "field" not in params:
        return str(_("“%(feature)s” is not available yet.")) % params
    return str(_("“%(id)s” uses “%(field)s”, which is not available yet.")) % params


_STRUCTURE: dict[str, Any] = {
    "empty_plan": _("The plan has no tasks."),
    "duplicate_id": _duplicate_id,
    "near_duplicate_id": _("The ids “%(id)s” and “%(other)s” are easily taken for each other."),
    "unknown_milestone": near(_("“%(user)s” belongs to the milestone “%(milestone)s”, which does not exist.")),
    "milestone_cycle": listed(_("Milestones lie inside each other: %(path)s."), "path", " → "),
    "dangling_dependency": near(_("“%(id)s” depends on “%(dependency)s”, which does not exist.")),
    "self_dependency": _("“%(id)s” depends on itself."),
    "repeated_dependency": listed(_("“%(id)s” names a dependency twice: %(dependencies)s."), "dependencies"),
    "own_milestone_dependency": _("“%(id)s” depends on “%(milestone)s”, the milestone it is part of."),
    "empty_milestone": _("“%(id)s” depends on the milestone “%(milestone)s”, which has no steps."),
    "cycle": listed(_("The tasks wait for each other: %(path)s."), "path", " → "),
    "dependency_added": _("“%(id)s” uses what “%(dependency)s” makes; the dependency was added."),
}

_FIELDS: dict[str, Any] = {
    "not_available_yet": _not_available_yet,
    "fallback_missing": _("“%(id)s” is to fall back when it fails, but names neither a skill nor a value for that."),
    "fallback_unused": _("“%(id)s” has “%(field)s”, which only means something with on_failure “fallback”."),
    "fallback_same": _("“%(id)s” falls back on the skill it uses anyway, “%(skill)s”."),
    "fallback_unfit": _("“%(id)s”: “%(skill)s” cannot take over: %(problem)s."),
    "fallback_value_unknown": _("“%(id)s”: there is a fallback value for “%(output)s”, which the step does not make."),
    "fallback_value_kind": _("“%(id)s”: the fallback value of “%(output)s” is %(came)s, not %(wanted)s."),
    "done_when_outside": _("Milestone “%(id)s”: “%(reference)s” in done_when is made by none of its steps."),
    "undo_unreadable": _("“%(id)s”: an undo is said in words, or is a call with “skill” and “params”."),
    "undo_unfit": _("“%(id)s”: the undo by “%(skill)s” cannot be called: %(problem)s."),
    "two_producers": _("Both “%(first)s” and “%(second)s” make the output “%(output)s”."),
    "bad_output_name": _bad_output_name,
    "too_many_outputs": _("“%(id)s” names %(declared)s outputs, but %(skill)s delivers %(delivered)s."),
    "output_kind": _("“%(id)s” wants “%(output)s” as %(wanted)s, but it will be %(came)s."),
    "loosens_skill": _("“%(id)s” asks for %(field)s %(wanted)s; %(skill)s allows %(allowed)s, and that holds."),
    "unknown_result": near(_("The result “%(name)s” is made by no task.")),
    "unknown_skill": _unknown_skill,
    "unknown_param": near(_("“%(id)s”: %(skill)s has no param “%(param)s”.")),
    "missing_param": _("“%(id)s”: %(skill)s needs the param “%(param)s”."),
    "bad_param": _("“%(id)s”: the param “%(param)s” does not fit: %(problem)s."),
    "placeholder_in_literal": _(
        "“%(id)s”: “%(param)s” is used as it is written, {{ }} in it is not replaced. Hand values in by other params."
    ),
    "param_kind": listed(
        _("“%(id)s”: the param “%(param)s” takes %(wanted)s, but “%(reference)s” is %(came)s."), "wanted"
    ),
    "self_reference": _("“%(id)s” uses its own output “%(reference)s” in %(field)s."),
    "unresolved_reference": near(_("“%(id)s”: nothing is called “%(reference)s” (in %(field)s).")),
    "for_each_not_list": _("“%(id)s” is to be done for each of “%(reference)s”, which is %(came)s and not a list."),
    "only_for_items": _("“%(id)s” has “%(field)s”, which only means something together with “for_each”."),
    "item_unused": _("“%(id)s” does the same for each item: nothing in it names “item” or “index”."),
    "fan_out_id_too_long": _("“%(id)s” has %(length)s characters; an id with “for_each” may have at most %(limit)s."),
    "item_key_taken": _("The id “%(id)s” is the one an item of “%(fan_out)s” will have."),
    "unknown_pool": near(_("“%(id)s” uses the pool “%(pool)s”, which does not exist.")),
    "over_weight": _("“%(id)s” weighs %(weight)s, but the pool “%(pool)s” has only %(slots)s slots."),
    "weight_without_pool": _("“%(id)s” has the weight %(weight)s, which only means something in a pool."),
    "unguarded_nullable": _(
        "“%(id)s” uses “%(reference)s” in %(field)s, but “%(upstream)s” may be skipped and then it is null. "
        "Guard it: %(guarded)s"
    ),
}

_EXPRESSIONS: dict[str, Any] = {
    "expression_too_long": _("The expression has %(characters)s characters; at most %(limit)s are allowed."),
    "expression_too_deep": _("The expression has %(depth)s levels of brackets; at most %(limit)s are allowed."),
    "expression_empty": _("The expression is empty."),
    "expression_syntax": _("The expression “%(expression)s” is not valid at column %(column)s: %(detail)s."),
    "expression_too_costly": _(
        "The expression would take too many steps: a list of %(longest)s, walked %(nesting)s levels deep."
    ),
    "expression_value_too_deep": _("“%(name)s” is nested more than %(limit)s levels deep."),
    "expression_types": _("“%(expression)s” works with values that do not go together: %(detail)s."),
    "expression_failed": _("“%(expression)s” cannot be worked out: %(detail)s."),
    "unknown_function": _("“%(expression)s” calls “%(name)s”, which is no function here."),
    "unknown_name": _("“%(expression)s” names “%(name)s”, which is not known here."),
    "ambiguous_name": _("More than one task made an output called “%(name)s”; write task.%(name)s."),
    "no_such_field": _("“%(expression)s”: there is no “%(name)s”."),
    "index_out_of_range": _("“%(expression)s” reads past the end of a list."),
    "division_by_zero": _("“%(expression)s” divides by zero."),
    "number_overflow": _("“%(expression)s” gives a number that is too large."),
    "number_not_finite": _("“%(expression)s” gives no finite number."),
    "result_type": _("“%(expression)s” gives %(came)s, which cannot be kept."),
    "bad_argument": _("“%(expression)s”: %(name)s cannot work with %(came)s."),
    "not_a_condition": _("“%(expression)s” gives “%(came)s”; a condition must be true or false."),
    "too_many_rows": _("“%(name)s” has %(row_count)s rows; an expression reads at most %(limit)s."),
    "rows_unavailable": _("The rows of “%(name)s” cannot be read here."),
    "placeholder_unclosed": _("“%(placeholder)s” has no closing }}. For two braces as text write {{{{."),
    "placeholder_empty": _("A placeholder is empty: %(placeholder)s."),
    "unresolved": _("The placeholder %(placeholder)s in “%(param)s” cannot be resolved: there is no such value."),
    "output_missing": listed(_("The output “%(name)s” (%(wanted)s) did not come. What came: %(came)s."), "came"),
    "output_type": _("The output “%(name)s” should be %(wanted)s, but %(came)s came."),
}

SENTENCES: dict[str, Any] = {**_STRUCTURE, **_FIELDS, **_EXPRESSIONS}
