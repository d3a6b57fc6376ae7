"""Events as sentences: who did what to which step, and why; filtered by groups of kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import EventKind
from plans.models import Event
from plans.web.shown.states import NEEDS, REASONS, STATES, Shown
from plans.wording import sentence

PROBLEMS = [
    EventKind.TASK_FAILED,
    EventKind.TASK_RETRYING,
    EventKind.TASK_LOST,
    EventKind.TASK_INTERRUPTED,
    EventKind.TASK_CORRECTED,
    EventKind.RUN_FAILED,
    EventKind.RUN_STUCK,
    EventKind.PLAN_FAILED,
    EventKind.REQUEST_EXPIRED,
]
FILTERS: dict[str, str | Promise] = {
    "problem": _("Problems"),
    "request": _("Decisions"),
    "task": _("Steps"),
    "run": _("Run"),
    "plan": _("Plan"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventShown:
    seq: int
    at: datetime
    kind: str
    task_key: str
    text: str
    why: str
    actor: str
    state: Shown | None


def kinds_wanted(names: Sequence[str]) -> Q | None:
    """Return the condition of the chosen filters, None for all events."""
    chosen = [name for name in names if name in FILTERS]
    if not chosen:
        return None
    wanted = Q()
    for name in chosen:
        wanted |= Q(kind__in=PROBLEMS) if name == "problem" else Q(kind__startswith=name)
    return wanted


def events_shown(events: Sequence[Event], names: Mapping[str, str]) -> list[EventShown]:
    """Return `events` for display; `names` gives each task key its name."""
    return [_shown(event, names) for event in events]


def _shown(event: Event, names: Mapping[str, str]) -> EventShown:
    data = dict(event.data or {})
    params = {**data, "task": names.get(event.task_key, event.task_key), "attempt": event.attempt}
    if event.kind == EventKind.TASKS_READY:
        params["keys"] = [names.get(key, key) for key in data.get("keys", [])]
    return EventShown(
        seq=event.seq,
        at=event.at,
        kind=event.kind,
        task_key=event.task_key,
        text=sentence(event.kind, params),
        why=_why(data),
        actor=event.actor.get_username() if event.actor else "",
        state=STATES.get(event.kind.partition(".")[2]),
    )


def _why(data: Mapping[str, Any]) -> str:
    """Return the reason an event carries: an error's sentence, a skip's words, what is needed, a comment."""
    error = data.get("error") if isinstance(data.get("error"), dict) else data
    if isinstance(error, dict) and error.get("code"):
        return sentence(str(error["code"]), error.get("params") or {})
    for words, key in ((REASONS, "reason"), (NEEDS, "kind"), (NEEDS, "why")):
        if data.get(key) in words:
            return str(words[data[key]])
    return str(data.get("comment") or "")
