"""Checks of how a plan is cut: tasks that say too little, hold several steps, or are steps of steps; no milestones."""

from __future__ import annotations

import re

from plans.core.catalogue import AnySkill
from plans.core.compile.draft import Draft
from plans.core.nearest import folded
from plans.core.spec import TaskSpec

MOST_WITHOUT_MILESTONES = 25
_LONG_CHAIN = 4
_SHORT = 12
"""Characters, Chinese ones included, that hold no two steps."""
_LONG_SECONDS = 4 * 3600
_VAGUE = frozenset(
    folded(text)
    for text in (
        "do it", "do this", "do the task", "do task", "do everything", "do the rest", "the rest", "process", "process data",
        "process the data", "process it", "handle", "handle it", "handle data", "handle everything", "work on it", "misc",
        "miscellaneous", "other", "others", "etc", "tbd", "todo", "to be determined", "to do", "various", "stuff", "things",
        "continue", "proceed", "finalize", "finish", "finish up", "complete the task", "complete task", "execute",
        "execute task", "run", "run it", "perform task", "perform the task", "next step", "final step", "analysis", "analyze",
        "处理", "处理数据", "其他", "其它", "待定", "完成任务", "执行", "执行任务", "继续", "做完", "等等", "收尾",
    )
)  # fmt: skip
_OPEN_END = re.compile(r"\b(?:tbd|todo|fixme|xxx)\b|\?\?\?|待定|待补充", re.IGNORECASE)
_THEN = re.compile(
    r"\b(?:and|,)\s+then\b|;\s*then\b|\bafter(?:wards| that)\b|\bfinally\b|\bnext,|然后|接着|随后|最后|之后再",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:^|\s)(?:\d{1,2}[.)、]|step\s+\d{1,2}\b|[-*•])\s*\S", re.IGNORECASE | re.MULTILINE)


def check(draft: Draft) -> None:
    """Add advice about the cut of the plan."""
    if len(draft.tasks) > MOST_WITHOUT_MILESTONES and not draft.milestones:
        draft.say("no_milestones", count=len(draft.tasks), most=MOST_WITHOUT_MILESTONES)
    for task in draft.tasks.values():
        if _is_vague(task):
            draft.say("vague_task", task=task.id, id=task.id, name=task.name or task.description)
        elif _is_coarse(task):
            draft.say("coarse_task", task=task.id, id=task.id, name=task.name or task.description[:80])
    if not isinstance(draft.catalogue, AnySkill):
        _check_fine(draft)


def _is_vague(task: TaskSpec) -> bool:
    """Tell whether nothing in a task says what is to be done: no params, and words that fit any task."""
    if _OPEN_END.search(task.name) or (task.description and _OPEN_END.search(task.description)):
        return True
    words = [] if task.params else [text for text in (task.name, task.description) if text]
    return bool(words) and all(folded(text.strip(" .!。")) in _VAGUE for text in words)


def _is_coarse(task: TaskSpec) -> bool:
    """Tell whether a task names several steps, one after the other: it is one skill call."""
    if task.estimate.seconds is not None and task.estimate.seconds > _LONG_SECONDS:
        return True
    text = f"{task.name}\n{task.description}"
    if len(text) < _SHORT:
        return False
    return len(_THEN.findall(text)) > 1 or len(_NUMBERED.findall(task.description)) > 2


def _check_fine(draft: Draft) -> None:
    """Say where a straight chain of one skill could be fewer calls."""
    down: dict[str, list[str]] = {name: [] for name in draft.tasks}
    for name, ups in draft.upstream.items():
        for up in ups:
            down[up].append(name)

    def follows(name: str) -> str | None:
        """Return the only task after `name` when it waits for nothing else and uses the same skill."""
        after = down[name]
        if len(after) != 1 or len(draft.upstream[after[0]]) != 1:
            return None
        return after[0] if draft.tasks[after[0]].skill == draft.tasks[name].skill else None

    inner = {after for name in draft.tasks if (after := follows(name))}
    for name in draft.tasks:
        if name in inner:
            continue
        chain = [name]
        while (after := follows(chain[-1])) and len(chain) <= len(draft.tasks):
            chain.append(after)
        if len(chain) >= _LONG_CHAIN:
            draft.say("fine_tasks", task=name, tasks=chain[:10], count=len(chain), skill=draft.tasks[name].skill)
