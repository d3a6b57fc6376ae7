"""What differs between two revisions of a plan, as codes and params; `plans.wording.changes` makes the sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from plans.core.jsontypes import JsonObject
from plans.core.spec import PlanSpec

ChangeKind = Literal["added", "removed", "changed"]

# What a step's row says by itself, each in a sentence of its own; `params` and `outputs` are told name by name.
STEP_FIELDS = (
    "name", "description", "skill", "expected_output", "milestone", "run_if", "for_each", "expect", "on_failure",
    "fallback_skill", "fallback_value", "retries", "timeout_seconds", "approval", "assignees", "risk", "confidence",
    "priority", "pool", "weight", "estimate", "always_run", "undo",
)  # fmt: skip
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference. `step` is the id of the step it is about, empty for the plan as a whole."""

    code: str
    kind: ChangeKind
    step: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """Return what differs, in the order of the newer plan: the plan's own words first, then its steps.

    Both are plans as revisions keep them; a default that one of them leaves out is no difference.
    """
    old, new = _whole(before), _whole(now)
    return [*_plan(old, new), *_milestones(old, new), *_steps(old, new)]


def _whole(plan: Mapping[str, Any]) -> JsonObject:
    return PlanSpec.model_validate(plan).model_dump(mode="json", by_alias=True)


def _plan(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    old, new = before.get("intent") or {}, now.get("intent") or {}
    yield from _listed("assumption", old.get("assumptions"), new.get("assumptions"))
    for name in ("summary", "expected_output"):
        if (old.get(name) or "") != (new.get(name) or ""):
            yield Change(code=f"change_{name}", kind="changed", params={"now": new.get(name) or ""})
    for name in ("goal", "rollback"):
        if (before.get(name) or "") != (now.get(name) or ""):
            yield Change(code=f"change_{name}", kind="changed", params={"now": now.get(name) or ""})
    if (before.get("result") or []) != (now.get("result") or []):
        yield Change(code="change_result", kind="changed", params={"now": list(now.get("result") or [])})
    yield from _listed("risk", before.get("risks"), now.get("risks"))
    needs = [[row.get("text", "") for row in plan.get("preconditions") or []] for plan in (before, now)]
    yield from _listed("precondition", *needs)


def _listed(what: str, before: Any, now: Any) -> Iterator[Change]:
    """Tell texts that came and went; one that went where another came is a rewording."""
    old, new = list(before or []), list(now or [])
    gone, come = [text for text in old if text not in new], [text for text in new if text not in old]
    if len(old) == len(new) and len(gone) == len(come):
        for was, text in zip(gone, come, strict=True):
            yield Change(code=f"change_{what}", kind="changed", params={"before": was, "now": text})
        return
    for text in gone:
        yield Change(code=f"change_{what}_removed", kind="removed", params={"text": text})
    for text in come:
        yield Change(code=f"change_{what}_added", kind="added", params={"text": text})


def _milestones(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    old, new = _by_id(before.get("milestones")), _by_id(now.get("milestones"))
    for key, row in new.items():
        if key not in old:
            yield Change(code="change_milestone_added", kind="added", params={"name": _name(row)})
        elif old[key] != row:
            yield Change(code="change_milestone", kind="changed", params={"name": _name(row)})
    for key, row in old.items():
        if key not in new:
            yield Change(code="change_milestone_removed", kind="removed", params={"name": _name(row)})


def _steps(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    old, new = _by_id(before.get("tasks")), _by_id(now.get("tasks"))
    names = {key: _name(row) for key, row in {**old, **new}.items()}
    for key, row in new.items():
        if key not in old:
            params = {"step": names[key], "skill": row.get("skill", "")}
            yield Change(code="change_step_added", kind="added", step=key, params=params)
        else:
            yield from _step(key, old[key], row, names)
    for key in old:
        if key not in new:
            yield Change(code="change_step_removed", kind="removed", step=key, params={"step": names[key]})
    if [key for key in old if key in new] != [key for key in new if key in old]:
        yield Change(code="change_order", kind="changed")


def _step(key: str, old: JsonObject, new: JsonObject, names: Mapping[str, str]) -> Iterator[Change]:
    about = {"step": names[key]}
    for name in STEP_FIELDS:
        was, now = _given(old.get(name)), _given(new.get(name))
        if was != now:
            params = {**about, "field": name, "before": was, "now": now}
            yield Change(code="change_step_field", kind="changed", step=key, params=params)
    for name in ("params", "outputs"):
        yield from _named(key, f"change_step_{name[:-1]}", old.get(name) or {}, new.get(name) or {}, about)
    waited, waits = (list(dict.fromkeys(row.get("depends_on") or [])) for row in (old, new))
    if set(waited) != set(waits):
        after = [names.get(up, up) for up in waits]
        yield Change(code="change_step_after", kind="changed", step=key, params={**about, "after": after})


def _named(key: str, code: str, old: JsonObject, new: JsonObject, about: JsonObject) -> Iterator[Change]:
    for name in [*new, *(name for name in old if name not in new)]:
        if name in old and name in new and old[name] == new[name]:
            continue
        params = {**about, "name": name, "before": old.get(name), "now": new.get(name)}
        kind: ChangeKind = "added" if name not in old else "removed" if name not in new else "changed"
        ending = "" if kind == "changed" else f"_{kind}"
        yield Change(code=code + ending, kind=kind, step=key, params=params)


def _given(value: Any) -> Any:
    """Return None for every way of leaving a field empty: a default written out is no change."""
    if isinstance(value, dict) and all(inner is None for inner in value.values()):
        return None
    return None if value in EMPTY else value


def _by_id(rows: Any) -> dict[str, JsonObject]:
    return {str(row["id"]): row for row in rows or [] if isinstance(row, dict) and "id" in row}


def _name(row: Mapping[str, Any]) -> str:
    return str(row.get("name") or row["id"])
