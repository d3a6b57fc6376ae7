"""Planning anew: a plan a person wants changed, the rest of a run that cannot go on, other params for a failed step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plans.core.catalogue import SkillInfo
from plans.core.errors import DraftError
from plans.core.findings import Finding
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose
from plans.core.skill import Expand
from plans.planning.modelled import calendar, material, offering, schemas, wire
from plans.planning.modelled.drafting import system_of
from plans.planning.modelled.judging import Finish, Judged, as_text
from plans.planning.modelled.mending import mended
from plans.planning.modelled.prompts import prompt
from plans.planning.modelled.session import Session

DONE = "done"
"""Stands in the catalogue for whatever made a step that is done."""


def change(session: Session, previous: Mapping[str, Any], comment: str, findings: list[Finding]) -> Judged:
    """Return `previous` as it should be after a person's comment, judged and mended."""
    session.watch.begin("draft")
    system = system_of(session)
    shown = material.as_json(wire.to_wire(previous, session.catalogue), most=100_000)
    opening = prompt(
        "changes",
        goal=session.fenced_goal(),
        comment=material.fenced("comment", comment),
        previous=material.fenced("previous", shown),
        findings=material.fenced("findings", as_text(findings)),
        dates=session.told_dates(),
        files=session.told_files(),
    )
    schema = schemas.plan(list(session.offered))
    messages = [Message(role="user", text=opening)]
    first = session.ask("changes", Purpose.DRAFT, system=system, messages=messages, schema=schema, is_plan=True)
    finish = _keeping(session, previous)
    return mended(session, "changes", first, system=system, opening=opening, schema=schema, finish=finish)


def _keeping(session: Session, previous: Mapping[str, Any]) -> Finish:
    """Return what keeps of the plan before what was not asked about: intent, answers, settings the wire form lacks."""

    def finish(plan: JsonObject) -> JsonObject:
        own = plan.get("intent") or {}
        kept = {**(previous.get("intent") or {}), **{key: value for key, value in own.items() if value}}
        kept["assumptions"] = calendar.added(
            list(kept.get("assumptions") or []), session.dates, session.today, session.zone
        )
        return wire.keep_unsaid({**plan, "goal": session.goal, "intent": kept}, previous)

    return finish


def replan(session: Session, state: Mapping[str, Any]) -> Expand:
    """Return the rest of a run as a plan of new steps, with the findings about it; `notes["is_good"]` tells if it may run.

    `state` is told to the model as it is: `{"done": [{"id", "name", "outputs": {name: kind}, "summary"}], "failure",
    "remaining", "corrections": [], "comment", "milestones": [], "intent": {}}`. What is done is judged as part of the
    plan, so that references to it resolve, and taken out again; `depends_on` of the new steps may name it.
    """
    session.watch.begin("replan")
    session.catalogue = {**session.catalogue, DONE: SkillInfo(name=DONE, free_params=True, hidden=True)}
    system = system_of(session)
    opening = prompt(
        "replan",
        goal=session.fenced_goal(),
        state=material.fenced("state", material.as_json(dict(state), most=40_000)),
        dates=session.told_dates(),
        files=session.told_files(),
    )
    schema = schemas.plan(list(session.offered))
    messages = [Message(role="user", text=opening)]
    first = session.ask("replan", Purpose.REPLAN, system=system, messages=messages, schema=schema, is_plan=True)
    finish = _after(session, state)
    judged = mended(session, "replan", first, system=system, opening=opening, schema=schema, finish=finish)
    return _tail(judged, {str(each["id"]) for each in state.get("done") or []})


def _after(session: Session, state: Mapping[str, Any]) -> Finish:
    """Return what puts the steps that are done before the new ones."""
    done = [
        {"id": each["id"], "name": each.get("name", ""), "skill": DONE, "outputs": each.get("outputs") or {}}
        for each in state.get("done") or []
    ]

    def finish(plan: JsonObject) -> JsonObject:
        intent = {**(state.get("intent") or {}), **(plan.get("intent") or {})}
        known = [dict(each) for each in state.get("milestones") or []]
        milestones = [*known, *(plan.get("milestones") or [])]
        tasks = [*done, *(plan.get("tasks") or [])]
        return {**plan, "goal": session.goal, "intent": intent, "milestones": milestones, "tasks": tasks}

    return finish


def _tail(judged: Judged, done: set[str]) -> Expand:
    plan = judged.plan or {}
    tasks = [task for task in plan.get("tasks") or [] if task["id"] not in done]
    is_good = judged.is_good and bool(tasks) and all(task["skill"] != DONE for task in tasks)
    return Expand(
        plan={**plan, "tasks": tasks} if plan else {},
        findings=tuple(finding for finding in judged.findings if finding.task not in done),
        notes={**judged.notes, "stage": "replan", "is_good": is_good},
        source="replan",
        raw_reply="" if is_good else judged.answer.text,
    )


def arguments(session: Session, params: Mapping[str, Any]) -> Expand:
    """Return other params for a failed step in `notes`: `{"params", "why", "can_be_mended"}`.

    Takes `{"task": the step's spec, "error": {"code", "message", …}, "tried": [params, …], "scope": {name: kind or words}}`.
    Raises DraftError `arguments_unreadable`.
    """
    session.watch.begin("arguments")
    task = dict(params["task"])
    info = session.catalogue.get(task["skill"])
    system = prompt("arguments", skills=offering.described({task["skill"]: info} if info else {}))
    text = prompt(
        "arguments_this",
        goal=session.fenced_goal(),
        task=material.fenced("task", material.as_json(wire.task_to_wire(task, session.catalogue), most=30_000)),
        error=material.fenced("error", material.as_json(params.get("error"), most=6000)),
        tried=material.fenced("tried", material.as_json(params.get("tried") or [], most=20_000)),
        scope=material.fenced("scope", material.as_json(params.get("scope") or {}, most=20_000)),
    )
    messages = [Message(role="user", text=text)]
    answer = session.ask("arguments", Purpose.ARGUMENTS, system=system, messages=messages, schema=schemas.arguments())
    if answer.data is None:
        raise DraftError("arguments_unreadable")
    findings: list[Finding] = []
    found = wire.read_params(list(answer.data.get("params") or []), info, str(task["id"]), findings)
    is_usable = bool(answer.data.get("can_be_mended")) and bool(found) and not findings
    notes: JsonObject = {
        "stage": "arguments",
        "task": task["id"],
        "params": found if is_usable else {},
        "can_be_mended": is_usable and found not in (params.get("tried") or []),
        "why": str(answer.data.get("why") or ""),
    }
    return Expand(plan={}, findings=tuple(findings), notes=notes)
