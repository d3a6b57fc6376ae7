"""The graph as a page shows it: what is folded, the SVG, the legend with counts, or why there is no picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from plans.core.errors import GraphError
from plans.core.layout import Folding, default_folding
from plans.core.states import TaskState
from plans.web.graph.drawing import draw, graph_of
from plans.web.graph.links import Links
from plans.web.graph.svg import SvgBuilder
from plans.web.graph.values import LOOK_ORDER, UNTIL, GraphPlan, Look
from plans.web.shown.states import STATES
from plans.wording import sentence

WORDS: dict[str, str | Promise] = {TaskState.WAITING: _("Needs you"), UNTIL: _("Waits until")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendEntry:
    state: str
    word: str | Promise
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphShown:
    """Context of `plans/graph/_graph.html`. `svg` is empty when the page asks first, or when nothing can be drawn.

    `source` is the address that answers with the SVG alone for a query of folds; empty: folding loads the page.
    """

    svg: SafeString
    legend: list[LegendEntry]
    steps: int
    visible: int
    asks: bool
    draw_all: str
    problem: str
    source: str
    has_states: bool


def graph_shown(
    plan: GraphPlan, looks: Mapping[str, Look] | None, *, links: Links, now: datetime, seq: int = 0, source: str = ""
) -> GraphShown:
    """Return what is shown of `plan`; `looks` None for a plan that has no states yet."""
    svg, problem, folding = SafeString(""), "", Folding(folded=frozenset(), visible=0, asks=False)
    try:
        folding = default_folding(graph_of(plan), _states(looks), fold=links.folds, unfold=links.opens)
        if plan.tasks and (links.draws_all or not folding.asks):
            drawing = draw(plan, folding.folded)
            svg = SvgBuilder(plan=plan, drawing=drawing, looks=looks, now=now, links=links, seq=seq).build()
    except GraphError as error:
        problem = sentence(error.code, dict(error.params))
    counts = Counter(_state(looks, task.key) for task in plan.tasks) if looks is not None else Counter()
    return GraphShown(
        svg=svg,
        legend=[LegendEntry(state=state, word=_word(state), n=counts[state]) for state in LOOK_ORDER]
        if looks is not None
        else [],
        steps=len(plan.tasks),
        visible=folding.visible,
        asks=folding.asks and not links.draws_all,
        draw_all=links.draw_all(),
        problem=problem,
        source=source,
        has_states=looks is not None,
    )


def _states(looks: Mapping[str, Look] | None) -> dict[str, TaskState]:
    return {
        key: TaskState.READY if look.state == UNTIL else TaskState(look.state) for key, look in (looks or {}).items()
    }


def _state(looks: Mapping[str, Look], key: str) -> str:
    return looks[key].state if key in looks else TaskState.PENDING.value


def _word(state: str) -> str | Promise:
    return WORDS[state] if state in WORDS else STATES[state].word
