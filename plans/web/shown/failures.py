"""The ways on from a failed step, each with what it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from plans import queries
from plans.engine import rungs
from plans.models import Request, Task

LABELS: dict[str, str | Promise] = {
    "retry": _("Retry"),
    "retry_with_changes": _("Retry with changes"),
    "retry_with_hint": _("Retry with a hint"),
    "mark_done": _("Mark done"),
    "skip": _("Skip"),
    "replan": _("Re-plan"),
    "stop": _("Stop run"),
}
# These need more than a press of a button.
FORMS = frozenset({"retry_with_changes", "retry_with_hint", "mark_done", "replan"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """`key` names the step where the way leads to a form."""

    choice: str
    label: str | Promise
    leads_to: str
    has_form: bool
    key: str

    @property
    def css(self) -> str:
        return {"retry": "primary", "stop": "danger"}.get(self.choice, "")


def ways_of(request: Request, after: int, *, can_plan: bool) -> list[Way]:
    """Return what may be decided about a failed step that waits; `after` is how many steps wait for it."""
    task, content = request.task, request.content
    if task is None:
        return []
    unsure = (content.get("error") or {}).get("code") == "worker_lost_unsure" or not task.idempotent
    return _ways(task, content.get("choices") or [], after, unsure=unsure, can_plan=can_plan)


def ways_of_failed(task: Task) -> list[Way]:
    """Return what may be decided about a step that has failed for good."""
    return _ways(
        task,
        [choice for choice in rungs.choices_of(task) if choice not in {"stop", "replan"}],
        queries.waiting_after([task.pk]).get(task.pk, 0),
        unsure=not task.idempotent,
    )


def _ways(task: Task, choices: Sequence[str], after: int, *, unsure: bool, can_plan: bool = False) -> list[Way]:
    return [
        Way(
            choice=choice,
            label=LABELS[choice],
            leads_to=_leads_to(choice, after, unsure),
            has_form=choice in FORMS,
            key=task.key,
        )
        for choice in choices
        if choice in LABELS and (choice != "replan" or can_plan)
    ]


def _leads_to(choice: str, after: int, unsure: bool) -> str:
    told = str(CONSEQUENCES[choice])
    if choice.startswith("retry") and unsure:
        told += " " + _now("What it does may then happen twice.")
    if choice in {"skip", "mark_done"} and after:
        told += " " + ngettext("%(n)d step after it goes on.", "%(n)d steps after it go on.", after) % {"n": after}
    return told


CONSEQUENCES: dict[str, str | Promise] = {
    "retry": _("The step starts again from its first try."),
    "retry_with_changes": _("You change its parameters first; the plan keeps them as a new revision."),
    "retry_with_hint": _("You write what it should mind; it is told so and starts again."),
    "mark_done": _("You give what it should have made; it counts as done."),
    "skip": _("The step is left out; its outputs are empty and the result has a gap."),
    "replan": _("What has not started is planned anew from what is done; you see the new plan first."),
    "stop": _("The step has failed and everything unfinished is cancelled, but for steps that always run."),
}
