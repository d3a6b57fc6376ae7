"""Read the fields of one raw task: keys and words in other spellings, numbers in text, lists given as one text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from plans.core import bind
from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.core.nearest import folded
from plans.core.reading.notes import Notes
from plans.core.reading.spellings import (
    KINDS,
    TASK_KEYS,
    UNITS,
    WEAK_TASK_KEYS,
    WORDS,
)
from plans.core.spec import TaskSpec

_OURS = frozenset(TaskSpec.model_fields)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")
_MUST_AGREE = frozenset({"skill", "depends_on", "run_if", "for_each"})
"""Keys of which two spellings with two values cannot be read as one."""


def read_task(raw: JsonObject, catalogue: Catalogue, notes: Notes) -> JsonObject:
    """Return a raw task in our own spelling; what is not understood is left for the strict reader to judge."""
    task = raw if raw.keys() <= _OURS else _with_our_keys(raw, notes)
    changed: JsonObject = {}
    for key, read in _READERS.items():
        if task.get(key) is not None:
            value = read(task[key])
            if value is not task[key] and not _same(value, task[key]):
                notes.repaired("value_read", _id(task), field=key, came=_shown(task[key]), read=_shown(value))
                changed[key] = value
    task = {**task, **changed} if changed else task
    task = _with_skill(task, notes)
    task = _with_failure(task, notes)
    task = _with_params(task, catalogue, notes)
    return _with_outputs(task, catalogue, notes)


def _id(task: JsonObject) -> str | None:
    return None if task.get("id") in (None, "") else str(task["id"])


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _shown(value: Any) -> str:
    return value[:80] if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)[:80]


def _with_our_keys(raw: JsonObject, notes: Notes) -> JsonObject:
    found = {key: value for key, value in raw.items() if key in _OURS}
    task = _id({**raw, "id": raw.get("id", raw.get("task_id"))})
    for table in (TASK_KEYS, WEAK_TASK_KEYS):
        for key, value in raw.items():
            ours = table.get(folded(str(key))) if key not in _OURS else None
            if ours is None or key in found:
                if table is WEAK_TASK_KEYS:
                    found.setdefault(key, value)
                continue
            _take(found, ours, key, value, task, notes, is_weak=table is WEAK_TASK_KEYS)
    return found


def _take(found: JsonObject, ours: str, key: str, value: Any, task: str | None, notes: Notes, *, is_weak: bool) -> None:
    """Read `key` as `ours`, unless that has been said already: then the other one must say the same."""
    before = found.get(ours)
    is_text = ours != "skill" or isinstance(value, str | dict)
    if before in (None, "", [], {}) and is_text and (not is_weak or ours not in found):
        found[ours] = value
        notes.repaired("key_spelled", task, key=key, read=ours)
    elif before != value:
        if ours in _MUST_AGREE and not is_weak and value not in (None, "", []):
            notes.refused("two_spellings", task=task, key=key, read=ours, one=_shown(before), other=_shown(value))
        else:
            found[key] = value


def _with_skill(task: JsonObject, notes: Notes) -> JsonObject:
    """Read a tool call as a model writes it: `{"name": ..., "arguments": {...}}`."""
    call = task.get("skill")
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return task
    notes.repaired("value_read", _id(task), field="skill", came="object", read=call["name"])
    given = next((call[key] for key in ("arguments", "params", "parameters", "args") if key in call), None)
    return {
        **task,
        "skill": call["name"],
        **({"params": given} if given is not None and not task.get("params") else {}),
    }


def _with_failure(task: JsonObject, notes: Notes) -> JsonObject:
    """Read what to do on failure: one word, or an object that also names retries and a fallback."""
    given = task.get("on_failure")
    if isinstance(given, dict):
        inner = {TASK_KEYS.get(folded(str(key)), folded(str(key))): value for key, value in given.items()}
        word = next(
            (inner[key] for key in ("strategy", "action", "policy", "type", "on_failure") if key in inner), None
        )
        more = {"retries": inner.get("retries"), "fallback_skill": inner.get("fallback_skill", inner.get("fallback"))}
        task = {**{key: value for key, value in more.items() if value is not None}, **task, "on_failure": word}
        notes.repaired("value_read", _id(task), field="on_failure", came="object", read=_shown(word))
        given = word
    if not isinstance(given, str):
        return task
    read = _word("on_failure")(given)
    if read == "retry_different" and task.get("fallback_skill"):
        # Another way is the skill that is named for it.
        notes.repaired("value_read", _id(task), field="on_failure", came=given, read="fallback")
        read = "fallback"
    return {**task, "on_failure": read}


def _with_params(task: JsonObject, catalogue: Catalogue, notes: Notes) -> JsonObject:
    given = task.get("params")
    if given is None or isinstance(given, dict):
        return task
    read = _params(given)
    info = _info(task.get("skill"), catalogue)
    if read is None and isinstance(given, list) and (info is None or info.free_params):
        # Arguments by position: where a skill has names for its params, which is which would be a guess.
        read = {"arguments": given}
    if read is None:
        return task
    came = "text" if isinstance(given, str) else "list"
    notes.repaired("value_read", _id(task), field="params", came=came, read=", ".join(read)[:80] or "{}")
    return {**task, "params": read}


def _params(given: Any) -> JsonObject | None:
    """Return the params in a list of `{"name", "value"}`, or in a text of JSON; None when they are in neither."""
    if isinstance(given, str):
        if folded(given) in {"", "none", "null"}:
            return {}
        try:
            found = json.loads(given)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None
    if not isinstance(given, list):
        return None
    if given and all(isinstance(item, dict) and {"name", "value"} <= item.keys() for item in given):
        names = [str(item["name"]) for item in given]
        return (
            dict(zip(names, (item["value"] for item in given), strict=True)) if len(set(names)) == len(names) else None
        )
    return {} if not given else None


def _with_outputs(task: JsonObject, catalogue: Catalogue, notes: Notes) -> JsonObject:
    given = task.get("outputs")
    if given is None:
        return task
    read = _outputs(given, task.get("skill"), catalogue)
    if read is None or read == given:
        return task
    came = "object" if isinstance(given, dict) else "text" if isinstance(given, str) else "list"
    shown = ", ".join(f"{name}: {kind}" for name, kind in read.items())[:80]
    notes.repaired("value_read", _id(task), field="outputs", came=came, read=shown)
    return {**task, "outputs": read}


def _outputs(given: Any, skill: Any, catalogue: Catalogue) -> JsonObject | None:
    """Return output name -> kind; a kind that was not said is the one that the skill delivers in that place."""
    if isinstance(given, dict):
        return {name: _kind(value) for name, value in given.items()}
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list):
        return None
    if listed and all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in listed):
        return {item["name"]: _kind(item.get("kind", item.get("type", "json"))) for item in listed}
    if not all(isinstance(item, str) for item in listed):
        return None
    info = _info(skill, catalogue)
    delivered = info.outputs if info else {}
    pairs = bind.pair(dict.fromkeys(listed), delivered) or {}
    return {name: str(delivered.get(pairs.get(name, ""), ValueKind.JSON)) for name in listed}


def _info(skill: Any, catalogue: Catalogue) -> SkillInfo | None:
    return catalogue[skill] if isinstance(skill, str) and skill in catalogue else None


def _kind(value: Any) -> Any:
    if isinstance(value, dict) and isinstance(value.get("type", value.get("kind")), str):
        value = value.get("type", value.get("kind"))
    return KINDS.get(folded(value), value) if isinstance(value, str) else value


def _word(field: str) -> Callable[[Any], Any]:
    table: Mapping[str, str] = WORDS[field]

    def read(value: Any) -> Any:
        if isinstance(value, bool) and field == "approval":
            return "always" if value else "auto"
        return table.get(folded(value), value) if isinstance(value, str) else value

    return read


def _number(value: Any) -> Any:
    """Return the number that a text is, else the value as it came."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return value
    found = float(value)
    return int(found) if found.is_integer() and abs(found) < 2**53 else found


def _seconds(value: Any) -> Any:
    """Return the seconds that a text means: `"90"`, `"90 s"`, `"2 min"`."""
    said = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    unit = UNITS.get(said[2].casefold()) if said else None
    return _number(str(float(said[1]) * unit)) if said and unit else _number(value)


def _estimate(value: Any) -> Any:
    if isinstance(value, dict):
        read = {key: (_seconds if key == "seconds" else _number)(item) for key, item in value.items()}
        return read if read != value else value
    seconds = _seconds(value)
    return {"seconds": seconds} if isinstance(seconds, int | float) and not isinstance(seconds, bool) else value


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) and value.strip() else value


def _truth(value: Any) -> Any:
    return (
        {"true": True, "yes": True, "false": False, "no": False}.get(folded(value), value)
        if isinstance(value, str)
        else value
    )


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "approval": _word("approval"),
    "risk": _word("risk"),
    "confidence": _word("confidence"),
    "on_failure": _word("on_failure"),
    "retries": _number,
    "timeout_seconds": _seconds,
    "priority": _number,
    "weight": _number,
    "estimate": _estimate,
    "always_run": _truth,
    "expect": _listed,
    "assignees": _listed,
}
