"""What would happen, beside what was shown: the difference of two effects or two plans, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.jsontypes import Json
from plans.core.values import is_ref
from plans.web.shown.values import Named, named

WORDS: dict[str, str | Promise] = {
    "skill": _("Skill"),
    "version": _("Version of the skill"),
    "timeout_seconds": _("Longest run time in seconds"),
    "retries": _("Retries"),
}
# What every effect carries and nobody decides on.
HIDDEN = {"run", "task"}
MOST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field; `kind` is added, removed or changed and is said in words beside it."""

    name: str
    kind: str
    word: str | Promise
    before: Named | None
    now: Named | None


KINDS: dict[str, str | Promise] = {"added": _("added"), "removed": _("removed"), "changed": _("changed")}


def effect_differences(before: Mapping[str, Json], now: Mapping[str, Json]) -> list[Difference]:
    """Return the fields in which two effects differ, in the order of the newer one."""
    old, new = dict(_fields(before)), dict(_fields(now))
    names = [*new, *(name for name in old if name not in new)]
    found = [
        _difference(name, old, new) for name in names if name not in old or name not in new or old[name] != new[name]
    ]
    return found[:MOST]


def plan_differences(before: Mapping[str, Json], now: Mapping[str, Json]) -> list[Difference]:
    """Return the steps in which two plans differ, each as its fields."""
    return effect_differences(_steps(before), _steps(now))


def _steps(plan: Mapping[str, Json]) -> dict[str, Json]:
    tasks = plan.get("tasks")
    steps = tasks if isinstance(tasks, list) else []
    return {str(step["id"]): {**step, "id": None} for step in steps if isinstance(step, dict) and "id" in step}


def _difference(name: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> Difference:
    kind = "added" if name not in old else "removed" if name not in new else "changed"
    said = name.removeprefix("params.").removeprefix("limits.")
    return Difference(
        name=said if name.startswith("params.") else str(WORDS.get(said, said)),
        kind=kind,
        word=KINDS[kind],
        before=named(name, old[name]) if name in old else None,
        now=named(name, new[name]) if name in new else None,
    )


def _fields(value: Mapping[str, Json], path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield every field under its path; references and lists stay whole."""
    for key, inner in value.items():
        if not path and key in HIDDEN:
            continue
        name = f"{path}.{key}" if path else str(key)
        if isinstance(inner, dict) and inner and not is_ref(inner):
            yield from _fields(inner, name)
        else:
            yield name, inner
