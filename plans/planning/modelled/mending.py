"""Ask, judge, and let the model mend what is wrong: three rounds at most, and never the same answer twice."""

from __future__ import annotations

from dataclasses import replace

from plans.core.errors import ErrorClass, ModelError
from plans.core.findings import Finding, Severity
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose
from plans.planning.modelled import material
from plans.planning.modelled.judging import Finish, Judged, as_text, fingerprint, judge
from plans.planning.modelled.prompts import prompt
from plans.planning.modelled.session import Answer, Session
from plans.wording import sentence

MOST_ROUNDS = 3
# Troubles that pass, or that a person mends, are the failure ladder's: the work goes on from its checkpoint later.
_OF_THE_LADDER = frozenset({ErrorClass.TRANSIENT, ErrorClass.TIMEOUT, ErrorClass.NEEDS_PERSON, ErrorClass.BUDGET})


def mended(
    session: Session, name: str, first: Answer, *, system: str, opening: str, schema: JsonObject, finish: Finish
) -> Judged:
    """Return the best of the first answer and up to three mended ones; why it is no better stands in its findings."""
    best = last = judge(session, first, finish)
    seen = {fingerprint(first)}
    for number in range(1, MOST_ROUNDS + 1):
        if best.is_good:
            return best
        session.watch.begin("repair")
        messages = [Message(role="user", text=opening), *_again(last)]
        try:
            answer = session.ask(
                f"{name}.repair{number}", Purpose.REPAIR, system=system, messages=messages, schema=schema, is_plan=True
            )
        except ModelError as error:
            if error.error_class in _OF_THE_LADDER:
                raise
            return _noted(best, Finding(code=error.code, severity=Severity.WARNING, params=dict(error.params)))
        if fingerprint(answer) in seen:
            return _noted(best, Finding(code="same_reply_twice", severity=Severity.INFO, params={"rounds": number}))
        seen.add(fingerprint(answer))
        last = judge(session, answer, finish)
        best = min(last, best, key=lambda judged: judged.rank)
    if best.is_good:
        return best
    return _noted(best, Finding(code="repair_gave_up", severity=Severity.INFO, params={"rounds": MOST_ROUNDS}))


def _again(judged: Judged) -> list[Message]:
    """Return the turns that hand an answer back with what is wrong with it."""
    written = judged.answer.text or "(nothing)"
    if judged.answer.data is None:
        problem = " ".join(sentence(finding.code, finding.params) for finding in judged.findings)
        said = prompt("unreadable", problem=problem)
    else:
        said = prompt("repair", findings=material.fenced("findings", as_text(judged.findings)))
    return [Message(role="assistant", text=written), Message(role="user", text=said)]


def _noted(judged: Judged, finding: Finding) -> Judged:
    return replace(judged, findings=[*judged.findings, finding])
