"""A scripted model behind real HTTP: the Messages API on loopback, told beforehand what to answer.

    def test_it(scripted_model):                       # a running ScriptedModel; its queue must be used up at the end
        scripted_model.say(fault(529), answer({"tasks": []}))          # one reply a call, in this order
        scripted_model.respond(lambda call: answer(PLAN) if call.purpose == "draft" else said("ok"))   # when it is empty

`scripted_model.environment` makes a started process (`site.worker(**scripted_model.environment)`) use it; in this
process the fixture `connected_model` is the same model, connected by settings. `scripted_model.calls` holds what was asked.
"""

from tests.scripted_model.script import (
    Fault,
    Raw,
    Reply,
    Silence,
    answer,
    cut,
    fault,
    out_of_tokens,
    page,
    refusal,
    said,
    silence,
)
from tests.scripted_model.server import Call, ScriptedModel

__all__ = [
    "Call",
    "Fault",
    "Raw",
    "Reply",
    "ScriptedModel",
    "Silence",
    "answer",
    "cut",
    "fault",
    "out_of_tokens",
    "page",
    "refusal",
    "said",
    "silence",
]
