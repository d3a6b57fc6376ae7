"""What happened to one run, as JSON-ready values in one language: made once, then merged and sent per client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from plans.core.jsontypes import JsonObject

EVENTS_PER_FRAME = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who looks: `decides_all` is true for the owner of the run and for operators."""

    user_id: int
    is_operator: bool = False
    run_id: int | None = None
    decides_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    id: str
    kind: str
    label: str
    task: str
    assignees: frozenset[int]

    def is_for(self, viewer: Viewer) -> bool:
        return viewer.decides_all or viewer.user_id in self.assignees


@dataclass(slots=True, kw_only=True)
class Part:
    """The events `since + 1 … to` of a run and how its rows read after them (or later, never earlier).

    A snapshot has every task and only the last few events. Parts are shared by clients: `merge` never changes its argument.
    """

    since: int
    to: int
    run: JsonObject
    events: list[JsonObject] = field(default_factory=list)
    tasks: dict[str, JsonObject] = field(default_factory=dict)
    open: Sequence[OpenRequest] = ()
    changed: dict[str, JsonObject] = field(default_factory=dict)
    is_snapshot: bool = False

    def after(self, seq: int) -> Part:
        """Return a part of one's own to merge into, without the events up to `seq`."""
        return Part(
            since=max(self.since, seq),
            to=self.to,
            run=self.run,
            events=[event for event in self.events if event["seq"] > seq],
            tasks=dict(self.tasks),
            open=self.open,
            changed=dict(self.changed),
            is_snapshot=self.is_snapshot,
        )

    def merge(self, later: Part) -> None:
        """Take in what came after: events in order and once, the newest reading of everything else."""
        if later.to <= self.to:
            return
        self.events += [event for event in later.events if event["seq"] > self.to]
        self.tasks |= later.tasks
        self.changed |= later.changed
        self.run, self.open, self.to = later.run, later.open, later.to

    def split(self) -> Part | None:
        """Keep the first events a frame may hold and return the rest, or None; rows read the same in both."""
        if self.is_snapshot or len(self.events) <= EVENTS_PER_FRAME:
            return None
        cut = self.events[EVENTS_PER_FRAME - 1]["seq"]
        rest = Part(since=cut, to=self.to, run=self.run, open=self.open, events=self.events[EVENTS_PER_FRAME:])
        self.events, self.to = self.events[:EVENTS_PER_FRAME], cut
        return rest

    def frame(self, viewer: Viewer) -> JsonObject:
        """Return the frame for one client. `from` is the number of its first event; a page that has less asks again."""
        mine = [request for request in self.open if request.is_for(viewer)]
        asked: JsonObject = {
            "open": [{"id": each.id, "kind": each.kind, "label": each.label, "task": each.task} for each in mine],
            "changed": list(self.changed.values()),
        }
        head: JsonObject = {"type": "snapshot"} if self.is_snapshot else {"type": "events", "from": self.since + 1}
        return head | {
            "to": self.to,
            "events": self.events,
            "tasks": list(self.tasks.values()),
            "run": self.run,
            "requests": asked,
            "server_time": server_time(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many requests are open, by who may decide them and by kind: `(user, kind) → n`."""

    total: Mapping[str, int]
    by_owner: Mapping[tuple[int, str], int]
    by_assignee: Mapping[tuple[int, str], int]

    def for_viewer(self, viewer: Viewer) -> Mapping[str, int]:
        """Return the open requests this person may decide, by kind."""
        if viewer.is_operator:
            return self.total
        counts: dict[str, int] = {}
        for rows in (self.by_owner, self.by_assignee):
            for (user_id, kind), n in rows.items():
                if user_id == viewer.user_id:
                    counts[kind] = counts.get(kind, 0) + n
        return counts


def server_time() -> str:
    return datetime.now(UTC).isoformat()
