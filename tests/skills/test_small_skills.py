"""Skills without a program: noop, wait, ask_human."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from plans.core.errors import BadInputError
from plans.core.skill import Ask, Outputs, WaitUntil
from plans.skills.execute import execute_skill
from tests.skills.context import FolderContext

FIELDS = {"type": "object", "properties": {"seen": {"type": "boolean"}}, "required": ["seen"]}


@pytest.mark.parametrize("value", [None, 1, "text", [1, {"a": None}]])
def test_noop_hands_back_its_value(value: Any, context: FolderContext) -> None:
    assert execute_skill("noop", {"value": value}, context) == Outputs(values={"result": value})


def test_noop_without_a_value_gives_null(context: FolderContext) -> None:
    assert execute_skill("noop", {}, context) == Outputs(values={"result": None})


def test_waiting_ends_when_the_task_is_resumed(context: FolderContext) -> None:
    before = datetime.now(UTC)
    first = execute_skill("wait", {"seconds": 3600}, context)
    assert isinstance(first, WaitUntil)
    assert timedelta(seconds=3600) <= first.at - before <= timedelta(seconds=3660)

    context.resumed = True
    assert isinstance(execute_skill("wait", {"seconds": 3600}, context), Outputs)


def test_waiting_for_no_time_does_not_wait(context: FolderContext) -> None:
    assert isinstance(execute_skill("wait", {"seconds": 0}, context), Outputs)


def test_waiting_until_a_moment_looks_at_the_clock_again(context: FolderContext) -> None:
    context.resumed = True

    later = execute_skill("wait", {"until": "2999-01-01T08:00:00+08:00"}, context)
    earlier = execute_skill("wait", {"until": "2020-01-01T00:00:00Z"}, context)

    assert later == WaitUntil(at=datetime(2999, 1, 1, tzinfo=UTC))
    assert isinstance(earlier, Outputs)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"seconds": 1, "until": "2026-01-01T00:00:00Z"},
        {"seconds": -1},
        {"until": "2026-01-01T00:00:00"},
        {"minutes": 1},
    ],
)
def test_a_wait_that_does_not_say_how_long_is_refused(params: dict[str, Any], context: FolderContext) -> None:
    with pytest.raises(BadInputError) as caught:
        execute_skill("wait", params, context)

    assert caught.value.code == "bad_params"


def test_a_question_is_asked_first_and_its_answer_is_the_output(context: FolderContext) -> None:
    params = {"question": "Did you see it?", "fields": FIELDS, "context": "The list is empty."}

    assert execute_skill("ask_human", params, context) == Ask(
        text="Did you see it?", schema=FIELDS, key="question", context="The list is empty."
    )

    context.resumed, context.answers = True, {"question": {"seen": True}}
    assert execute_skill("ask_human", params, context) == Outputs(values={"answers": {"seen": True}})


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "string"},
        {"type": "object", "properties": {"a": {"type": "nonsense"}}},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": 7},
    ],
)
def test_a_question_whose_fields_cannot_be_shown_is_refused(fields: dict[str, Any], context: FolderContext) -> None:
    with pytest.raises(BadInputError) as caught:
        execute_skill("ask_human", {"question": "What?", "fields": fields}, context)

    assert caught.value.code == "bad_params"
