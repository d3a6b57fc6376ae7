"""The playbooks people may use now: those that ship, less those an operator has switched off."""

from __future__ import annotations

from collections.abc import Mapping

from plans import queries
from plans.core.errors import NoPlaybook
from plans.core.jsontypes import JsonObject
from plans.planning import matching
from plans.planning.definition import Playbook, load_all
from plans.planning.definition import get as shipped
from plans.planning.matching import Match


def available() -> list[Playbook]:
    """Return the playbooks that are switched on."""
    off = queries.disabled_playbooks()
    return [playbook for playbook in load_all() if playbook.name not in off]


def get(name: str) -> Playbook:
    """Return the playbook called `name`. Raises NoPlaybook when there is none or it is switched off."""
    playbook = shipped(name)
    if name in queries.disabled_playbooks():
        raise NoPlaybook("playbook_disabled", name=name)
    return playbook


def match(goal: str, profiles: Mapping[str, JsonObject]) -> list[Match]:
    """Return the available playbooks that fit, best first."""
    return matching.match(goal, profiles, available())


def offers(profiles: Mapping[str, JsonObject]) -> list[Playbook]:
    """Return the available playbooks worth offering for these files."""
    return matching.offers(profiles, available())
