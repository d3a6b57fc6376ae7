"""Read dependencies in whatever form they come: as text, objects or links, by id, by name or by number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from plans.core.jsontypes import JsonObject
from plans.core.nearest import folded
from plans.core.reading.notes import Notes
from plans.core.reading.roots import as_list, spelled
from plans.core.reading.spellings import LINK_ENDS, LINKS_KEYS, NOTHING, SUCCESS

_BETWEEN = re.compile(r"\s*[,;，；、]\s*|\s+and\s+")
_ARROW = re.compile(r"\s*(?:->|→|-->|=>)\s*")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_PATH = re.compile(r"[{\s]*([^.{}\[\]\s]+)\.([^.{}\[\]\s]+)[}\s]*")
_RESULTS = frozenset({"result", "output", "outputs"})
_IDS = ("id", "task_id", "task", "step_id", "step", "ref", "name")


class Names:
    """What a word in a dependency may mean. The indexes are made when a word is no id: most plans need none."""

    def __init__(self, tasks: Iterable[Any], milestones: Iterable[Any], *, by_skill: bool = False) -> None:
        self._parts = [part for part in (*tasks, *milestones) if isinstance(part, dict)]
        self._by_skill = by_skill
        self.ids = {str(part["id"]) for part in self._parts if part.get("id") not in (None, "")}
        self._like: dict[str, set[str]] | None = None
        self._names: dict[str, set[str]] = defaultdict(set)
        self._outputs: dict[str, set[str]] = defaultdict(set)

    def meant(self, word: str) -> set[str]:
        """Return the ids that `word` may mean: itself, by name, by number, by output, or as a path to an output."""
        if word in self.ids:
            return {word}
        if self._like is None:
            self._like = self._indexed()
        plain = folded(word)
        found = self._names.get(plain) or self._like.get(_number(word)) or self._outputs.get(word) if plain else None
        path = _PATH.fullmatch(word)
        if not found and path:
            owner, below = path[1], path[2]
            if owner in self.ids and (below in _RESULTS or owner in self._outputs.get(below, ())):
                return {owner}
        return set(found or ())

    def _indexed(self) -> dict[str, set[str]]:
        like: dict[str, set[str]] = defaultdict(set)
        for part in self._parts:
            one = str(part.get("id"))
            like[_number(one)].add(one)
            for key in ("name", "skill") if self._by_skill else ("name",):
                if isinstance(part.get(key), str) and part[key].strip():
                    self._names[folded(part[key])].add(one)
            outputs = part.get("outputs")
            for output in outputs if isinstance(outputs, dict) else ():
                self._outputs[str(output)].add(one)
        return like


def _number(word: str) -> str:
    """Return the form in which `task01` and `Task 1` are the same."""
    return _ZEROS.sub("", folded(word))


def read_links(plan: JsonObject, names: Names, notes: Notes) -> JsonObject:
    """Return the plan with its list of links as dependencies of the tasks they lead to."""
    key = spelled(plan, LINKS_KEYS)
    if key is None or not isinstance(plan[key], list | dict):
        return plan
    waits: dict[str, list[Any]] = defaultdict(list)
    for number, (up, down) in enumerate(_pairs(plan[key]), 1):
        meant = names.meant(str(down)) if isinstance(down, str | int) else set()
        if len(meant) == 1 and isinstance(up, str | int | list):
            waits[meant.pop()].append(up)
        else:
            notes.refused("bad_link", number=number, up=str(up)[:80], down=str(down)[:80], candidates=sorted(meant)[:5])
    notes.repaired("links_read_as_dependencies", key=key)
    tasks = [
        {**task, "depends_on": [*as_list(task.get("depends_on")), *waits[str(task.get("id"))]]}
        if isinstance(task, dict) and str(task.get("id")) in waits
        else task
        for task in plan["tasks"]
    ]
    return {**{name: value for name, value in plan.items() if name != key}, "tasks": tasks}


def _pairs(links: list[Any] | Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    if isinstance(links, Mapping):
        for down, ups in links.items():
            yield from ((up, down) for up in (ups if isinstance(ups, list) else [ups]))
        return
    for link in links:
        if isinstance(link, dict):
            ends = next(((link[up], link[down]) for up, down in LINK_ENDS if up in link and down in link), (None, None))
            yield ends
        elif isinstance(link, list) and len(link) == 2:
            yield link[0], link[1]
        elif isinstance(link, str) and len(parts := _ARROW.split(link.strip())) == 2:
            yield parts[0], parts[1]
        else:
            yield None, link


def read_dependencies(task: JsonObject, names: Names, notes: Notes) -> JsonObject:
    """Return the task with a list of ids under `depends_on`, as far as each word means one thing."""
    given = task.get("depends_on")
    if given is None:
        return task
    if isinstance(given, list) and all(isinstance(word, str) and word in names.ids for word in given):
        return task
    one = str(task.get("id"))
    words = list(_words(given, one, names, notes))
    found = [word if not isinstance(word, str) else _resolved(word, one, names, notes) for word in words]
    return {**task, "depends_on": [word for word in found if word is not None]}


def _words(given: Any, task: str, names: Names, notes: Notes) -> Iterator[Any]:
    """Give the single words of a dependency in any form; what has no form comes as it is and is refused later."""
    if isinstance(given, list):
        for item in given:
            if isinstance(item, str | int) and not isinstance(item, bool):
                yield from _split(item, task, names, notes) if isinstance(item, str) else [item]
            elif item is None:
                notes.repaired("empty_dependency_removed", task, came="null")
            else:
                notes.repaired("dependency_form", task, came="list" if isinstance(item, list) else "object")
                yield from _words(item, task, names, notes)
        return
    if isinstance(given, dict):
        yield from _of_object(given, task, names, notes)
        return
    if isinstance(given, str | int) and not isinstance(given, bool):
        notes.repaired("dependency_form", task, came="text" if isinstance(given, str) else "number")
        yield from _split(given, task, names, notes) if isinstance(given, str) else [given]
        return
    yield given


def _split(word: str, task: str, names: Names, notes: Notes) -> Iterator[str]:
    if word in names.ids:
        yield word
    elif word.strip().casefold() in NOTHING:
        notes.repaired("empty_dependency_removed", task, came=word)
    elif names.meant(word) or not _BETWEEN.search(word):
        yield word
    else:
        parts = [part.strip() for part in _BETWEEN.split(word.strip(" []"))]
        if all(names.meant(part) for part in parts):
            notes.repaired("dependency_form", task, came="text")
            yield from parts
        else:
            yield word


def _of_object(given: JsonObject, task: str, names: Names, notes: Notes) -> Iterator[Any]:
    """Give the task an object names; a condition that is no plain success would change what it waits for."""
    key = spelled(given, _IDS)
    if key is None or given[key] is None or isinstance(given[key], dict | list):
        notes.repaired("dependency_form", task, came="object")
        yield from given
        return
    for name, value in given.items():
        if name == key or value in (None, "", {}, []):
            continue
        if not isinstance(value, str) or folded(value) not in SUCCESS:
            if folded(name) in {"condition", "when", "if", "status", "on", "state", "outcome"}:
                notes.refused("dependency_condition", task=task, dependency=str(given[key]), condition=str(value)[:80])
            else:
                notes.repaired("dependency_words_removed", task, key=name)
    yield given[key]


def _resolved(word: str, task: str, names: Names, notes: Notes) -> str | None:
    """Return the id that a word means, the word itself when it means none; None when it has been refused."""
    meant = names.meant(word)
    if len(meant) == 1:
        found = meant.pop()
        if found != word:
            notes.repaired("name_read_as_id", task, dependency=word, read=found)
        return found
    if len(meant) > 1:
        notes.refused("ambiguous_dependency", task=task, dependency=word, candidates=sorted(meant)[:10])
        return None
    return word
