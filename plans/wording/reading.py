"""Sentences about reading a plan: what was repaired, what was refused and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.wording.forms import Params, listed, near


def _unknown_key(params: Params) -> str:
    where = ", ".join(params.get("tasks", []))
    text = str(_("The key “%(key)s” is not part of a plan and is left out.") % params)
    if where:
        text = str(_("The key “%(key)s” is not part of a task and is left out (%(count)s×: %(where)s).")) % {
            **params,
            "where": where,
        }
    return near(_("%(text)s"))({**params, "text": text})


def _where(said: Promise) -> Callable[[Params], str]:
    """Add which tasks it was about, and how many where that is more."""

    def tell(params: Params) -> str:
        tasks = [str(task) for task in params.get("tasks", [])]
        text = str(said) % params
        if not tasks:
            return str(_("%(text)s.")) % {"text": text}
        where = ", ".join(tasks)
        if int(params.get("count", 0)) > len(tasks):
            return str(_("%(text)s (%(count)s times: %(where)s …).")) % {**params, "text": text, "where": where}
        return str(_("%(text)s (%(where)s).")) % {"text": text, "where": where}

    return tell


def _several_plans(params: Params) -> str:
    where = params.get("lines") or params.get("places") or []
    text = _("There are %(count)s plans in the answer (%(where)s), and which one is meant is not said.")
    return str(text) % {**params, "where": ", ".join(str(each) for each in where)}


def _wrapper_removed(params: Params) -> str:
    text = str(_("The plan was found under “%(key)s”.")) % params
    left_out = ", ".join(str(key) for key in params.get("left_out", []))
    return f"{text} {_('Left out: %(keys)s.') % {'keys': left_out}}" if left_out else text


def _bad_link(params: Params) -> str:
    text = str(_("Link %(number)s, from “%(up)s” to “%(down)s”, leads to no one task.")) % params
    found = ", ".join(str(each) for each in params.get("candidates", []))
    return f"{text} {_('It could be: %(found)s.') % {'found': found}}" if found else text


_PLAN_TEXT: dict[str, Any] = {
    "not_utf8": _("The plan is not UTF-8 text (byte %(position)s)."),
    "empty_text": _("There is no plan: the text is empty."),
    "not_json": _("The plan is not JSON: line %(line)s, column %(column)s: %(detail)s."),
    "not_a_plan": _("No plan found: a plan is a JSON object with “tasks”, this is %(came)s."),
    "too_deep": _("The plan is nested more than %(limit)s levels deep."),
    "bad_characters": _("The plan holds a character that cannot be stored, in “%(text)s”."),
    "repeated_key": _("The key “%(key)s” is written twice in one object; the last one counts."),
    "schema_unknown": _("The plan has version “%(came)s”; this Forethought reads up to %(newest)s."),
    "no_tasks_key": listed(_("The plan has no “tasks” (its keys: %(keys)s)."), "keys"),
    "not_an_object": _("Number %(number)s of %(place)s is %(came)s, not an object."),
    "missing_id": _("Task %(number)s has no id (name: “%(name)s”)."),
    "missing_skill": _("The task names no skill."),
    "bad_field": _("%(field)s cannot be %(came)s: %(wanted)s."),
    "unknown_key": _unknown_key,
    "catalogue_unavailable": _(
        "What skills are enabled cannot be read (%(reason)s). Run migrate, or name the skills with --skills."
    ),
    "plan_file_unreadable": _("The plan cannot be read from “%(file)s”: %(reason)s."),
}

_CUT: dict[str, Any] = {
    "plan_cut_off": _(
        "The plan is cut off: line %(line)s, column %(column)s: %(detail)s. Nothing of it is used; ask again."
    ),
    "no_plan_in_text": _("No plan found in the answer: “%(excerpt)s”"),
    "several_plans": _several_plans,
}

_TEXT_REPAIRS: dict[str, Any] = {
    "byte_order_mark_removed": _("A byte order mark before the plan was left out."),
    "fence_removed": _("The code fence around the plan was left out."),
    "prose_removed": _("Words around the plan were left out."),
    "thoughts_removed": _("The model's thoughts before the plan were left out."),
    "braces_removed": _("Brackets around the plan that belong to nothing were left out."),
    "comments_removed": _("Comments in the plan were left out (the first in line %(line)s)."),
    "trailing_commas_removed": _("Commas before a closing bracket were left out (the first in line %(line)s)."),
    "missing_commas_added": _("Commas missing between two items were added (the first in line %(line)s)."),
    "quotes_corrected": _('Other quotes than " were read as " (the first in line %(line)s).'),
    "words_corrected": _(
        "Words of Python for true, false and nothing were read as those of JSON (the first in line %(line)s)."
    ),
    "punctuation_corrected": _("Full-width signs were read as the plain ones (the first in line %(line)s)."),
    "line_breaks_kept": _("Line breaks and tabs inside texts were kept (the first in line %(line)s)."),
    "backslashes_kept": _("Backslashes that escape nothing were kept as they are (the first in line %(line)s)."),
    "lines_joined": _("%(count)s tasks, one an object, were read as one plan."),
    "last_plan_taken": _("Several plans were given; the last one, which begins in line %(line)s, was taken."),
    "json_unwrapped": _("The plan was JSON inside a JSON text; the inner one was read."),
    "wrapper_removed": _wrapper_removed,
    "list_read_as_tasks": _("The list was read as the plan's tasks."),
    "mapping_read_as_tasks": _("Tasks given as a mapping were read as a list, each key as the task's id."),
}

_SHAPE: dict[str, Any] = {
    "two_spellings": _("“%(key)s” and “%(read)s” mean the same but say different things: “%(other)s”, “%(one)s”."),
    "children_of_step": _(
        "“%(id)s” has a skill and, under “%(key)s”, tasks of its own: it can be a step or a group, not both."
    ),
    "bad_link": _bad_link,
    "ambiguous_dependency": listed(_("“%(dependency)s” could mean several tasks: %(candidates)s."), "candidates"),
    "dependency_condition": _(
        "The dependency on “%(dependency)s” has the condition “%(condition)s”. Dependencies have none; write it as run_if."
    ),
    "ids_made_text": _("Ids written as numbers were read as text."),
    "ids_made": _("No task had an id; they were called t1 to %(last)s."),
    "copy_removed": _where(_("A task that was there twice, word for word, is taken once")),
    "key_spelled": _where(_("“%(key)s” was read as “%(read)s”")),
    "value_read": _where(_("%(field)s “%(came)s” was read as “%(read)s”")),
    "children_read_as_milestones": _where(_("A group of tasks was read as a milestone")),
    "links_read_as_dependencies": _("The links under “%(key)s” were read as dependencies."),
    "name_read_as_id": _where(_("The dependency “%(dependency)s” was read as “%(read)s”")),
    "dependency_form": _where(_("Dependencies given as %(came)s were read as a list")),
    "dependency_words_removed": _where(_("“%(key)s” of a dependency was left out")),
    "empty_dependency_removed": _where(_("The dependency “%(came)s”, which names nothing, was left out")),
}

SENTENCES: dict[str, Any] = {**_PLAN_TEXT, **_CUT, **_TEXT_REPAIRS, **_SHAPE}
