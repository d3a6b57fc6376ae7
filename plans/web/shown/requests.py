"""A request as people decide it: what is asked, exactly what would happen, what each answer leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from plans import queries, tasks
from plans.core.jsontypes import Json
from plans.core.states import RequestKind, RequestState
from plans.models import Request
from plans.web.forms.budget import BudgetForm
from plans.web.forms.decide import CommentForm
from plans.web.forms.question import QuestionForm
from plans.web.shown.costs import usd
from plans.web.shown.failures import Way, ways_of
from plans.web.shown.states import NEEDS, RISKS, Shown, request_state
from plans.web.shown.values import Named, duration, named, named_all, number, readable
from plans.wording import sentence

ITEMS_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShown:
    request: Request
    state: Shown
    needs: str | Promise
    title: str
    text: str = ""
    details: list[Named] = field(default_factory=list)
    undo: str = ""
    risk: str | Promise = ""
    at_deadline: str = ""
    form: QuestionForm | CommentForm | None = None
    ways: list[Way] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.request.state == RequestState.OPEN


def question_form(request: Request, data: Mapping[str, Any] | None = None) -> QuestionForm:
    """Return the form of a question; the prefix keeps several questions on one page apart."""
    return QuestionForm(request.schema or {}, data, prefix=f"q{request.uuid.hex[:12]}")


def budget_form(request: Request, data: Mapping[str, Any] | None = None) -> BudgetForm:
    """Return the form of a budget request; ids keep several requests on one page apart."""
    return BudgetForm(request.content, data, auto_id=f"id_{request.uuid.hex[:12]}_%s")


def _budget_facts(content: Mapping[str, Any]) -> list[Named]:
    """Return what was spent of what, the money and the tokens each where they are limited."""
    facts = []
    if content.get("budget_usd") is not None:
        values = {
            "spent": usd(Decimal(str(content.get("spent_usd") or 0))),
            "budget": usd(Decimal(content["budget_usd"])),
        }
        facts.append(named(_("Money"), _("%(spent)s of %(budget)s spent") % values))
    if content.get("budget_tokens") is not None:
        values = {"spent": number(content.get("spent_tokens") or 0), "budget": number(content["budget_tokens"])}
        facts.append(named(_("Tokens"), _("%(spent)s of %(budget)s used") % values))
    if content.get("budget_seconds") is not None:
        values = {"spent": duration(content.get("elapsed_seconds")), "budget": duration(content["budget_seconds"])}
        facts.append(named(_("Time"), _("%(spent)s of %(budget)s taken") % values))
    return facts


def requests_shown(requests: Sequence[Request], form: QuestionForm | CommentForm | None = None) -> list[RequestShown]:
    """Return requests for display with a fixed number of queries; `form` is what was typed into the only one."""
    failed = [one.task_id for one in requests if one.kind == RequestKind.FAILURE and one.task_id]
    after = queries.waiting_after(failed)
    can_plan = bool(failed) and tasks.has_model()
    return [request_shown(one, form, after=after.get(one.task_id or 0, 0), can_plan=can_plan) for one in requests]


def request_shown(
    request: Request, form: QuestionForm | CommentForm | None = None, *, after: int = 0, can_plan: bool = False
) -> RequestShown:
    """Return one request; `after` is how many steps wait for its step, `can_plan` whether a model is connected."""
    content = request.content
    name = str(request.task) if request.task else str(request.run)
    title, text, details = name, "", []
    if request.kind == RequestKind.QUESTION:
        title, details = str(content.get("text") or name), _context(content.get("context"))
        form = form or question_form(request)
    elif request.kind == RequestKind.TASK_APPROVAL:
        title, details = _("Approve “%(step)s”?") % {"step": name}, effect_shown(content.get("effect") or {})
        form = form or CommentForm(prefix=None, auto_id=f"id_{request.uuid.hex[:12]}_%s")
    elif request.kind == RequestKind.FAILURE:
        error = content.get("error") or {}
        title = _("“%(step)s” did not work") % {"step": name}
        text = sentence(str(error.get("code")), error.get("params"))
        form = form or CommentForm(auto_id=f"id_{request.uuid.hex[:12]}_%s")
    elif request.kind == RequestKind.BUDGET:
        title, details = _("Raise the budget?"), _budget_facts(content)
        text = sentence(str((content.get("error") or {}).get("code")), (content.get("error") or {}).get("params"))
        form = form or budget_form(request)
    elif request.kind == RequestKind.PLAN_APPROVAL:
        title = _("Approve the new plan for the rest?") if content.get("tail") else _("Approve the plan?")
    elif content.get("code"):
        text = sentence(str(content["code"]), content.get("params"))
    return RequestShown(
        request=request,
        state=request_state(request),
        needs=NEEDS[request.kind],
        title=title,
        text=text,
        details=details,
        undo=str((request.task.spec.get("undo") if request.task else None) or ""),
        risk=RISKS.get(content.get("risk") or "", ""),
        at_deadline=_at_deadline(request) if request.deadline_at else "",
        form=form,
        ways=ways_of(request, after, can_plan=can_plan) if request.kind == RequestKind.FAILURE else [],
    )


def _at_deadline(request: Request) -> str:
    """Return what happens when nobody decides in time, as the engine does it."""
    if request.kind == RequestKind.QUESTION and request.default is not None:
        return _("then the answer is: %(answer)s") % {"answer": readable(request.default)}
    return _("then the step is skipped") if request.task else _("then it lapses")


def _context(context: Json) -> list[Named]:
    """Return what a question brings along: named values, or one text."""
    if context in (None, "", [], {}):
        return []
    return named_all(context) if isinstance(context, dict) else [named(_("About this"), context)]


def _items_shown(effect: Mapping[str, Any]) -> list[Named]:
    """Return what is done for the items of a fan-out: how many there are, and the first of them in full."""
    each = effect.get("each") or []
    if not each:
        return []
    rows = [named(_("Done for each of"), number(effect["items"]))]
    rows += [named(_("Item %(n)s") % {"n": n}, params) for n, params in enumerate(each[:ITEMS_SHOWN], 1)]
    left = effect["items"] - ITEMS_SHOWN
    return [*rows, named(_("And"), _("%(n)s more items") % {"n": number(left)})] if left > 0 else rows


def effect_shown(effect: dict[str, Json]) -> list[Named]:
    """Return the exact effect: the skill, each rendered param, the limits."""
    params, limits = effect.get("params"), effect.get("limits")
    rows = named_all(params) if isinstance(params, dict) else []
    if not effect.get("skill"):
        # A milestone does nothing itself: what counts is what its steps have come to.
        return rows
    rows += _items_shown(effect)
    rows.insert(0, named(_("Skill"), f"{effect.get('skill')} ({_('version')} {effect.get('version')})"))
    if isinstance(limits, dict):
        rows.append(named(_("Longest run time"), duration(limits.get("timeout_seconds"))))
        rows.append(named(_("Retries"), limits.get("retries")))
    return rows
