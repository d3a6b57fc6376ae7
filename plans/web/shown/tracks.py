"""A timeline as HTML and SVG text: positions are percentages in attributes, so no style attribute is needed.

Every text and attribute passes through `escape`.
"""

from __future__ import annotations

from datetime import datetime
from html import escape

from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from plans.web.shown.rows import Link, icon
from plans.web.shown.run import TaskShown
from plans.web.shown.timeaxis import Axis
from plans.web.shown.timeline import Bar, Lane, Timeline

THINNEST = 0.35


def tracks(timeline: Timeline, link: Link, selected: str, now: datetime) -> SafeString:
    """Return the grid: a head with the scale, then a name and a track per step."""
    sprite, axis = static("plans/icons.svg"), timeline.axis
    grid = _grid(axis)
    now_line = ""
    if timeline.now:
        x = f"{axis.x(timeline.now):.3f}%"
        now_line = f'<line class="nowl" x1="{x}" x2="{x}" y1="0" y2="100%"/>'
    parts = ['<div class="gantt">', f'<div class="gl gh">{escape(_("Step"))}</div>', _scale(axis)]
    for head, lanes in timeline.groups:
        if head:
            parts.append(f'<div class="gl grp" dir="auto"><span>{escape(head.name)}</span></div><div class="grp">')
            parts.append(f'<svg class="track" aria-hidden="true">{grid}{now_line}</svg></div>')
        for lane in lanes:
            parts.append(_name(lane.task, link, sprite, selected))
            parts.append(_track(lane, axis, grid + now_line, now))
    return mark_safe("".join([*parts, "</div>"]))  # noqa: S308 -- every text and attribute goes through escape()


def _scale(axis: Axis) -> str:
    ticks = "".join(f'<text x="{tick.x}" dx="5" y="20">{escape(tick.text)}</text>' for tick in axis.ticks())
    idles = "".join(
        f'<g class="idle"><title>{escape(_("Nothing ran for %(time)s") % {"time": idle.text})}</title>'
        f'<rect x="{idle.x}" width="{idle.width}" y="0" height="100%"/>'
        f'<text x="{idle.x}" dx="5" y="20">{escape(_("idle %(time)s") % {"time": idle.text})}</text></g>'
        for idle in axis.idles()
    )
    return f'<div class="gh"><svg class="track" role="img" aria-label="{escape(_("Time scale"))}">{idles}{ticks}</svg></div>'


def _grid(axis: Axis) -> str:
    idles = "".join(
        f'<rect class="idle" x="{idle.x}" width="{idle.width}" y="0" height="100%"/>' for idle in axis.idles()
    )
    return idles + "".join(
        f'<line class="gridl" x1="{tick.x}" x2="{tick.x}" y1="0" y2="100%"/>' for tick in axis.ticks()
    )


def _name(task: TaskShown, link: Link, sprite: str, selected: str) -> str:
    key = escape(task.key)
    current = ' aria-current="true"' if task.key == selected else ""
    return (
        f'<a class="gl {task.state.css}" href="{escape(link(task.key))}" data-task-link="{key}"{current}>'
        f'{icon(sprite, task.state)}<span dir="auto" title="{escape(task.name)}">{escape(task.name)}</span></a>'
    )


def _track(lane: Lane, axis: Axis, ground: str, now: datetime) -> str:
    bars = "".join(_bar(bar, axis, now) for bar in lane.bars)
    said = "; ".join(bar.tip for bar in lane.bars) or str(lane.task.state.word)
    if lane.is_critical:
        said = _("%(text)s. On the critical path") % {"text": said}
    return (
        f'<div class="lane{" is-critical" if lane.is_critical else ""}"><svg class="track" role="img"'
        f' aria-label="{escape(said)}">{ground}{bars}{_under(lane, axis, now)}{_caption(lane, axis, now)}</svg></div>'
    )


def _bar(bar: Bar, axis: Axis, now: datetime) -> str:
    x, width = _place(bar, axis, now)
    kind = "gbar is-wait" if bar.is_wait else "gbar"
    return (
        f'<g class="{bar.css}"><title>{escape(bar.tip)}</title>'
        f'<rect class="{kind}" x="{x:.3f}%" width="{width:.3f}%" y="8" height="14" rx="3"/></g>'
    )


def _place(bar: Bar, axis: Axis, now: datetime) -> tuple[float, float]:
    x = axis.x(bar.start)
    width = max(axis.x(bar.until or now) - x, THINNEST)
    return min(x, 100 - width), width


def _under(lane: Lane, axis: Axis, now: datetime) -> str:
    """Underline the critical path, as long as the step's own time."""
    if not lane.is_critical or not lane.bars:
        return ""
    places = [_place(bar, axis, now) for bar in lane.bars]
    x = min(place[0] for place in places)
    end = max(place[0] + place[1] for place in places)
    return f'<rect class="crit" x="{x:.3f}%" width="{end - x:.3f}%" y="24" height="2.5"/>'


def _caption(lane: Lane, axis: Axis, now: datetime) -> str:
    """Say how long, after the last bar, or before the first where there is no room."""
    if not lane.bars:
        return f'<text class="muted-t" x="0" dx="6" y="20">{escape(str(lane.task.state.word))}</text>'
    places = [_place(bar, axis, now) for bar in lane.bars]
    end = max(place[0] + place[1] for place in places)
    attempts = sum(not bar.is_wait for bar in lane.bars)
    text = lane.task.seconds
    if attempts > 1:
        text = ", ".join(filter(None, [text, _("%(n)s attempts") % {"n": attempts}]))
    if not text:
        text = str(lane.bars[-1].word)
    if end < 86:
        return f'<text x="{end:.3f}%" dx="6" y="19">{escape(text)}</text>'
    start = min(place[0] for place in places)
    if start > 14:
        return f'<text class="is-before" x="{start:.3f}%" dx="-6" y="19">{escape(text)}</text>'
    return ""
