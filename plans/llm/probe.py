"""Find out what an endpoint can: whether it holds to a form by itself, by a forced tool, or only when asked in words."""

from __future__ import annotations

from collections.abc import Callable

from plans.core.errors import ErrorClass, ModelError
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose, Reply
from plans.llm.config import Config, Mode
from plans.llm.question import Question

# The words ask for something else than the form: only an endpoint that holds to the form answers in it.
SYSTEM = "You answer in one short sentence."
WORDS = "Say good morning."
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"greeting": {"type": "string"}, "language": {"type": "string", "enum": ["english", "other"]}},
    "required": ["greeting", "language"],
    "additionalProperties": False,
}
# room for a model that thinks before it says a word
MOST_TOKENS = 2_000
# What an endpoint says about a request of a kind it does not know; anything else is no answer to the question asked.
MEANS_NO = frozenset({ErrorClass.PERMANENT, ErrorClass.BAD_INPUT})
MEANS_NOTHING = frozenset({"model_unknown", "model_not_an_api"})

_known: dict[tuple[str, str], Mode] = {}


def question(purpose: Purpose, model: str, mode: Mode) -> Question:
    """Return a question that costs next to nothing."""
    return Question(
        purpose=purpose,
        model=model,
        system=SYSTEM,
        messages=[Message(role="user", text=WORDS)],
        schema=SCHEMA,
        mode=mode,
        max_tokens=MOST_TOKENS,
    )


def mode_of(config: Config, model: str, ask: Callable[[Question], Reply]) -> Mode:
    """Return how to ask this endpoint for JSON; one nobody knows is asked, once in the life of the process.

    Raises what `ask` raises when the endpoint cannot be asked at all.
    """
    if config.mode is not None:
        return config.mode
    if config.is_claude:
        return Mode.FORMAT
    key = (config.url, model)
    if key not in _known:
        # slots that begin together may each ask: waiting for one another could outlast a deadline
        _known[key] = _find(model, ask)
    return _known[key]


def _find(model: str, ask: Callable[[Question], Reply]) -> Mode:
    for mode in (Mode.FORMAT, Mode.TOOL):
        try:
            ask(question(Purpose.TEST, model, mode))
        except ModelError as error:
            if error.error_class not in MEANS_NO or error.code in MEANS_NOTHING:
                raise
        else:
            return mode
    return Mode.PROMPT
