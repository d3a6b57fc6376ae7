"""One request as the API takes it: by the mode of the endpoint, with nothing an endpoint might not know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plans.core import tokens
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Purpose, Usage
from plans.llm.config import Config, Mode
from plans.llm.schema import for_wire

TOOL = "answer"
TOOL_SAYS = "Give the whole answer in this form."
ASK_FOR_JSON = (
    "Answer with one JSON value and nothing else: no explanation, no code fence. It must hold to this JSON Schema:\n"
)
# what the wire adds to each message
MESSAGE_TOKENS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. `mode` is None without a schema."""

    purpose: Purpose
    model: str
    system: str
    messages: Sequence[Message]
    schema: JsonObject | None = None
    mode: Mode | None = None
    max_tokens: int
    effort: str | None = None
    reuse: bool = False

    @property
    def most(self) -> Usage:
        """The most tokens the call can take, by our own estimate."""
        written = json.dumps(self.schema, ensure_ascii=False) if self.schema else ""
        texts = [self.system, written, *(message.text for message in self.messages)]
        return Usage(
            input_tokens=sum(tokens.estimate(text) + MESSAGE_TOKENS for text in texts), output_tokens=self.max_tokens
        )


def arguments(config: Config, question: Question) -> dict[str, Any]:
    """Return the arguments of `messages.stream`."""
    adaptive = config.is_adaptive(question.model)
    made: dict[str, Any] = {
        "model": question.model,
        "max_tokens": question.max_tokens,
        "messages": [{"role": message.role, "content": message.text} for message in question.messages],
    }
    output: dict[str, Any] = {}
    system = question.system
    mode, wire = question.mode, None
    if question.schema is not None and mode == Mode.FORMAT:
        # what no grammar can say is asked for in words
        wire = for_wire(question.schema)
        mode = mode if wire is not None else Mode.PROMPT
    if wire is not None:
        output["format"] = {"type": "json_schema", "schema": wire}
    elif mode == Mode.TOOL:
        made["tools"] = [{"name": TOOL, "description": TOOL_SAYS, "input_schema": question.schema}]
        made["tool_choice"] = {"type": "tool", "name": TOOL}
    elif mode == Mode.PROMPT:
        system = f"{system}\n\n{ASK_FOR_JSON}{json.dumps(question.schema, ensure_ascii=False)}".strip()
    if adaptive:
        made["thinking"] = {"type": "adaptive", "display": "summarized"}
        if question.effort:
            output["effort"] = question.effort
    if output:
        made["output_config"] = output
    if system:
        made["system"] = _system(config, system)
    return made


def _system(config: Config, text: str) -> Any:
    if not config.is_claude:
        return text
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]
