"""Canonical JSON and the hashes made of it: one value, one text, one digest."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from plans.core.jsontypes import Json, JsonObject
from plans.core.spec import PlanSpec

_EXACT = 2**53

# What a person may reword, or that only advises: none of it changes what happens.
_TASK_WORDS = frozenset({"name", "description", "expected_output", "estimate"})
_MILESTONE_WORDS = frozenset({"name"})


def canonical(value: Json) -> bytes:
    """Return the canonical JSON text of `value`: sorted keys, no blanks, whole numbers without a fraction (RFC 8785).

    Raises ValueError for NaN and infinity.
    """
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # Lone surrogates are legal in JSON text; they must hash, not crash.
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    # 1 and 1.0 are one number in JSON; an export that went through another program must keep its hash.
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def digest(value: Json) -> str:
    """Return the sha256 of the canonical form, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def graph_hash(plan: PlanSpec) -> str:
    """Return the hash an approval is bound to: everything that decides what runs; names and descriptions are out.

    Defaults are left out, so a field added later does not change the hash of an older plan; the order of tasks and of
    dependencies is no part of it either.
    """
    tasks = [_part(task.model_dump(mode="json", exclude_defaults=True), _TASK_WORDS) for task in plan.tasks]
    rows = [_part(row.model_dump(mode="json", exclude_defaults=True), _MILESTONE_WORDS) for row in plan.milestones]
    checks = [condition.check for condition in plan.preconditions if condition.check]
    return digest(
        {
            "tasks": sorted(tasks, key=canonical),
            "milestones": sorted(rows, key=canonical),
            "result": list(plan.result),
            "checks": checks,
        }
    )


def _part(dumped: JsonObject, words: frozenset[str]) -> JsonObject:
    kept = {key: value for key, value in dumped.items() if key not in words}
    if "depends_on" in kept:
        kept["depends_on"] = sorted(set(kept["depends_on"]))
    if "outputs" in kept:
        # Order decides which output is `result`, and canonical JSON forgets the order of keys.
        kept["outputs"] = [[name, kind] for name, kind in kept["outputs"].items()]
    return kept
