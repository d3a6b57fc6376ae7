"""How JSON is asked for, by endpoint; and that an endpoint which is not Claude is sent nothing it may not know."""

from __future__ import annotations

from typing import Any

import pytest

from plans.core.errors import ModelError
from plans.core.model import Message, Purpose, Tier
from plans.llm import probe
from plans.llm.config import Config, Mode
from plans.llm.question import Question, arguments
from plans.llm.schema import for_wire
from tests.llm.asking import GOOD, MODELS, SCHEMA, Asking
from tests.scripted_model import Call, ScriptedModel, answer, fault, said
from tests.scripted_model.script import Step

GREETING = {"greeting": "good morning", "language": "english"}


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    probe._known.clear()


def body(config: Config, **more: Any) -> dict[str, Any]:
    values = {"purpose": Purpose.DRAFT, "system": "rules", "messages": [Message(role="user", text="go")]}
    return arguments(config, Question(**values | {"model": "claude-sonnet-5-5", "max_tokens": 100} | more))


def test_claude_gets_a_format_thinking_and_a_cache_mark():
    made = body(Config(models=MODELS, api_key="k"), schema=SCHEMA, mode=Mode.FORMAT, effort="low")
    wire = {**SCHEMA, "properties": {**SCHEMA["properties"], "count": {"type": "integer"}}}
    assert made["output_config"] == {"format": {"type": "json_schema", "schema": wire}, "effort": "low"}
    assert made["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert made["system"] == [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}]
    assert "tool_choice" not in made


def test_an_older_claude_gets_no_thinking_it_does_not_know():
    made = body(Config(models=MODELS, api_key="k"), model="claude-haiku-4-5", effort="low")
    assert "thinking" not in made
    assert "output_config" not in made


@pytest.mark.parametrize("mode", list(Mode))
def test_another_endpoint_gets_nothing_of_claudes_own(mode: Mode):
    made = body(Config(models=MODELS, base_url="http://127.0.0.1:1"), schema=SCHEMA, mode=mode, effort="high")
    assert "thinking" not in made
    assert "effort" not in made.get("output_config", {})
    assert "cache_control" not in str(made)
    assert isinstance(made["system"], str)


def test_a_tool_is_forced_with_the_whole_schema():
    made = body(Config(models=MODELS, base_url="http://127.0.0.1:1"), schema=SCHEMA, mode=Mode.TOOL)
    assert made["tools"][0]["input_schema"] == SCHEMA
    assert made["tool_choice"] == {"type": "tool", "name": "answer"}


def test_words_carry_the_schema():
    made = body(Config(models=MODELS, base_url="http://127.0.0.1:1"), schema=SCHEMA, mode=Mode.PROMPT)
    assert '"minimum": 1' in made["system"]
    assert made["system"].startswith("rules")
    assert not made.keys() & {"tools", "output_config"}


@pytest.mark.parametrize("mode", list(Mode))
def test_a_reply_is_read_in_every_mode(scripted_model: ScriptedModel, mode: Mode):
    scripted_model.say(answer(GOOD))
    assert Asking(scripted_model, settings={"mode": mode}).ask().data == GOOD


@pytest.mark.parametrize(
    "text",
    [
        '{"colour": "Red", "count": 2}',
        '```json\n{"colour": "Red", "count": 2}\n```',
        '<think>{"colour": "Blue"}</think>\nHere you are: {"colour": "Red", "count": 2} Anything else?',
        'Sure!\n```\n{"colour": "Red", "count": 2}\n```\nBye.',
    ],
)
def test_json_is_found_in_what_a_talkative_model_writes(scripted_model: ScriptedModel, text: str):
    scripted_model.say(said(text))
    assert Asking(scripted_model, settings={"mode": Mode.PROMPT}).ask().data == GOOD


def endpoint(*can: Mode) -> Any:
    """Return a responder that holds to the form in the modes it can, and else talks."""

    def respond(call: Call) -> Step:
        asked = Mode.TOOL if call.body.get("tools") else Mode.FORMAT if call.schema else Mode.PROMPT
        if asked == Mode.PROMPT:
            return answer(GOOD)
        if asked not in can:
            return said("Good morning!")
        return answer(GREETING if "greeting" in call.schema["properties"] else GOOD)

    return respond


@pytest.mark.parametrize(
    ("can", "calls", "mode"),
    [((Mode.FORMAT,), 1, Mode.FORMAT), ((Mode.TOOL,), 2, Mode.TOOL), ((), 2, Mode.PROMPT)],
)
def test_an_unknown_endpoint_is_asked_once_what_it_can(
    scripted_model: ScriptedModel, can: tuple[Mode, ...], calls: int, mode: Mode
):
    scripted_model.respond(endpoint(*can))
    asking = Asking(scripted_model, settings={"mode": None})
    assert asking.ask().data == GOOD
    assert asking.ask().data == GOOD
    assert [call.purpose for call in scripted_model.calls] == ["test"] * calls + ["draft", "draft"]
    assert probe._known == {(scripted_model.url, "claude-sonnet-5-5"): mode}
    assert len(asking.ledger.ended) == calls + 2


def test_an_endpoint_that_refuses_a_form_is_asked_another_way(scripted_model: ScriptedModel):
    scripted_model.say(fault(400, "unknown field output_config"), fault(422, "no tools here"), answer(GOOD))
    assert Asking(scripted_model, settings={"mode": None}).ask().data == GOOD


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_a_key_or_a_name_is_refused_for_says_nothing_about_the_mode(scripted_model: ScriptedModel, status: int):
    scripted_model.say(fault(status, "no"))
    with pytest.raises(ModelError):
        Asking(scripted_model, settings={"mode": None}).ask()
    assert probe._known == {}


def test_the_key_goes_out_in_the_ways_endpoints_read_it(scripted_model: ScriptedModel):
    scripted_model.say(answer(GOOD))
    Asking(scripted_model).ask()
    headers = scripted_model.calls[0].headers
    assert headers["authorization"] == "Bearer sk-test-0123456789abcdef"
    assert headers["x-api-key"] == "sk-test-0123456789abcdef"


@pytest.mark.parametrize(
    ("config", "connected", "claude"),
    [
        ({}, False, True),
        ({"api_key": "k"}, True, True),
        ({"base_url": "http://127.0.0.1:8080"}, True, False),
        ({"base_url": "https://api.anthropic.com/"}, False, True),
        ({"base_url": "https://anthropic.com.example.test"}, True, False),
    ],
)
def test_an_endpoint_of_ones_own_needs_no_key(config: dict[str, str], connected: bool, claude: bool):
    made = Config(models=MODELS, **config)
    assert (made.is_connected, made.is_claude) == (connected, claude)
    assert Tier.PLAN in made.models


def test_a_config_does_not_show_its_key():
    assert "secret-value" not in repr(Config(models=MODELS, api_key="secret-value"))


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "wire"),
    [
        (OBJECT, {**OBJECT, "additionalProperties": False}),
        (
            {"type": "object", "properties": {"a": {"type": ["string", "null"], "maxLength": 3}}, "required": ["a"]},
            {
                "type": "object",
                "properties": {"a": {"type": ["string", "null"]}},
                "required": ["a"],
                "additionalProperties": False,
            },
        ),
        (
            {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"const": 1}]}}},
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"type": "string"}, {"const": 1}]}},
                "additionalProperties": False,
            },
        ),
        ({"type": "array", "items": {"type": "string"}}, None),
        ({"type": "object"}, None),
        ({"type": "object", "properties": {"a": {}}}, None),
        ({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": True}}}, None),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, None),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, None),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.test/x"}}}, None),
        ({"type": "object", "properties": {str(n): {"type": "string"} for n in range(25)}}, None),
        (
            {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/n"}},
                "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}},
            },
            None,
        ),
    ],
)
def test_a_schema_is_narrowed_to_what_a_grammar_can_hold(schema: dict[str, Any], wire: dict[str, Any] | None):
    assert for_wire(schema) == wire


def test_a_schema_no_grammar_can_hold_is_asked_for_in_words(scripted_model: ScriptedModel):
    free = {"type": "object", "additionalProperties": {"type": "integer"}}
    scripted_model.say(answer({"x": 1}), answer({"x": "one"}))
    asking = Asking(scripted_model)
    assert asking.ask(schema=free).data == {"x": 1}
    assert scripted_model.calls[0].schema is None
    with pytest.raises(ModelError, match="model_reply_invalid"):
        asking.ask(schema=free)
