"""The catalogue as it is now: the skills there are, under the operator's settings."""

from __future__ import annotations

from plans import queries
from plans.core.catalogue import Catalogue
from plans.skills import registry


def current() -> Catalogue:
    return registry.catalogue(queries.skill_settings())
