"""Sentences of the planning part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext


def _kind(kind: object) -> str:
    words = {
        "table": pgettext("kind of file", "a table"),
        "access_log": pgettext("kind of file", "an access log"),
        "text": pgettext("kind of file", "plain text"),
    }
    return words.get(str(kind), pgettext("kind of file", "a file of unknown kind"))


def _type(kind: object) -> str:
    words = {
        "text": pgettext("type of column", "text"),
        "integer": pgettext("type of column", "whole numbers"),
        "number": pgettext("type of column", "numbers"),
        "date": pgettext("type of column", "dates"),
        "datetime": pgettext("type of column", "dates with time"),
        "boolean": pgettext("type of column", "yes or no"),
    }
    return words.get(str(kind), str(kind))


def _list(items: object) -> str:
    return ", ".join(str(item) for item in items) if isinstance(items, list | tuple) else str(items)


def _or(words: list[str]) -> str:
    return pgettext("between the last two of a list", " or ").join(words)


def _wrong_kind(params: Mapping[str, Any]) -> str:
    wanted = _or([_kind(kind) for kind in params["wanted"]])
    return _("“%(file)s” is %(kind)s; this playbook needs %(wanted)s.") % {
        "file": params["file"],
        "kind": _kind(params["kind"]),
        "wanted": wanted,
    }


def _file_missing(params: Mapping[str, Any]) -> str:
    return _("Attach a file: this playbook needs %(wanted)s.") % {
        "wanted": _or([_kind(kind) for kind in params["kinds"]])
    }


def _none_fits(params: Mapping[str, Any]) -> str:
    return _("No column of this file holds %(wanted)s.") % {"wanted": _or([_type(kind) for kind in params["types"]])}


def _wrong_type(params: Mapping[str, Any]) -> str:
    return _("The column “%(name)s” holds %(type)s; needed are %(wanted)s.") % {
        "name": params["name"],
        "type": _type(params["type"]),
        "wanted": _or([_type(kind) for kind in params["wanted"]]),
    }


def _unknown_column(params: Mapping[str, Any]) -> str:
    return _("There is no column “%(name)s”. The file has: %(known)s.") % {
        "name": params["name"],
        "known": _list(params["known"]),
    }


def _others(params: Mapping[str, Any], sentence: str) -> str:
    if not params.get("others"):
        return sentence
    return sentence + " " + _("It could also be: %(others)s.") % {"others": _list(params["others"])}


def _by_name(params: Mapping[str, Any]) -> str:
    return _others(params, _("Guessed by the column's name."))


def _by_type(params: Mapping[str, Any]) -> str:
    return _others(params, _("Guessed by the values: no column has a name that says it."))


def _in_goal(params: Mapping[str, Any]) -> str:
    return _others(params, _("The goal names this column."))


def _no_playbook(params: Mapping[str, Any]) -> str:
    return _(
        "No playbook fits this goal, and no model is connected. Choose a playbook, import a plan or connect a model."
    )


def _unknown_parameter(params: Mapping[str, Any]) -> str:
    return _("There is no parameter “%(name)s”. This playbook has: %(known)s.") % {
        "name": params["name"],
        "known": _list(params["known"]) or "–",
    }


def _choice(params: Mapping[str, Any]) -> str:
    return _("“%(value)s” cannot be chosen. Possible: %(known)s.") % {
        "value": params["value"],
        "known": _list(params["known"]),
    }


def _unknown_playbook(params: Mapping[str, Any]) -> str:
    return _("There is no playbook “%(name)s”. There are: %(known)s.") % {
        "name": params["name"],
        "known": _list(params["known"]),
    }


def _not_attached(params: Mapping[str, Any]) -> str:
    return _("No attached file is called “%(file)s”. Attached: %(attached)s.") % {
        "file": params["file"],
        "attached": _list(params["attached"]) or "–",
    }


def _match_words(params: Mapping[str, Any]) -> str:
    return _("The goal speaks of: %(words)s.") % {"words": _list(params["words"])}


def _match_unless(params: Mapping[str, Any]) -> str:
    return _("Against it: %(words)s.") % {"words": _list(params["words"])}


def _rejected(params: Mapping[str, Any]) -> str:
    return _("This plan cannot be run: %(problems)s") % {"problems": " ".join(str(each) for each in params["problems"])}


SENTENCES: dict[str, Any] = {
    "no_playbook": _no_playbook,
    "playbook_unknown": _unknown_playbook,
    "playbook_disabled": gettext_lazy("The playbook %(name)s is switched off. An administrator can switch it on."),
    "playbook_invalid": gettext_lazy("The playbook %(file)s cannot be used: %(field)s: %(problem)s."),
    "inputs_wrong": gettext_lazy("Some of the inputs are wrong."),
    "parameter_unknown": _unknown_parameter,
    "value_missing": gettext_lazy("“%(label)s” is needed."),
    "file_missing": _file_missing,
    "file_not_attached": _not_attached,
    "file_wrong_kind": _wrong_kind,
    "file_no_rows": gettext_lazy("“%(file)s” has a header but no lines of data."),
    "file_no_columns": gettext_lazy("“%(file)s” has no columns."),
    "column_none_fits": _none_fits,
    "column_unknown": _unknown_column,
    "column_wrong_type": _wrong_type,
    "period_invalid": gettext_lazy(
        "“%(value)s” is not a period. Write 2019, 2019-Q4, 2019-10 or 2019-10-01..2019-12-31, or all for the whole file."
    ),
    "period_outside_file": gettext_lazy("%(value)s is outside the file, which covers %(start)s to %(end)s."),
    "choice_unknown": _choice,
    "number_invalid": gettext_lazy("“%(value)s” is not a whole number."),
    "number_out_of_limits": gettext_lazy("%(value)s is outside the limits: %(least)s to %(most)s."),
    "text_too_long": gettext_lazy("The text has %(length)s characters; at most %(most)s are possible."),
    "guess_file_only": gettext_lazy("The only attached file."),
    "guess_file_first": gettext_lazy("The first attached file of the right kind."),
    "guess_file_named": gettext_lazy("The goal names this file."),
    "guess_number_said": gettext_lazy("The goal says “%(words)s”."),
    "guess_choice_said": gettext_lazy("The goal says “%(words)s”."),
    "guess_column_in_goal": _in_goal,
    "guess_column_name": _by_name,
    "guess_column_type": _by_type,
    "guess_period_said": gettext_lazy("The goal says “%(words)s”, taken as %(period)s."),
    "guess_period_relative": gettext_lazy(
        "The goal says “%(words)s”: the file ends on %(last)s, so this is taken as %(period)s, not counted from today."
    ),
    "match_words": _match_words,
    "match_file": gettext_lazy("“%(name)s” is what it needs."),
    "match_unless": _match_unless,
    "file_not_readable": gettext_lazy("The file “%(file)s” cannot be opened: %(problem)s."),
    "user_unknown": gettext_lazy("There is no active user “%(name)s”."),
    "no_superuser": gettext_lazy("There is no superuser yet: create one, or name a user with --as."),
    "param_malformed": gettext_lazy("“%(text)s” is not of the form NAME=VALUE."),
    "plan_rejected": _rejected,
    "database_unavailable": gettext_lazy("The database cannot be used (%(problem)s). Run manage.py migrate first."),
    "not_in_time": gettext_lazy("The time is over and the run has not ended (state: %(state)s)."),
}
