"""Rows as the small JSON values of a frame, in the words of the page: never outputs, params or logs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from plans.core.jsontypes import JsonObject
from plans.core.states import RunState, TaskState
from plans.items import ItemCounts
from plans.models import Event, Request, Run, Task
from plans.web.live.parts import OpenRequest
from plans.web.shown.counts import items_note
from plans.web.shown.events import events_shown
from plans.web.shown.run import is_pausable, is_resumable
from plans.web.shown.states import NEEDS, Shown, request_state, run_state, task_state
from plans.wording import sentence

# A sentence may quote what a person or a model wrote; the whole text is on the page, not in a frame.
LONGEST = 300


def task_json(task: Task, open_kind: str | None, items: ItemCounts | None = None) -> JsonObject:
    """Return a task; absent keys mean nothing to say. `open_kind` is the kind of its open request, `items` a fan-out's."""
    shown = task_state(task, open_kind)
    has_length = task.state != TaskState.SKIPPED
    return {"key": task.key, "state": task.state, **_look(shown)} | _given(
        kind=task.kind,
        reason=task.reason,
        attempt=task.attempt,
        items=items_note(items),
        until=_iso(shown.until),
        started_at=_iso(task.started_at) if has_length else None,
        ended_at=_iso(task.ended_at) if has_length else None,
        error=_error(task.error) if task.state != TaskState.SUCCEEDED else "",
    )


def run_json(run: Run, counts: Mapping[str, int], open_kind: str | None) -> JsonObject:
    """Return a run; `counts` is how many of its steps are in each state, `open_kind` the kind of its first open request."""
    return {
        "state": run.state,
        **_look(run_state(run, open_kind)),
        "left": run.left,
        "done": counts.get(TaskState.SUCCEEDED, 0) + counts.get(TaskState.SKIPPED, 0),
        "total": sum(counts.values()),
        "counts": dict(counts),
        "pausable": is_pausable(run),
        "resumable": is_resumable(run),
        "moves": run.state in {RunState.PLANNING, RunState.RUNNING},
        "is_terminal": run.is_terminal,
        "revision": run.revision.number if run.revision else None,
    } | _given(
        started_at=_iso(run.started_at),
        ended_at=_iso(run.ended_at),
        error=_error(run.error),
    )


def event_json(event: Event, names: Mapping[str, str]) -> JsonObject:
    """Return one line of the history as a sentence; `names` gives task keys their names."""
    shown = events_shown([event], names)[0]
    return {"seq": event.seq, "at": _iso(event.at), "kind": event.kind, "text": _cut(shown.text)} | _given(
        task=event.task_key,
        attempt=event.attempt,
        why=_cut(shown.why),
        actor=shown.actor,
        icon=shown.state.icon if shown.state else "",
        symbol=shown.state.symbol if shown.state else "",
        css=shown.state.css if shown.state else "",
    )


def open_request(request: Request, assignees: frozenset[int]) -> OpenRequest:
    return OpenRequest(
        id=str(request.uuid),
        kind=request.kind,
        label=str(NEEDS[request.kind]),
        task=request.task.key if request.task else "",
        assignees=assignees,
    )


def request_json(request: Request) -> JsonObject:
    """Return what became of a request: state, and who decided what."""
    return {"id": str(request.uuid), "kind": request.kind, "state": request.state} | _given(
        label=str(request_state(request).word),
        decision=request.decision,
        by=request.decided_by.get_username() if request.decided_by else "",
        task=request.task.key if request.task else "",
    )


def _look(shown: Shown) -> JsonObject:
    return {"label": str(shown.word), "icon": shown.icon, "symbol": shown.symbol, "css": shown.css}


def _error(error: Mapping[str, object] | None) -> str:
    if not error or not error.get("code"):
        return ""
    params = error.get("params")
    return _cut(sentence(str(error["code"]), params if isinstance(params, dict) else {}))


def _given(**values: object) -> JsonObject:
    """Return the values that say something: frames are read often and should be short."""
    return {key: value for key, value in values.items() if value not in (None, "", 0)}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
