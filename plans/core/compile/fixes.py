"""Mechanical fixes: what an editor can apply to a task without a person's judgement."""

from __future__ import annotations

from plans.core.jsontypes import Json, JsonObject


def replace(field: str, value: Json, old: Json = None) -> JsonObject:
    """Put `value` in `field`, in the place of `old` where the field holds more than one."""
    return {"action": "replace", "field": field, "old": old, "value": value}


def remove(field: str, value: Json = None) -> JsonObject:
    """Take `value` out of `field`, or the field itself away."""
    return {"action": "remove", "field": field, "value": value}


def add(field: str, value: Json) -> JsonObject:
    """Put `value` into `field`."""
    return {"action": "add", "field": field, "value": value}
