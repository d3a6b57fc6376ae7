"""Judge what came: a usable reply, or the error that says why it is none."""

from __future__ import annotations

import json
from dataclasses import dataclass

from plans.core.errors import ErrorClass, PlannerError, SkillCancelled
from plans.core.jsontypes import Json
from plans.core.model import CallOutcome, Reply
from plans.llm import faults, prices, reading
from plans.llm.came import Came
from plans.llm.question import Question

# `tool_use` is how a forced tool ends; without tools of ours nothing else asks for one
ENDED = frozenset({"end_turn", "stop_sequence", "tool_use"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`reply` or `error`. `again` tells whether asking the same once more may help, after `retry_after` seconds."""

    outcome: CallOutcome
    reply: Reply | None = None
    error: PlannerError | None = None
    again: bool = False
    retry_after: float | None = None

    @property
    def problem(self) -> str:
        return self.error.code if self.error else ""


def judge(question: Question, came: Came) -> Verdict:
    """Return the verdict on one request."""
    if came.raised is not None:
        return Verdict(outcome=CallOutcome.CANCELLED, error=SkillCancelled())
    if came.fault is not None and came.fault.code == "cancelled":
        return Verdict(outcome=CallOutcome.CANCELLED, error=SkillCancelled())
    if came.fault is None:
        came.fault = _ending(question, came)
    if came.fault is not None:
        return _failed(question, came, came.fault)
    return _read(question, came)


def _ending(question: Question, came: Came) -> faults.Fault | None:
    """Return what the stop reason says, None when the message is whole."""
    reason = came.stop_reason
    if reason in ENDED:
        return None
    if reason is None:
        return faults.transient("model_stream_cut")
    if reason == "refusal":
        category = getattr(came.stop_details, "category", None) or ""
        explanation = getattr(came.stop_details, "explanation", None) or ""
        return faults.permanent("model_refused", category=category, explanation=explanation)
    if reason == "max_tokens":
        return faults.permanent("model_out_of_tokens", limit=question.max_tokens)
    if reason == "model_context_window_exceeded":
        return faults.permanent("model_context_full", ErrorClass.BAD_INPUT)
    # pause_turn and compaction belong to tools and betas that are not asked for; others are not known yet
    return faults.permanent("model_stopped_oddly", reason=str(reason))


def _failed(question: Question, came: Came, fault: faults.Fault) -> Verdict:
    error = fault.error()
    if came.text or came.tool_input is not None:
        error.reply = _reply(question, came, None)
    outcomes = {
        "model_refused": CallOutcome.REFUSED,
        "model_out_of_tokens": CallOutcome.CUT,
        "model_stream_cut": CallOutcome.CUT,
    }
    return Verdict(
        outcome=outcomes.get(fault.code, CallOutcome.ERROR),
        error=error,
        again=fault.again,
        retry_after=fault.retry_after,
    )


def _read(question: Question, came: Came) -> Verdict:
    if question.schema is None:
        return Verdict(outcome=CallOutcome.OK, reply=_reply(question, came, None))
    try:
        value = came.tool_input if came.tool_input is not None else reading.json_of(came.text)
    except ValueError as error:
        return _invalid(question, came, [str(error)])
    value, problems = reading.held(value, question.schema)
    if problems:
        return _invalid(question, came, problems)
    return Verdict(outcome=CallOutcome.OK, reply=_reply(question, came, value))


def _invalid(question: Question, came: Came, problems: list[str]) -> Verdict:
    error = faults.permanent("model_reply_invalid", problems="; ".join(problems)).error()
    error.reply = _reply(question, came, None)
    return Verdict(outcome=CallOutcome.INVALID, error=error)


def _reply(question: Question, came: Came, data: Json) -> Reply:
    return Reply(
        text=written(came),
        model=came.model or question.model,
        data=data,
        thinking=came.thinking,
        usage=came.usage,
        usd=prices.cost(question.model, came.usage),
        request_id=came.request_id,
    )


def written(came: Came) -> str:
    """Return what the model wrote, whichever way it came."""
    if came.tool_input is None:
        return came.text
    return json.dumps(came.tool_input, ensure_ascii=False)
