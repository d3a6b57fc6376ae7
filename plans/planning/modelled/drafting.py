"""The draft: a whole plan in one answer, or for a large goal its milestones first and then the steps of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plans.core.findings import Finding
from plans.core.jsontypes import Json, JsonObject
from plans.core.model import Message, Purpose, Tier
from plans.planning import matching, playbooks
from plans.planning.modelled import calendar, material, offering, schemas, wire
from plans.planning.modelled.judging import Finish, Judged
from plans.planning.modelled.mending import mended
from plans.planning.modelled.prompts import prompt
from plans.planning.modelled.session import CUT, Answer, Session

MOST_MILESTONES = 12
# Of the intent, what the draft itself writes again or has no use for.
_NOT_TOLD = ("size", "questions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The texts every draft of one goal is written from."""

    system: str
    slots: Mapping[str, str]

    def opening(self, name: str, **more: str) -> str:
        return prompt(name, **self.slots, **more)


def brief_of(session: Session, intent: Mapping[str, Any]) -> Brief:
    told: JsonObject = {key: value for key, value in intent.items() if key not in _NOT_TOLD}
    told["answers"] = {
        f"answers.{each['id']}": [each["text"], each["answer"]] for each in intent.get("questions") or []
    }
    slots = {
        "goal": session.fenced_goal(),
        "intent": material.fenced("understood", material.as_json(told)),
        "dates": session.told_dates(),
        "files": session.told_files(),
    }
    return Brief(system=f"{system_of(session)}\n\n{_example(session)}", slots=slots)


def system_of(session: Session) -> str:
    """Return what does not change while one goal is planned, so that the endpoint may cache it."""
    skills = f"# Skills\n\n{offering.described(session.offered)}"
    return "\n\n".join([prompt("rules"), prompt("language"), skills])


def _example(session: Session) -> str:
    """Return the plan of the playbook most like the goal, in the form the model writes."""
    playbook = matching.rank(session.goal, {}, playbooks.load_all())[0].playbook
    plan = material.as_json(wire.to_wire(playbook.plan, session.catalogue), most=12_000)
    return f"{prompt('example')}\n\n{material.fenced('example', plan)}"


def finish_with(session: Session, intent: Mapping[str, Any]) -> Finish:
    """Return what completes a written plan: the goal, and the intent with the draft's own assumptions after it."""

    def finish(plan: JsonObject) -> JsonObject:
        own = plan.get("intent") or {}
        assumptions = [*intent.get("assumptions", []), *(own.get("assumptions") or [])]
        kept = {key: value for key, value in intent.items() if key != "size"}
        kept |= {"summary": intent.get("summary") or own.get("summary") or ""}
        kept["assumptions"] = calendar.added(
            list(dict.fromkeys(assumptions)), session.dates, session.today, session.zone
        )
        return {**plan, "goal": session.goal, "intent": kept}

    return finish


def draft(session: Session, intent: Mapping[str, Any]) -> Judged:
    """Write, judge and mend a plan for the goal."""
    brief = brief_of(session, intent)
    opening = brief.opening("draft")
    if intent.get("size") == "large":
        first = _in_two_levels(session, brief)
    else:
        first = _at_once(session, brief, opening)
        if first.data is None and any(finding.code == CUT for finding in first.findings):
            # Too long for one answer: smaller answers are.
            first = _in_two_levels(session, brief)
    schema = schemas.plan(list(session.offered))
    finish = finish_with(session, intent)
    return mended(session, "draft", first, system=brief.system, opening=opening, schema=schema, finish=finish)


def _at_once(session: Session, brief: Brief, opening: str) -> Answer:
    session.watch.begin("draft")
    schema = schemas.plan(list(session.offered))
    messages = [Message(role="user", text=opening)]
    return session.ask("draft", Purpose.DRAFT, system=brief.system, messages=messages, schema=schema, is_plan=True)


