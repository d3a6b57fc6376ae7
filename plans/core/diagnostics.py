"""The catalogue of diagnostics: for each code its severity, its place, and whether it repairs or offers a fix.

Sentences are made in `plans.wording.findings`; what a person does about each stands in docs/diagnostics.md. Tests keep
the three together. What only a run can say (an expression that fails on its values) is an error of the task, not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from plans.core.findings import Severity


class Place(StrEnum):
    """What a finding is about."""

    TEXT = "text"
    PLAN = "plan"
    MILESTONE = "milestone"
    TASK = "task"
    DEPENDENCY = "dependency"
    PARAM = "param"
    OUTPUT = "output"
    EXPRESSION = "expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """`repairs`: what is read is not, letter for letter, what was given. `fixes`: it may carry a mechanical fix."""

    severity: Severity
    place: Place
    repairs: bool = False
    fixes: bool = False


def _error(place: Place, *, fixes: bool = False) -> Diagnostic:
    return Diagnostic(severity=Severity.ERROR, place=place, fixes=fixes)


def _warning(place: Place, *, fixes: bool = False) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, place=place, fixes=fixes)


def _info(place: Place, *, fixes: bool = False) -> Diagnostic:
    return Diagnostic(severity=Severity.INFO, place=place, fixes=fixes)


def _repair(place: Place, *, fixes: bool = False) -> Diagnostic:
    return Diagnostic(severity=Severity.INFO, place=place, repairs=True, fixes=fixes)


_TEXT: Mapping[str, Diagnostic] = {
    "not_utf8": _error(Place.TEXT),
    "empty_text": _error(Place.TEXT),
    "not_json": _error(Place.TEXT),
    "plan_cut_off": _error(Place.TEXT),
    "no_plan_in_text": _error(Place.TEXT),
    "several_plans": _error(Place.TEXT),
    "not_a_plan": _error(Place.TEXT),
    "no_tasks_key": _error(Place.TEXT),
    "too_deep": _error(Place.TEXT),
    "bad_characters": _error(Place.TEXT),
    "repeated_key": _warning(Place.TEXT),
    "plan_file_unreadable": _error(Place.TEXT),
    "catalogue_unavailable": _error(Place.PLAN),
    "byte_order_mark_removed": _repair(Place.TEXT),
    "fence_removed": _repair(Place.TEXT),
    "prose_removed": _repair(Place.TEXT),
    "thoughts_removed": _repair(Place.TEXT),
    "braces_removed": _repair(Place.TEXT),
    "comments_removed": _repair(Place.TEXT),
    "trailing_commas_removed": _repair(Place.TEXT),
    "missing_commas_added": _repair(Place.TEXT),
    "quotes_corrected": _repair(Place.TEXT),
    "words_corrected": _repair(Place.TEXT),
    "punctuation_corrected": _repair(Place.TEXT),
    "line_breaks_kept": _repair(Place.TEXT),
    "backslashes_kept": _repair(Place.TEXT),
    "lines_joined": _repair(Place.TEXT),
    "last_plan_taken": _repair(Place.TEXT),
    "json_unwrapped": _repair(Place.TEXT),
    "wrapper_removed": _repair(Place.TEXT),
    "list_read_as_tasks": _repair(Place.TEXT),
    "mapping_read_as_tasks": _repair(Place.TEXT),
}

_READ: Mapping[str, Diagnostic] = {
    "schema_unknown": _error(Place.PLAN),
    "not_an_object": _error(Place.PLAN),
    "missing_id": _error(Place.TASK),
    "missing_skill": _error(Place.TASK),
    "bad_field": _error(Place.TASK),
    "unknown_key": _warning(Place.TASK),
    "two_spellings": _error(Place.TASK),
    "children_of_step": _error(Place.TASK),
    "bad_link": _error(Place.DEPENDENCY),
    "ambiguous_dependency": _error(Place.DEPENDENCY),
    "dependency_condition": _error(Place.DEPENDENCY),
    "ids_made_text": _repair(Place.PLAN),
    "ids_made": _repair(Place.PLAN),
    "copy_removed": _repair(Place.TASK),
    "key_spelled": _repair(Place.TASK),
    "value_read": _repair(Place.TASK),
    "children_read_as_milestones": _repair(Place.MILESTONE),
    "links_read_as_dependencies": _repair(Place.DEPENDENCY),
    "name_read_as_id": _repair(Place.DEPENDENCY),
    "dependency_form": _repair(Place.DEPENDENCY),
    "dependency_words_removed": _repair(Place.DEPENDENCY),
    "empty_dependency_removed": _repair(Place.DEPENDENCY),
}

_STRUCTURE: Mapping[str, Diagnostic] = {
    "empty_plan": _error(Place.PLAN),
    "duplicate_id": _error(Place.TASK),
    "near_duplicate_id": _warning(Place.TASK),
    "unknown_milestone": _error(Place.TASK, fixes=True),
    "milestone_cycle": _error(Place.MILESTONE),
    "dangling_dependency": _error(Place.DEPENDENCY, fixes=True),
    "self_dependency": _error(Place.DEPENDENCY, fixes=True),
    "repeated_dependency": _info(Place.DEPENDENCY),
    "own_milestone_dependency": _error(Place.DEPENDENCY, fixes=True),
    "empty_milestone": _warning(Place.DEPENDENCY),
    "cycle": _error(Place.DEPENDENCY, fixes=True),
    "dependency_added": _repair(Place.DEPENDENCY, fixes=True),
}

_FIELDS: Mapping[str, Diagnostic] = {
    "not_available_yet": _error(Place.PLAN),
    "fallback_missing": _error(Place.TASK, fixes=True),
    "fallback_unused": _warning(Place.TASK, fixes=True),
    "fallback_same": _warning(Place.TASK),
    "fallback_unfit": _error(Place.TASK),
    "fallback_value_unknown": _error(Place.OUTPUT, fixes=True),
    "fallback_value_kind": _error(Place.OUTPUT),
    "done_when_outside": _error(Place.TASK),
    "undo_unreadable": _error(Place.TASK, fixes=True),
    "undo_unfit": _error(Place.TASK),
    "two_producers": _error(Place.OUTPUT),
    "bad_output_name": _error(Place.OUTPUT),
    "too_many_outputs": _error(Place.OUTPUT),
    "output_kind": _error(Place.OUTPUT, fixes=True),
    "loosens_skill": _warning(Place.TASK, fixes=True),
    "unknown_result": _error(Place.PLAN),
    "unknown_skill": _error(Place.TASK, fixes=True),
    "unknown_param": _error(Place.PARAM, fixes=True),
    "missing_param": _error(Place.PARAM),
    "bad_param": _error(Place.PARAM, fixes=True),
    "param_kind": _error(Place.PARAM),
    "placeholder_in_literal": _warning(Place.PARAM),
    "for_each_not_list": _error(Place.TASK, fixes=True),
    "item_unused": _warning(Place.TASK),
    "only_for_items": _warning(Place.TASK, fixes=True),
    "fan_out_id_too_long": _error(Place.TASK),
    "item_key_taken": _error(Place.TASK),
}

_EXPRESSIONS: Mapping[str, Diagnostic] = {
    "self_reference": _error(Place.EXPRESSION),
    "unresolved_reference": _error(Place.EXPRESSION, fixes=True),
    "unknown_pool": _error(Place.TASK, fixes=True),
    "over_weight": _error(Place.TASK, fixes=True),
    "weight_without_pool": _warning(Place.TASK, fixes=True),
    "unguarded_nullable": _error(Place.EXPRESSION, fixes=True),
    "expression_too_long": _error(Place.EXPRESSION),
    "expression_too_deep": _error(Place.EXPRESSION),
    "expression_empty": _error(Place.EXPRESSION),
    "expression_syntax": _error(Place.EXPRESSION),
    "unknown_function": _error(Place.EXPRESSION),
    "placeholder_unclosed": _error(Place.EXPRESSION, fixes=True),
    "placeholder_empty": _error(Place.EXPRESSION),
}

_ADVICE: Mapping[str, Diagnostic] = {
    "foreign_placeholder": _warning(Place.PARAM, fixes=True),
    "unknown_placeholder": _error(Place.PARAM),
    "never_runs": _warning(Place.TASK),
    "unreachable_output": _error(Place.OUTPUT),
    "exclusive_reference": _warning(Place.EXPRESSION),
    "unused_output": _info(Place.OUTPUT),
    "redundant_dependency": _info(Place.DEPENDENCY, fixes=True),
    "mergeable_calls": _info(Place.TASK),
    "write_conflict": _error(Place.PARAM),
    "no_milestones": _warning(Place.PLAN),
    "vague_task": _warning(Place.TASK),
    "coarse_task": _warning(Place.TASK),
    "fine_tasks": _info(Place.TASK),
    "no_undo": _warning(Place.TASK),
    "no_approval": _warning(Place.TASK, fixes=True),
    "rate_too_low": _error(Place.PLAN),
    "deadline_too_small": _error(Place.PLAN),
    "deadline_tight": _warning(Place.PLAN),
    "budget_too_small": _error(Place.PLAN),
    "budget_tight": _warning(Place.PLAN),
    "expression_types": _error(Place.EXPRESSION),
    "bad_argument": _error(Place.EXPRESSION),
    "not_a_condition": _error(Place.EXPRESSION),
    "comparison_kinds": _warning(Place.EXPRESSION),
}

_CODE: Mapping[str, Diagnostic] = {
    "code_syntax": _error(Place.PARAM),
    "code_too_long": _error(Place.PARAM),
    "code_too_deep": _error(Place.PARAM),
    "import_unavailable": _warning(Place.PARAM),
    "bad_schema": _error(Place.PARAM),
    "bad_url": _error(Place.PARAM),
    "not_one_query": _error(Place.PARAM),
    "not_a_query": _error(Place.PARAM),
    "unknown_table": _error(Place.PARAM),
    "unknown_value": _error(Place.PARAM),
}

CATALOGUE: Mapping[str, Diagnostic] = {**_TEXT, **_READ, **_STRUCTURE, **_FIELDS, **_EXPRESSIONS, **_ADVICE, **_CODE}
REPAIRS = frozenset(code for code, diagnostic in CATALOGUE.items() if diagnostic.repairs)
