"""The task list as HTML text, written without the template engine: a thousand rows cost it too much.

Every text and attribute passes through `escape`; runpage.js writes states into the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from html import escape

from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from plans.core.states import TaskState
from plans.web.shown.run import Group, TaskShown
from plans.web.shown.states import Shown

Link = Callable[[str], str]


def task_list(groups: Sequence[Group], link: Link, selected: str) -> SafeString:
    """Return the groups as headings and lists of links; `link` gives the address that opens a task's panel."""
    sprite = static("plans/icons.svg")
    words: dict[int, str] = {}
    parts: list[str] = []
    for group in groups:
        if group.head:
            parts.append(_head(group.head, link, sprite, words))
        elif len(groups) > 1:
            parts.append(f'<h3 class="grp-row">{escape(_("Without a milestone"))}</h3>')
        parts.append('<ol class="slist">')
        parts += [_row(task, link, sprite, selected, words) for task in group.tasks]
        parts.append("</ol>")
    return mark_safe("".join(parts))  # noqa: S308 -- every text and attribute goes through escape()


def icon(sprite: str, shown: Shown) -> str:
    """Return a state's drawing; live pages set its `href` anew."""
    return f'<svg class="i" aria-hidden="true"><use data-use href="{sprite}#{shown.symbol}"/></svg>'


def moment(at: datetime) -> str:
    """Return a time: UTC without JavaScript, the viewer's zone with it."""
    return f'<time datetime="{at.isoformat()}" data-local>{at:%Y-%m-%d %H:%M:%S} UTC</time>'


def state_word(shown: Shown, words: dict[int, str]) -> str:
    """Return the word of a state; `words` keeps each translated one for the other rows of this page."""
    word = words.get(id(shown.word))
    if word is None:
        word = words[id(shown.word)] = escape(str(shown.word))
    until = f" {moment(shown.until)}" if shown.until else ""
    return f"<span data-state-word>{word}{until}</span>"


def attempt_note(attempt: int) -> str:
    text = escape(_("attempt %(n)s") % {"n": attempt}) if attempt > 1 else ""
    return f"<span data-attempt{'' if text else ' hidden'}>{text}</span>"


def items_note(note: str) -> str:
    """Return how far the items of a fan-out are."""
    return f"<span data-items{'' if note else ' hidden'}>{escape(note)}</span>"


def elapsed(task: TaskShown) -> str:
    """Return how long a task took; a running one ticks from the server's time."""
    row = task.task
    start = row.started_at.isoformat() if row.started_at and row.state != TaskState.SKIPPED else ""
    end = f' data-ended-at="{row.ended_at.isoformat()}"' if row.ended_at and start else ""
    return f'<span class="sum" data-elapsed data-started-at="{start}"{end}>{escape(task.seconds)}</span>'


def _head(head: TaskShown, link: Link, sprite: str, words: dict[int, str]) -> str:
    key = escape(head.key)
    return (
        f'<h3 class="grp-row {head.state.css}" data-task-row data-key="{key}" data-state="{head.task.state}">'
        f'<a href="{escape(link(head.key))}" dir="auto" data-task-link="{key}">{escape(head.name)}</a>'
        f'<small class="word">{icon(sprite, head.state)}{state_word(head.state, words)}</small></h3>'
    )


def _row(task: TaskShown, link: Link, sprite: str, selected: str, words: dict[int, str]) -> str:
    key = escape(task.key)
    current = ' aria-current="true"' if task.key == selected else ""
    why = f'<small class="why" data-why dir="auto"{"" if task.error else " hidden"}>{escape(task.error)}</small>'
    word = f"{state_word(task.state, words)}{attempt_note(task.attempt)}{items_note(task.note)}"
    return (
        f'<li><a class="srow {task.state.css}" data-task-row data-task-link="{key}" data-key="{key}"'
        f' data-state="{task.task.state}" href="{escape(link(task.key))}"{current}>'
        f'{icon(sprite, task.state)}<span class="what"><b dir="auto">{escape(task.name)}</b>'
        f'<small class="word">{word}</small>{why}</span>'
        f"{elapsed(task)}</a></li>"
    )
