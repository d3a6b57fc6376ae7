"""Playbooks for the rest of the product: find, match, fill in. One place to import from."""

from __future__ import annotations

from plans.planning.definition import Playbook, PlaybookInvalid, get, load_all
from plans.planning.guess import Guess
from plans.planning.inputs import Field, InputErrors, fields, resolve_inputs
from plans.planning.matching import THRESHOLD, Match, match, offers, rank

__all__ = [
    "THRESHOLD",
    "Field",
    "Guess",
    "InputErrors",
    "Match",
    "Playbook",
    "PlaybookInvalid",
    "fields",
    "get",
    "load_all",
    "match",
    "offers",
    "rank",
    "resolve_inputs",
]
