"""The scripted model speaks the Messages API as the real client reads it, and its faults reach the client as faults."""

from __future__ import annotations

from typing import Any

import anthropic
import httpx2
import pytest

from tests.scripted_model import ScriptedModel, answer, cut, fault, page, refusal, said, silence


def ask(model: ScriptedModel, **more: Any) -> Any:
    client = anthropic.Anthropic(base_url=model.url, api_key="k", max_retries=0, timeout=5)
    request = {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}
    with client.messages.stream(**(request | more)) as stream:
        return stream.get_final_message()


def test_a_reply_comes_with_thinking_text_usage_and_stop_reason(scripted_model: ScriptedModel):
    scripted_model.say(answer({"a": "中文"}, thinking="hm", usage={"input_tokens": 7, "output_tokens": 5}))
    message = ask(scripted_model, system="be short")
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.content[1].text == '{"a": "中文"}'
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 7, 5)
    call = scripted_model.calls[0]
    assert (call.system, call.messages, call.model) == ("be short", [("user", "hello")], "claude-sonnet-5-5")


def test_json_comes_as_tool_input_when_the_request_forces_a_tool(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: answer({"model": call.model}))
    schema = {"type": "object", "properties": {"model": {"type": "string"}}}
    tools = [{"name": "reply", "description": "", "input_schema": schema}]
    message = ask(scripted_model, tools=tools, tool_choice={"type": "tool", "name": "reply"})
    assert message.content[0].input == {"model": "claude-sonnet-5-5"}
    assert message.stop_reason == "tool_use"
    assert scripted_model.calls[0].schema == schema


def test_a_refusal_carries_its_details(scripted_model: ScriptedModel):
    scripted_model.say(refusal("cyber", "no"))
    message = ask(scripted_model)
    assert (message.stop_reason, message.stop_details.category, message.content) == ("refusal", "cyber", [])


def test_a_status_comes_with_its_headers(scripted_model: ScriptedModel):
    scripted_model.say(fault(429, "slow down", retry_after=7))
    with pytest.raises(anthropic.RateLimitError) as caught:
        ask(scripted_model)
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.request_id == "req_1"


def test_a_stream_that_ends_early_has_no_stop_reason(scripted_model: ScriptedModel):
    scripted_model.say(cut(said("a long answer"), 4))
    assert ask(scripted_model).stop_reason is None


def test_a_reset_is_an_error_of_the_transport(scripted_model: ScriptedModel):
    scripted_model.say(cut(said("a long answer"), 4, reset=True))
    with pytest.raises(httpx2.ReadError):
        ask(scripted_model)


def test_an_error_event_ends_the_stream_with_its_type(scripted_model: ScriptedModel):
    scripted_model.say(cut(said("a long answer"), 4, error={"type": "overloaded_error", "message": "busy"}))
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(scripted_model)
    assert caught.value.type == "overloaded_error"


def test_silence_lasts_until_the_client_gives_up(scripted_model: ScriptedModel):
    scripted_model.say(silence())
    with pytest.raises(httpx2.ReadTimeout):
        ask(scripted_model, timeout=0.2)


def test_a_web_page_gives_the_client_no_message(scripted_model: ScriptedModel):
    scripted_model.say(page("<html>portal</html>"))
    with pytest.raises(AssertionError):
        ask(scripted_model)
    assert len(scripted_model.calls) == 1
