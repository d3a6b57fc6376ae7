"""Drawing + looks -> SVG text. Every text passes through `escape`; no style attribute, no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from urllib.parse import quote

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from plans.core.layout import Box, clip, text_width
from plans.core.states import TaskState
from plans.web.graph.drawing import SUB_ROOM, SUB_SIZE, TITLE_SIZE, Drawing
from plans.web.graph.links import Links
from plans.web.graph.values import LOOK_ORDER, PLANNED, TROUBLED, UNTIL, GraphPlan, Look
from plans.web.shown.values import duration

OFF = frozenset({TaskState.SKIPPED, TaskState.CANCELLED})
BEGUN = frozenset({TaskState.SUCCEEDED, TaskState.FAILED, TaskState.WAITING, UNTIL})
MOVING = frozenset({TaskState.RUNNING, TaskState.RETRYING})
STACK = '<rect class="stack" x="5" y="5" width="226" height="44" rx="8"/>'
NAMED_UPSTREAM = 6
NAME_LENGTH = 80
TIME_GAP = 5


@dataclass(slots=True, kw_only=True)
class SvgBuilder:
    """Builds one SVG; `looks` None: a plan that has no states."""

    plan: GraphPlan
    drawing: Drawing
    looks: Mapping[str, Look] | None
    now: datetime
    links: Links = field(default_factory=Links)
    seq: int = 0
    _full: dict[str, str] = field(default_factory=dict)
    _task_base: str | None = None
    _needs: str = ""
    _needs_nothing: str = ""

    def build(self) -> SafeString:
        self._full = {task.key: task.title for task in self.plan.tasks}
        self._full |= {milestone.key: milestone.title for milestone in self.plan.milestones}
        # translated once, not for each of a thousand nodes
        self._needs, self._needs_nothing = _("Depends on: %(names)s."), _("Depends on nothing.")
        drawing = self.drawing
        size = f"{drawing.width:g} {drawing.height:g}"
        label = escape(_("Task graph. Arrow keys follow dependencies, Enter opens a task."))
        states = {key: self._state(key) for key in drawing.nodes} | {key: self._state(key) for key in drawing.groups}
        kind = "" if self.looks is not None else " is-plan"
        head = (
            f'<svg class="dag{kind}" role="group" aria-label="{label}" viewBox="0 0 {size}" data-box="0 0 {size}"'
            f' width="{drawing.width:g}" height="{drawing.height:g}" data-seq="{self.seq}"'
            f' data-now="{self.now.isoformat()}">'
        )
        parts = [
            head,
            '<g class="boxes">',
            *(_group_box(box) for box in drawing.groups.values()),
            '</g><g class="edges" marker-end="url(#g-arrow)">',
            *self._edges(states),
            '</g><g class="heads">',
            *(self._head(key, box) for key, box in drawing.groups.items()),
            '</g><g class="nodes">',
            *self._nodes(states),
            "</g></svg>",
        ]
        return mark_safe("".join(parts))  # noqa: S308 -- every text and attribute above goes through escape()

    def _state(self, key: str) -> str:
        if key in self.drawing.folded:
            return self._group_state(key)
        look = (self.looks or {}).get(key)
        return look.state if look else PLANNED if self.looks is None else TaskState.PENDING

    def counts(self, keys: Collection[str]) -> Counter[str]:
        """Return how many of these tasks are in each state."""
        looks = self.looks or {}
        return Counter(looks[key].state if key in looks else TaskState.PENDING for key in keys)

    def _group_state(self, key: str) -> str:
        if self.looks is None:
            return PLANNED
        counts = self.counts(self.drawing.members.get(key, ()))
        own = self.looks.get(key)
        if own and own.state in TROUBLED:
            counts[own.state] += 1
        return group_state(counts)

    def _edges(self, states: Mapping[str, str]) -> list[str]:
        return [
            f'<path class="edge{edge_class(states[edge.upstream], states[edge.downstream])}" d="{edge.path}"'
            f' data-from="{escape(edge.upstream)}" data-to="{escape(edge.downstream)}"/>'
            for edge in self.drawing.edges
        ]

    def _head(self, key: str, box: Box) -> str:
        members = self.drawing.members.get(key, ())
        title = self.drawing.titles[key]
        count = self._done(members)
        look = (self.looks or {}).get(key)
        is_troubled = look is not None and look.state in (TaskState.FAILED, TaskState.WAITING)
        word = f"{count} · {look.word}" if look and is_troubled else count
        width = round(text_width(title, TITLE_SIZE) + text_width(word, TITLE_SIZE) + 44)
        label = _("Milestone %(title)s, %(count)s. Fold it.") % {
            "title": self._full[key],
            "count": self._count_words(members),
        }
        return (
            f'<a class="g-head{f" st-{self._state(key)}" if is_troubled else ""}" role="button" aria-expanded="true"'
            f' href="{escape(self.links.fold(key))}" aria-label="{escape(label)}" tabindex="-1"'
            f' data-group="{escape(key)}" data-state="{self._state(key)}"{self._within(key)}'
            f' transform="translate({box.x + 12:g} {box.y + 20:g})"><title>{escape(self._full[key])}</title>'
            f'<rect class="lab" x="-6" y="-16" width="{width}" height="24" rx="6"/>'
            '<path class="chev" d="M0-6l4.500 4.500 4.500-4.500"/>'
            f'<text x="16">{escape(title)}<tspan class="count" dx="7">{escape(word)}</tspan></text></a>'
        )

    def _done(self, members: Collection[str]) -> str:
        if self.looks is None:
            return ngettext("%(n)s step", "%(n)s steps", len(members)) % {"n": len(members)}
        counts = self.counts(members)
        return f"{counts[TaskState.SUCCEEDED] + counts[TaskState.SKIPPED]}/{len(members)}"

    def _count_words(self, members: Collection[str]) -> str:
        if self.looks is None:
            return self._done(members)
        counts = self.counts(members)
        done = counts[TaskState.SUCCEEDED] + counts[TaskState.SKIPPED]
        return _("%(done)s of %(total)s done") % {"done": done, "total": len(members)}

    def _nodes(self, states: Mapping[str, str]) -> list[str]:
        drawing = self.drawing
        stop = self.links.selected if self.links.selected in drawing.nodes else next(iter(drawing.nodes), None)
        tasks = {task.key: task for task in self.plan.tasks}
        parts = []
        for key, box in drawing.nodes.items():
            state = states[key]
            if key in drawing.folded:
                parts.append(self._folded(key, box, state, is_stop=key == stop))
                continue
            look = (self.looks or {}).get(key)
            task = tasks[key]
            icon = "asks" if self.looks is None and task.asks else state
            if look is None:
                text, spoken = escape(clip(task.note, SUB_ROOM, SUB_SIZE)), task.note
            else:
                text, spoken = self._sub(look)
            stack = STACK if task.is_fan_out else ""
            parts.append(
                f'<a class="node st-{state}{" is-sel" if key == self.links.selected else ""}"'
                f' href="{self._task_link(key)}"{self._shared(key, box, state, key == stop, spoken)}'
                f"{stack}{_shape(self._full[key], self.drawing.titles[key], icon, text)}</a>"
            )
        return parts

    def _folded(self, key: str, box: Box, state: str, *, is_stop: bool) -> str:
        """Return a folded milestone: a node with counts that opens it."""
        members = self.drawing.folded[key]
        counts = self.counts(members) if self.looks is not None else Counter()
        steps = ngettext("%(n)s step", "%(n)s steps", len(members)) % {"n": len(members)}
        words = f"{steps}, {self._count_words(members)}" if self.looks is not None else steps
        held = " ".join(f"{name}:{counts[name]}" for name in LOOK_ORDER if counts[name])
        tasks = "" if self.looks is None else escape(_packed({name: self._look_state(name) for name in members}))
        return (
            f'<a class="node is-group st-{state}" href="{escape(self.links.open(key))}" role="button"'
            f' aria-expanded="false" data-group="{escape(key)}" data-counts="{held}" data-tasks="{tasks}"'
            f"{self._shared(key, box, state, is_stop, words)}"
            f"{STACK}{_shape(self._full[key], self.drawing.titles[key], state, escape(clip(words, SUB_ROOM, SUB_SIZE)))}</a>"
        )

    def _look_state(self, key: str) -> str:
        look = (self.looks or {}).get(key)
        return look.state if look else TaskState.PENDING

    def _shared(self, key: str, box: Box, state: str, is_stop: bool, spoken: str) -> str:
        needs = self.drawing.upstream.get(key, ())
        names = [_short(self._full[name]) for name in needs[:NAMED_UPSTREAM]]
        if len(needs) > NAMED_UPSTREAM:
            names.append(_("%(n)s more") % {"n": len(needs) - NAMED_UPSTREAM})
        after = self._needs % {"names": ", ".join(names)} if names else self._needs_nothing
        label = escape(f"{self._full[key]}. {spoken}. {after}")
        return (
            f' data-key="{escape(key)}" data-state="{state}"{self._within(key)} tabindex="{0 if is_stop else -1}"'
            f' aria-label="{label}" transform="translate({box.x:g} {box.y:g})">'
        )

    def _within(self, key: str) -> str:
        inside = self.drawing.parents.get(key)
        return f' data-in="{escape(inside)}"' if inside else ""

    def _task_link(self, key: str) -> str:
        # the part before the key is the same for all: written once
        if self._task_base is None:
            self._task_base = escape(self.links.task(""))
        return self._task_base + quote(key, safe="")

    def _sub(self, look: Look) -> tuple[str, str]:
        """Return the second line of a node as SVG, and as spoken."""
        words = f"{look.word}, {look.note}" if look.note else look.word
        time = duration((self.now - look.since).total_seconds()) if look.since else look.length
        if not time:
            return f'<tspan class="word">{escape(clip(words, SUB_ROOM, SUB_SIZE))}</tspan>', words
        room = SUB_ROOM - text_width(time, SUB_SIZE) - TIME_GAP - 4
        since = f' data-since="{look.since.isoformat()}"' if look.since else ""
        return (
            f'<tspan class="word">{escape(clip(words + ",", room, SUB_SIZE))}</tspan>'
            f'<tspan class="time" dx="{TIME_GAP}"{since}>{escape(time)}</tspan>'
        ), f"{words}, {time}"


def group_state(counts: Mapping[str, int]) -> str:
    """Return the state a folded milestone shows for its tasks: trouble first, then progress, then the quiet ones."""
    here = {state for state, count in counts.items() if count}
    for state in TROUBLED:
        if state in here:
            return state
    if not here:
        return TaskState.PENDING
    if here <= OFF | {TaskState.SUCCEEDED}:
        return TaskState.SUCCEEDED if TaskState.SUCCEEDED in here else min(here)
    if TaskState.SUCCEEDED in here or TaskState.READY in here or UNTIL in here:
        return TaskState.READY
    return TaskState.PENDING


def edge_class(upstream: str, downstream: str) -> str:
    """Return the extra class of an edge, with a leading blank; `states.js` holds the same rule."""
    if downstream in MOVING:
        return " is-active"
    if downstream in OFF or upstream in OFF:
        return " is-off"
    return " is-done" if upstream == TaskState.SUCCEEDED and downstream in BEGUN else ""


def _short(name: str) -> str:
    """Return a name as a list of names can bear it; the whole one is at its own node."""
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"


def _group_box(box: Box) -> str:
    return f'<rect class="g-box" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="12"/>'


def _shape(full: str, title: str, icon: str, sub: str) -> str:
    return (
        f'<title>{escape(full)}</title><rect class="ring" x="-4" y="-4" width="234" height="52" rx="12"/>'
        '<rect class="box" width="226" height="44" rx="8"/>'
        f'<g transform="translate(11 13)"><use class="ico" href="#g-{icon}" width="18" height="18"/></g>'
        f'<text x="38" y="19">{escape(title)}</text><text class="sub" x="38" y="34">{sub}</text>'
    )


def _packed(states: Mapping[str, str]) -> str:
    """Return key and state of hidden tasks for the live module: quoted keys, so blanks and colons are free."""
    return " ".join(f"{quote(key, safe='')}:{state}" for key, state in states.items())
