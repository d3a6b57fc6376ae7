"""Every event kind and every code the engine stores has a sentence."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import plans.engine
from plans.core.kinds import EventKind
from plans.wording import PARTS, sentence
from plans.wording import engine as wording

CODES = re.compile(
    r"(?:InputError|StaleDecision|StateError|NeedsPerson|MalformedPlan|SkillError|AlreadyDecided|ExpressionError|"
    r'error_json)\(\s*"([a-z_]+)"'
)


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_event_kind_has_a_sentence(kind: EventKind):
    data = {"task": "t1", "actor": "ann", "tasks": 3, "revision": 1, "delay_seconds": 2, "keys": ["a"], "attempt": 1}
    data |= {"items": 3, "how": "retry"}
    words = sentence(kind.value, data)
    assert words
    assert "%(" not in words
    assert kind.value not in words


def test_every_code_of_the_engine_has_a_sentence():
    folder = Path(plans.engine.__path__[0])
    raised = {code for path in folder.glob("*.py") for code in CODES.findall(path.read_text(encoding="utf-8"))}
    assert len(raised) > 15
    unsaid = {code for code in raised if sentence(code, {}).startswith("Something went wrong (")}
    assert unsaid - {"not_available_yet", "request_without_task", "request_of_other_kind"} == set()


def test_no_code_is_said_twice():
    said: dict[str, str] = {}
    for part in PARTS:
        for code in import_module(f"plans.wording.{part}").SENTENCES:
            assert code not in said, f"{code}: {said[code]} and {part}"
            said[code] = part


def test_a_missing_param_never_hides_the_message():
    assert sentence("goal_too_long", {}) == str(wording.SENTENCES["goal_too_long"])
    assert "no_such_code" in sentence("no_such_code")
