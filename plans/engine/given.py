"""Outputs that a person gives in place of a step's own: checked against what the step declares, kept like its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plans.core.bind import bind_outputs
from plans.core.errors import CheckFailed, InputError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import EventKind, ValueKind
from plans.core.states import TaskState
from plans.core.values import ArtifactRef
from plans.engine import artifacts
from plans.engine import outputs as outs
from plans.engine.settle import Changes
from plans.models import Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def declared(task: Task) -> dict[str, ValueKind]:
    """Return the outputs a person may give for `task`; those of a fan-out are lists."""
    found = {name: ValueKind(kind) for name, kind in task.spec.get("outputs", {}).items()}
    return dict.fromkeys(found, ValueKind.LIST) if task.spec.get("for_each") is not None else found


def typed(task: Task, outputs: Mapping[str, Json], by: User, files: Mapping[str, ArtifactRef]) -> JsonObject:
    """Return `outputs` as the row keeps them; what is left out or null is null, as after a skip.

    Raises InputError `output_unknown` (name, known), `output_invalid` (name, wanted, came), `output_not_json` (reason),
    `file_not_yours`.
    """
    kinds = declared(task)
    both: dict[str, Any] = {**outputs, **files}
    if unknown := [name for name in both if name not in kinds]:
        raise InputError("output_unknown", name=unknown[0], known=", ".join(kinds))
    artifacts.check_refs(dict(outputs), task.run, by)
    there = {name: kind for name, kind in kinds.items() if both.get(name) is not None}
    try:
        bound, _ = bind_outputs(there, {name: both[name] for name in there}) if there else ({}, [])
        return outs.pack({**dict.fromkeys(kinds), **bound}, kinds)
    except CheckFailed as error:
        raise InputError("output_invalid", **error.params) from error
    except ValueError as error:
        raise InputError("output_not_json", reason=str(error)) from error


def take(changes: Changes, task: Task, values: JsonObject, by: User) -> None:
    """End `task` as done with `values`, within the caller's transaction."""
    kept = values or None
    if changes.end(task, TaskState.SUCCEEDED, outputs=kept, error=None, checkpoint=None, ready_at=None):
        say(changes, task, values, by)


def say(changes: Changes, task: Task, values: JsonObject, by: User) -> None:
    """Write down that a person gave what `task` should have made."""
    changes.say(EventKind.TASK_SUCCEEDED, task, actor_id=by.pk, given=True)
    artifacts.keep(task, outs.refs(values))