def _in_two_levels(session: Session, brief: Brief) -> Answer:
    """Return the whole plan put together from an outline and the steps of each of its milestones."""
    session.watch.begin("milestones")
    messages = [Message(role="user", text=brief.opening("outline"))]
    outline = session.ask(
        "outline",
        Purpose.DRAFT,
        system=brief.system,
        messages=messages,
        schema=schemas.outline(),
        tier=Tier.HARD,
    )
    if outline.data is None:
        return outline
    milestones = [dict(each) for each in outline.data.get("milestones") or [] if isinstance(each, dict)][
        :MOST_MILESTONES
    ]
    whole: JsonObject = {**outline.data, "milestones": [_bare(each) for each in milestones], "tasks": []}
    findings: list[Finding] = list(outline.findings)
    session.watch.begin("draft")
    for milestone in milestones:
        part = _part(session, brief, milestone, milestones, whole["tasks"])
        if part.data is None:
            params = {"name": milestone.get("name") or milestone.get("id")}
            findings += [*part.findings, Finding(code="milestone_not_planned", params=params)]
            continue
        tasks = [dict(each) for each in part.data.get("tasks") or [] if isinstance(each, dict)]
        tasks = [{**each, "milestone": each.get("milestone") or milestone["id"]} for each in tasks]
        whole["tasks"] += _after(tasks, milestone.get("after") or [], whole["tasks"])
        whole["assumptions"] = [*(whole.get("assumptions") or []), *(part.data.get("assumptions") or [])]
        session.watch.before = [str(each.get("name") or each.get("id")) for each in whole["tasks"]]
    session.watch.before = []
    return Answer(text=material.as_json(whole, most=200_000), data=whole, findings=tuple(findings))


def _part(
    session: Session, brief: Brief, milestone: JsonObject, milestones: list[JsonObject], written: list[JsonObject]
) -> Answer:
    known = [{key: each.get(key) for key in ("id", "name", "milestone", "skill", "outputs")} for each in written]
    opening = brief.opening(
        "part",
        milestone=str(milestone["id"]),
        milestones=material.fenced("milestones", material.as_json(milestones, most=20_000)),
        written=material.fenced("written", material.as_json(known, most=30_000)) if known else "None.",
    )
    messages = [Message(role="user", text=opening)]
    schema = schemas.part(list(session.offered))
    name = f"part.{milestone['id']}"
    answer = session.ask(name, Purpose.DRAFT, system=brief.system, messages=messages, schema=schema)
    if answer.data is not None:
        return answer
    said = prompt("unreadable", problem="It was no complete JSON object.")
    messages += [Message(role="assistant", text=answer.text or "(nothing)"), Message(role="user", text=said)]
    return session.ask(f"{name}.again", Purpose.DRAFT, system=brief.system, messages=messages, schema=schema)


def _after(tasks: list[JsonObject], milestones: list[str], written: list[JsonObject]) -> list[JsonObject]:
    """Return the steps so that they come after the milestones the outline names, where no step of them says so itself."""
    for milestone in milestones:
        before = [each for each in written if each.get("milestone") == milestone]
        if before and not _mentions(tasks, {milestone, *_names(before)}):
            own = _names(tasks)
            first = [not each.get("depends_on") and not _mentions(each.get("params"), own) for each in tasks]
            tasks = [
                {**each, "depends_on": [milestone]} if is_first else each
                for each, is_first in zip(tasks, first, strict=True)
            ]
    return tasks


def _names(tasks: list[JsonObject]) -> set[str]:
    """Return the names by which other steps can refer to these."""
    outputs = {str(output.get("name")) for each in tasks for output in each.get("outputs") or []}
    return outputs | {str(each.get("id")) for each in tasks}


def _mentions(value: Json, names: set[str]) -> bool:
    text = json.dumps(value, ensure_ascii=False)
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _bare(milestone: Mapping[str, Any]) -> JsonObject:
    return {key: milestone.get(key) for key in ("id", "name", "parent", "done_when", "approval") if key in milestone}
