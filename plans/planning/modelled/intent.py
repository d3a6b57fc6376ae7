"""What is wanted: understood before anything is planned; what is open becomes questions, what cannot be is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plans.core.errors import DraftError, ErrorClass, ModelError
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose
from plans.core.names import is_identifier
from plans.core.skill import Ask, Context
from plans.planning.modelled import calendar, material, offering, schemas
from plans.planning.modelled.prompts import prompt
from plans.planning.modelled.session import Answer, Session
from plans.wording import sentence

MOST_ROUNDS = 2
"""Rounds of questions; after them what is still open is assumed."""
MOST_QUESTIONS = 5
MOST_TRIES = 3
ANYTHING_ELSE = "anything_else"
_REFUSALS = {"unsafe": "goal_refused", "no_goal": "goal_is_none"}


class GoalRefused(DraftError):
    """No plan is made, and the reason is said: `said` are the model's words, `missing` the abilities that lack."""

    default_code = "goal_refused"


def understand(session: Session, context: Context) -> JsonObject | Ask:
    """Return the intent as a plan keeps it, with its `size`; or the questions to put first.

    Raises GoalRefused, ModelError.
    """
    asked: list[JsonObject] = []
    for number in range(MOST_ROUNDS + 1):
        session.watch.begin("intent")
        found = _read(session, number, asked)
        _refuse(found)
        questions = [] if number == MOST_ROUNDS else _questions(found, asked)
        if not questions:
            return _intent(session, found, asked)
        key = f"goal{number + 1}"
        if key not in context.answers:
            return _ask(found, questions, key)
        asked += _answered(questions, context.answers[key], number + 1)
    raise AssertionError("the last round asks nothing")


def _read(session: Session, number: int, asked: list[JsonObject]) -> JsonObject:
    """Ask for the intent; an answer that cannot be read goes back, a few times."""
    system = prompt("intent", skills=offering.described(session.offered))
    messages = [Message(role="user", text=_opening(session, asked))]
    for attempt in range(1, MOST_TRIES + 1):
        name = f"intent{number}.{attempt}"
        answer = session.ask(name, Purpose.INTENT, system=system, messages=messages, schema=schemas.intent())
        if answer.data is not None:
            return answer.data
        messages = [messages[0], *_unreadable(answer)]
    # The words are in the ledger; whoever looks at them may try again.
    raise ModelError("intent_unreadable", ErrorClass.NEEDS_PERSON, tries=MOST_TRIES)


def _unreadable(answer: Answer) -> list[Message]:
    problem = " ".join(sentence(finding.code, finding.params) for finding in answer.findings) or "It is no JSON object."
    return [
        Message(role="assistant", text=answer.text or "(nothing)"),
        Message(role="user", text=prompt("unreadable", problem=problem)),
    ]


def _opening(session: Session, asked: list[JsonObject]) -> str:
    parts = [session.fenced_goal(), session.told_dates(), session.told_files()]
    if asked:
        told = [{"question": each["text"], "answer": each["answer"]} for each in asked]
        parts.append("The person has answered. Ask only what the answers leave open and a plan cannot do without.")
        parts.append(material.fenced("answers", material.as_json(told)))
    return "\n\n".join(parts)


def _refuse(found: Mapping[str, Any]) -> None:
    verdict, said = found.get("verdict"), str(found.get("reason") or found.get("summary") or "")
    if verdict in _REFUSALS:
        raise GoalRefused(_REFUSALS[verdict], said=said)
    if verdict == "out_of_reach":
        raise GoalRefused("goal_out_of_reach", said=said, missing=[str(each) for each in found["missing_abilities"]])


def _questions(found: Mapping[str, Any], asked: list[JsonObject]) -> list[JsonObject]:
    """Return what must be asked now; a contradiction is asked about even where the model would go on."""
    wanted = [dict(each) for each in found.get("questions") or [] if str(each.get("text") or "").strip()]
    contradictions = [str(each) for each in found.get("contradictions") or [] if str(each).strip()]
    if contradictions and not wanted and not asked:
        wanted = [{"id": "which", "text": text, "choices": []} for text in contradictions]
    if found.get("verdict") != "ask" and not contradictions:
        return []
    if not wanted and not asked:
        wanted = [{"id": "more", "text": sentence("planning_say_more"), "choices": []}]
    taken = {each["id"] for each in asked}
    return [_named(each, index, taken) for index, each in enumerate(wanted[:MOST_QUESTIONS], 1)]


def _named(question: JsonObject, index: int, taken: set[str]) -> JsonObject:
    """Return the question under a name that expressions can read and no other question has."""
    name = str(question.get("id") or "")
    name = name if is_identifier(name) and name != ANYTHING_ELSE else f"q{index}"
    while name in taken:
        name += "_"
    taken.add(name)
    choices = list(dict.fromkeys(str(each) for each in question.get("choices") or [] if str(each).strip()))
    return {"id": name, "text": str(question["text"]), "choices": choices if len(choices) > 1 else []}


def _ask(found: Mapping[str, Any], questions: list[JsonObject], key: str) -> Ask:
    fields: JsonObject = {}
    for each in questions:
        field: JsonObject = {"type": "string", "title": each["text"], "minLength": 1, "maxLength": 2000}
        fields[each["id"]] = {**field, "enum": each["choices"]} if each["choices"] else field
    fields[ANYTHING_ELSE] = {"type": "string", "title": sentence("planning_anything_else"), "maxLength": 2000}
    schema: JsonObject = {"type": "object", "properties": fields, "required": [each["id"] for each in questions]}
    contradictions = [str(each) for each in found.get("contradictions") or []]
    text = "\n".join(contradictions) or sentence("planning_questions", {"count": len(questions)})
    understood = {"summary": found.get("summary"), "assumptions": found.get("assumptions")}
    return Ask(text=text, schema=schema, key=key, context={name: value for name, value in understood.items() if value})


def _answered(questions: list[JsonObject], answer: Mapping[str, Any], number: int) -> list[JsonObject]:
    answered = [{**each, "answer": answer.get(each["id"])} for each in questions]
    if said := answer.get(ANYTHING_ELSE):
        name = ANYTHING_ELSE if number == 1 else f"{ANYTHING_ELSE}_{number}"
        answered.append({"id": name, "text": sentence("planning_anything_else"), "choices": [], "answer": said})
    return answered


def _intent(session: Session, found: Mapping[str, Any], asked: list[JsonObject]) -> JsonObject:
    assumptions = [str(each) for each in found.get("assumptions") or []]
    return {
        "summary": str(found.get("summary") or ""),
        "domain": str(found.get("domain") or ""),
        "entities": {str(each["name"]): each["value"] for each in found.get("entities") or []},
        "constraints": list(found.get("constraints") or []),
        "expected_output": str(found.get("expected_output") or ""),
        "confidence": found.get("confidence") if found.get("confidence") in schemas.LEVELS else "medium",
        "assumptions": calendar.added(assumptions, session.dates, session.today, session.zone),
        "questions": asked,
        "size": found.get("size"),
    }
