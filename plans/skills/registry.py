"""Which skills exist: the built-in ones, those in PLANS_SKILLS_DIR and those other packages bring by entry point."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings

from plans.core.catalogue import SkillInfo, SkillSettings
from plans.core.errors import PlannerError
from plans.core.skill import Skill

BUILT_IN = ("ask_human", "chart", "llm", "load_file", "noop", "report", "sql", "wait")
ENTRY_POINTS = "forethought.skills"

# Any: a skill's `run` takes its own params class, which no checker accepts for the protocol's BaseModel.
_SkillClass = TypeVar("_SkillClass", bound=type[Any])

_skills: dict[str, Skill] = {}
_loaded = False
_lock = threading.RLock()


class UnknownSkill(PlannerError):
    """No skill has this name: it was removed, or its module is not installed here."""

    default_code = "skill_not_installed"


class BrokenSkillModule(PlannerError):
    """A skill module of the operator's cannot be imported; saying so beats running without it."""

    default_code = "skill_module_broken"


def skill(cls: _SkillClass) -> _SkillClass:
    """Register a skill class under its `name`. Raises ValueError when another class has the name."""
    known = _skills.get(cls.name)
    if known is not None and type(known).__qualname__ != cls.__qualname__:
        raise ValueError(f"two skills are called {cls.name!r}: {type(known).__qualname__} and {cls.__qualname__}")
    _skills[cls.name] = cls()
    return cls


def get(name: str) -> Skill:
    """Return the skill called `name`. Raises UnknownSkill."""
    _load()
    try:
        return _skills[name]
    except KeyError:
        raise UnknownSkill(name=name) from None


def all_skills() -> list[Skill]:
    """Return every skill, by name."""
    _load()
    return [_skills[name] for name in sorted(_skills)]


def catalogue(settings: Mapping[str, SkillSettings], *, hidden: bool = True) -> dict[str, SkillInfo]:
    """Return the enabled skills as values; `hidden=False` leaves out those that are no use to a planner."""
    infos = (info(each, settings.get(each.name)) for each in all_skills() if hidden or not is_hidden(each))
    return {found.name: found for found in infos if found is not None}


def is_hidden(entry: Skill) -> bool:
    """Tell whether a planner should not be shown this skill."""
    return bool(getattr(entry, "hidden", False))


def info(entry: Skill, chosen: SkillSettings | None = None) -> SkillInfo | None:
    """Return the skill as a value under the operator's settings, None when it is switched off."""
    if chosen is not None and not chosen.enabled:
        return None
    chosen = chosen or SkillSettings()
    timeout = chosen.timeout_seconds if chosen.timeout_seconds is not None else entry.timeout_seconds
    retries = chosen.retries if chosen.retries is not None else entry.retries
    return SkillInfo(
        name=entry.name,
        version=entry.version,
        description=entry.description,
        params_schema=entry.params.model_json_schema(),
        outputs=dict(entry.outputs),
        idempotent=entry.idempotent,
        risk=entry.risk,
        runs_in=entry.runs_in,
        instant=entry.instant,
        literal=entry.literal,
        approval=chosen.approval,
        hidden=is_hidden(entry),
        timeout_seconds=timeout,
        retries=retries,
        concurrency=chosen.concurrency,
        calls_per_minute=chosen.calls_per_minute,
        fallback=chosen.fallback,
        seconds=getattr(entry, "seconds", None),
        asks_model=bool(getattr(entry, "asks_model", False)),
        checks=dict(getattr(entry, "checks", {})),
    )


def _load() -> None:
    global _loaded
    with _lock:
        if _loaded:
            return
        for name in BUILT_IN:
            import_module(f"plans.skills.{name}")
        for path in _operator_modules():
            _import_file(path)
        for entry in entry_points(group=ENTRY_POINTS):
            found = entry.load()
            if isinstance(found, type):
                skill(found)
        _loaded = True


def _operator_modules() -> Iterator[Path]:
    folder = settings.PLANS_SKILLS_DIR
    return iter(sorted(Path(folder).glob("[!_]*.py")) if folder else ())


def _import_file(path: Path) -> None:
    name = f"plans_operator_skills.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BrokenSkillModule(file=path.name, reason="not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        # Whatever the operator's code raises, the message must name the file it came from.
        del sys.modules[name]
        raise BrokenSkillModule(file=path.name, reason=f"{type(error).__name__}: {error}") from error
