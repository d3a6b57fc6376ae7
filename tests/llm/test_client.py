"""The real client over HTTP: replies, stop reasons and faults, as the ledger and the caller see them."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest

from plans.core.errors import BudgetReached, ErrorClass, LeaseLost, ModelError, SkillCancelled
from plans.core.model import Message, Progress, Purpose, Tier, Usage
from plans.wording import sentence
from tests.llm.asking import GOOD, KEY, Asking
from tests.processes import wait_for
from tests.scripted_model import (
    Reply,
    ScriptedModel,
    answer,
    cut,
    fault,
    out_of_tokens,
    page,
    refusal,
    said,
    silence,
)


def failed(asking: Asking, **more: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asking.ask(**more)
    told = sentence(caught.value.code, caught.value.params)
    assert "%(" not in told
    assert "went wrong" not in told
    return caught.value


# --- replies ---


def test_a_reply_comes_with_data_usage_price_and_request_id(scripted_model: ScriptedModel):
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_creation_input_tokens": 400,
        "cache_read_input_tokens": 5000,
    }
    scripted_model.say(answer(GOOD, thinking="let me see", usage=usage))
    asking = Asking(scripted_model)
    reply = asking.ask()
    assert (reply.data, reply.model, reply.thinking, reply.request_id) == (
        GOOD,
        "claude-sonnet-5-5",
        "let me see",
        "req_1",
    )
    assert reply.usage == Usage(input_tokens=1000, output_tokens=200, cache_write_tokens=400, cache_read_tokens=5000)
    assert reply.usd == Decimal("0.006")  # (1000·2 + 200·10 + 400·2.50 + 5000·0.20) / 1,000,000
    (ended,) = asking.ledger.ended
    assert (ended.outcome, ended.usage, ended.usd, ended.tries) == ("ok", reply.usage, reply.usd, 1)
    assert ended.thinking_text == "let me see"
    assert '"colour": "Red"' in ended.reply_text


def test_text_is_asked_for_without_a_form(scripted_model: ScriptedModel):
    scripted_model.say(said("中文 works"))
    reply = Asking(scripted_model).ask(schema=None)
    assert (reply.text, reply.data) == ("中文 works", None)
    assert "output_config" not in scripted_model.calls[0].body


def test_the_purpose_decides_the_model_and_the_caller_may(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: answer(GOOD))
    asking = Asking(scripted_model)
    asking.ask(purpose=Purpose.INTENT)
    asking.ask(purpose=Purpose.REPAIR)
    asking.ask(purpose=Purpose.DRAFT, tier=Tier.HARD)
    assert [call.model for call in scripted_model.calls] == ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"]
    assert [call.purpose for call in scripted_model.calls] == ["intent", "repair", "draft"]


def test_progress_shows_everything_so_far_and_the_end(scripted_model: ScriptedModel):
    scripted_model.say(said("one two three four", thinking="hm", drip=0.05, piece=4))
    seen: list[Progress] = []
    Asking(scripted_model).ask(schema=None, on_progress=seen.append)
    assert len(seen) > 1
    assert seen[-1] == Progress(thinking="hm", text="one two three four")
    assert all(seen[-1].text.startswith(one.text) for one in seen)


def test_capitals_of_a_choice_do_not_make_a_reply_useless(scripted_model: ScriptedModel):
    scripted_model.say(answer({"colour": "rED", "count": 1}))
    assert Asking(scripted_model).ask().data == {"colour": "Red", "count": 1}


def test_the_same_request_is_answered_once_when_asked_to(scripted_model: ScriptedModel):
    scripted_model.say(answer(GOOD), answer({**GOOD, "count": 3}), answer(GOOD))
    asking = Asking(scripted_model)
    first, second = asking.ask(reuse=True), asking.ask(reuse=True, max_tokens=99)
    assert (first.reused, second.reused, second.data, second.usage) == (False, True, GOOD, Usage())
    assert asking.ask(reuse=True, purpose=Purpose.INTENT).data == {**GOOD, "count": 3}  # another model
    assert asking.ask("Which one?", reuse=True).reused is False
    assert len(scripted_model.calls) == 3


def test_a_reply_is_only_reused_for_who_asks_for_it(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: answer(GOOD))
    asking = Asking(scripted_model)
    assert [asking.ask().reused for _ in range(2)] == [False, False]
    assert {start.request_hash for start in asking.ledger.begun} == {""}


# --- what is no usable reply ---


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (answer({"colour": "Green", "count": 0}), "$.colour"),
        (answer({"colour": "Red"}), "'count' is a required property"),
        (said("I would rather not answer in JSON."), "no JSON object"),
        (said('{"colour": "Red", '), ""),
        (said(""), "no JSON object"),
    ],
)
def test_a_reply_of_another_form_is_kept_and_handed_over(scripted_model: ScriptedModel, step: Reply, says: str):
    scripted_model.say(step)
    asking = Asking(scripted_model)
    error = failed(asking)
    assert (error.code, error.error_class) == ("model_reply_invalid", ErrorClass.PERMANENT)
    assert says in error.params["problems"]
    assert error.reply.usage.total == 1200
    assert asking.outcomes == ["invalid"]


def test_a_refusal_is_told_and_not_repeated(scripted_model: ScriptedModel):
    scripted_model.say(refusal("cyber", "no"))
    asking = Asking(scripted_model)
    error = failed(asking)
    assert (error.code, error.params["category"], error.params["explanation"]) == ("model_refused", "cyber", "no")
    assert asking.outcomes == ["refused"]
    assert len(scripted_model.calls) == 1


def test_a_reply_that_ran_out_of_tokens_is_asked_for_once_more_with_twice_as_many(scripted_model: ScriptedModel):
    scripted_model.say(out_of_tokens('{"colour": "Re'), answer(GOOD))
    asking = Asking(scripted_model)
    assert asking.ask(max_tokens=500).data == GOOD
    assert [call.body["max_tokens"] for call in scripted_model.calls] == [500, 1000]
    assert asking.outcomes == ["cut", "ok"]


def test_a_reply_that_runs_out_of_tokens_again_is_an_error_with_what_came(scripted_model: ScriptedModel):
    scripted_model.say(out_of_tokens('{"colour"'), out_of_tokens('{"colour": "R'))
    error = failed(Asking(scripted_model), max_tokens=500)
    assert (error.code, error.params["limit"], error.reply.text) == ("model_out_of_tokens", 1000, '{"colour": "R')


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("model_context_window_exceeded", "model_context_full"),
        ("pause_turn", "model_stopped_oddly"),
        ("something_new", "model_stopped_oddly"),
    ],
)
def test_other_stop_reasons_are_errors_of_their_own(scripted_model: ScriptedModel, reason: str, code: str):
    scripted_model.say(answer(GOOD, stop_reason=reason))
    assert failed(Asking(scripted_model)).code == code


# --- faults that pass ---


def test_a_storm_is_sat_out_and_is_one_call(scripted_model: ScriptedModel):
    scripted_model.say(fault(429, retry_after=0.05), fault(529), fault(500), fault(503), answer(GOOD))
    asking = Asking(scripted_model)
    assert asking.ask().data == GOOD
    assert asking.outcomes == ["ok"]
    assert asking.ledger.ended[0].tries == 5
    assert asking.ledger.ended[0].request_id == "req_5"


def test_a_storm_without_end_is_an_error_within_the_deadline(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: fault(529, "Overloaded"))
    asking = Asking(scripted_model, seconds=3)
    error = failed(asking)
    assert (error.code, error.error_class) == ("model_busy", ErrorClass.TRANSIENT)
    # the deadline may end a try before its request has gone out
    assert len(scripted_model.calls) in (error.params["tries"], error.params["tries"] - 1)
    assert error.params["tries"] > 1
    assert asking.outcomes == ["error"]


def test_a_wait_past_the_deadline_is_not_waited_for(scripted_model: ScriptedModel):
    scripted_model.say(fault(429, "limit of the day", retry_after=7200))
    error = failed(Asking(scripted_model))
    assert (error.code, error.error_class, error.retry_after_seconds) == ("model_busy", ErrorClass.TRANSIENT, 7200)
    assert "asks to wait 2 hours" in sentence(error.code, error.params)
    assert len(scripted_model.calls) == 1


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"reset": True},
        {"error": {"type": "overloaded_error", "message": "busy"}},
    ],
    ids=["cut", "reset", "error event"],
)
def test_a_stream_that_died_is_paid_for_and_tried_again(scripted_model: ScriptedModel, broken: dict[str, Any]):
    scripted_model.say(cut(said("x" * 300), 8, **broken), answer(GOOD))
    asking = Asking(scripted_model)
    assert asking.ask().data == GOOD
    died, whole = asking.ledger.ended
    assert died.outcome in ("cut", "error")
    assert died.usage.input_tokens == 1000
    assert died.usage.output_tokens > 10  # not the 1 of the first event
    assert died.usd
    assert died.usd > 0
    assert whole.outcome == "ok"


def test_streams_that_always_die_are_given_up(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: cut(answer(GOOD), 4))
    asking = Asking(scripted_model)
    error = failed(asking)
    assert (error.code, error.error_class) == ("model_stream_cut", ErrorClass.TRANSIENT)
    assert asking.outcomes == ["cut"] * 3


def test_a_stream_that_breaks_before_its_first_event_is_tried_again(scripted_model: ScriptedModel):
    scripted_model.say(cut(answer(GOOD), 0), cut(answer(GOOD), 0, reset=True), answer(GOOD))
    asking = Asking(scripted_model)
    assert asking.ask().data == GOOD
    assert asking.ledger.ended[0].tries == 3


@pytest.mark.parametrize("pings", [False, True], ids=["silent", "pings only"])
def test_a_stream_that_brings_nothing_is_ended(scripted_model: ScriptedModel, pings: bool):
    scripted_model.say(silence(pings=pings), answer(GOOD))
    asking = Asking(scripted_model, settings={"silence_seconds": 0.4})
    assert asking.ask().data == GOOD
    assert [ended.problem for ended in asking.ledger.ended] == ["model_silent", ""]


def test_a_server_that_never_answers_is_given_up(scripted_model: ScriptedModel):
    scripted_model.respond(lambda call: answer(GOOD, delay=30))
    asking = Asking(scripted_model, seconds=3, settings={"silence_seconds": 0.3})
    assert failed(asking).code == "model_silent"
    assert len(scripted_model.calls) > 1


def test_a_slow_drip_ends_with_the_deadline(scripted_model: ScriptedModel):
    scripted_model.say(said("x" * 10_000, drip=0.02, piece=1))
    asking = Asking(scripted_model, seconds=3)
    error = failed(asking, schema=None)
    assert (error.code, error.error_class) == ("model_too_slow", ErrorClass.TIMEOUT)
    assert error.reply.text.startswith("xxx")
    assert asking.ledger.ended[0].usage.output_tokens > 1


def test_nothing_listening_is_an_unreachable_address(scripted_model: ScriptedModel):
    asking = Asking(scripted_model, seconds=3, settings={"base_url": "http://127.0.0.1:9"})
    error = failed(asking)
    assert (error.code, error.error_class) == ("model_unreachable", ErrorClass.TRANSIENT)
    assert error.params["address"] == "http://127.0.0.1:9"


# --- faults that stay ---


@pytest.mark.parametrize(
    ("step", "code", "error_class"),
    [
        (fault(401, "invalid x-api-key"), "model_key_refused", ErrorClass.NEEDS_PERSON),
        (fault(402, "no funds"), "model_no_credit", ErrorClass.NEEDS_PERSON),
        (fault(400, "Your credit balance is too low"), "model_no_credit", ErrorClass.NEEDS_PERSON),
        (fault(403, "not for you"), "model_not_allowed", ErrorClass.NEEDS_PERSON),
        (fault(404, "model: claude-sonnet-9"), "model_unknown", ErrorClass.PERMANENT),
        (fault(400, "bad field"), "model_request_rejected", ErrorClass.PERMANENT),
        (fault(400, "prompt is too long: 300000 tokens"), "model_context_full", ErrorClass.BAD_INPUT),
        (fault(413, "too large"), "model_context_full", ErrorClass.BAD_INPUT),
        (fault(422, "odd"), "model_request_rejected", ErrorClass.PERMANENT),
        (fault(500, "no", headers={"x-should-retry": "false"}), "model_request_rejected", ErrorClass.PERMANENT),
        (page("<html>Sign in to the hotel</html>"), "model_not_an_api", ErrorClass.PERMANENT),
        (page("<html>404</html>", status=404), "model_not_an_api", ErrorClass.PERMANENT),
        (page("not json at all", content_type="application/json"), "model_not_an_api", ErrorClass.PERMANENT),
    ],
)
def test_a_fault_that_no_try_helps_is_told_at_once(
    scripted_model: ScriptedModel, step: Any, code: str, error_class: ErrorClass
):
    scripted_model.say(step)
    asking = Asking(scripted_model)
    error = failed(asking)
    assert (error.code, error.error_class) == (code, error_class)
    assert asking.outcomes == ["error"]
    assert asking.ledger.ended[0].problem == code
    assert asking.ledger.ended[0].usage == Usage()


# --- cancelling, budget, ledger ---


@pytest.mark.parametrize("step", [said("x" * 10_000, drip=0.05, piece=1), silence(), said("late", delay=30)])
def test_cancelling_ends_a_call_wherever_it_is(scripted_model: ScriptedModel, step: Any):
    """C85: a cancelled call stops at once, while nothing has come, in silence and in mid-stream."""
    scripted_model.say(step)
    asking = Asking(scripted_model)
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            asking.ask(schema=None)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    wait_for(lambda: scripted_model.calls)
    asking.ledger.stopped = True
    thread.join(10)
    assert [type(error) for error in raised] == [SkillCancelled]
    assert asking.outcomes == ["cancelled"]


def test_cancelling_ends_a_wait_between_two_tries(scripted_model: ScriptedModel):
    scripted_model.say(fault(429, retry_after=15))
    asking = Asking(scripted_model)
    timer = threading.Timer(0.3, lambda: setattr(asking.ledger, "stopped", True))
    timer.start()
    with pytest.raises(SkillCancelled):
        asking.ask()
    timer.join()
    assert asking.outcomes == ["error"]


def test_what_the_caller_raises_in_progress_ends_the_call_and_comes_out(scripted_model: ScriptedModel):
    scripted_model.say(said("x" * 1000, drip=0.02))
    asking = Asking(scripted_model)

    def lost(progress: Progress) -> None:
        raise LeaseLost(task="t", attempt=1)

    with pytest.raises(LeaseLost):
        asking.ask(schema=None, on_progress=lost)
    assert asking.outcomes == ["cancelled"]
    assert asking.ledger.ended[0].usage.input_tokens == 1000


def test_a_budget_stops_a_call_before_it_is_made(scripted_model: ScriptedModel):
    asking = Asking(scripted_model)
    asking.ledger.refuses = BudgetReached("budget_usd_reached")
    with pytest.raises(BudgetReached):
        asking.ask()
    assert scripted_model.calls == []


def test_the_ledger_knows_the_most_a_call_can_take(scripted_model: ScriptedModel):
    scripted_model.say(answer(GOOD))
    asking = Asking(scripted_model)
    asking.ask("word " * 1000, max_tokens=2000)
    (start,) = asking.ledger.begun
    assert start.most.output_tokens == 2000
    assert 1000 < start.most.input_tokens < 3000
    assert start.most_usd
    assert start.most_usd > Decimal("0.02")


def test_the_ledger_holds_the_exact_text_without_keys(scripted_model: ScriptedModel):
    scripted_model.say(said(f"your key is {KEY}"))
    asking = Asking(scripted_model)
    secret = "AKIAABCDEFGHIJKLMNOP"
    asking.ask(f"use {secret} and {KEY} to sum “naïve” 数", schema=None)
    texts = asking.ledger.begun[0].request_text + asking.ledger.ended[0].reply_text
    assert "to sum “naïve” 数" in texts
    assert KEY not in texts
    assert secret not in texts


def test_a_key_an_error_echoes_is_not_told(scripted_model: ScriptedModel):
    """C94: a wrong key is told without the key."""
    scripted_model.say(fault(401, f"key {KEY} is revoked"))
    error = failed(Asking(scripted_model))
    assert KEY not in repr(error) + str(error.params)


def test_messages_keep_their_order_and_roles(scripted_model: ScriptedModel):
    scripted_model.say(answer(GOOD))
    turns = [Message(role="user", text="a"), Message(role="assistant", text="b"), Message(role="user", text="c")]
    Asking(scripted_model).ask(messages=turns)
    assert scripted_model.calls[0].messages == [("user", "a"), ("assistant", "b"), ("user", "c")]
